# Sourced: shows that a long command works. On a terminal one line that moves, elsewhere a line every 20 seconds at most.

# show_progress LABEL: reads what apt-get (with APT::Status-Fd=1) or ninja prints
show_progress() {
    local label="$1" line step="" began=$SECONDS said=$SECONDS columns=80 code
    [ ! -t 2 ] || columns="$(stty size <&2 2> /dev/null | cut -d' ' -f2)"
    while :; do
        code=0
        IFS= read -r -t 1 line || code=$?
        if [ $code -gt 128 ]; then line=""; elif [ $code -ne 0 ]; then break; fi   # above 128: a second without a line
        if [[ "$line" =~ ^\[([0-9]+/[0-9]+)\]\ (.*)$ ]]; then
            step="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
        elif [[ "$line" =~ ^(dl|pm)status:[^:]*:([0-9]+)[^:]*:(.*)$ ]]; then
            step="${BASH_REMATCH[2]}% ${BASH_REMATCH[3]}"
        fi
        if [ -t 2 ]; then
            line="tools: $label, $((SECONDS - began)) s: $step"
            printf '\r\033[K%s' "${line:0:$((${columns:-80} - 1))}" >&2
        elif [ $((SECONDS - said)) -ge 20 ]; then
            said=$SECONDS
            echo "tools: $label, $((SECONDS - began)) s: ${step:0:100}" >&2
        fi
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
}
