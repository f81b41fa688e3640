# Shared by the tools: install what is missing, configure, build. Sourced, not run. Packages come from tools/packages.txt.

# CDPATH makes cd print where it went; a link to a tool leads to the tool.
root="$(CDPATH= cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)"
build="${PARALLAX_BUILD:-$root/build}"
source "$root/tools/progress.sh"
# Whoever calls may lack what is taken for granted: standard error (its number is then the script's own), a temporary folder, and root
# after `su` the folders of root's programs.
: >&2 && [ ! /proc/self/fd/2 -ef "$0" ] || exec 2> /dev/null
[ -w "${TMPDIR:-/tmp}" ] || unset TMPDIR
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
# Tests and examples configure programs of their own. CMake looks for make unless it is told, and make is not among the packages.
export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
# One compiler's cache serves every clone: paths are held relative to the clone, and its folder is not part of the key.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}"   # precompiled headers

# not_installed NAME...: those that dpkg does not have
not_installed() {
    local name
    for name in "$@"; do
        [[ "$(dpkg-query -W -f '${Status}' "$name" 2> /dev/null)" == *'ok installed'* ]] || echo "$name"
    done
}

# listed PURPOSE[?]: the names that packages.txt has for it; without PURPOSE those for every purpose
listed() {
    if [ $# -eq 0 ]; then grep -v '^#' "$root/tools/packages.txt" | grep . || true; else sed -n "s/^# $1: //p" "$root/tools/packages.txt"; fi
}

# become_root: sets `sudo` to what stands before a command of root's
become_root() {
    sudo=""
    [ "$(id -u)" -ne 0 ] || return 0
    if command -v sudo > /dev/null; then
        sudo="sudo -n"
        $sudo true 2> /dev/null && return 0
        sudo="sudo"
        [ -t 0 ] && sudo -v && return 0   # asks for the password
    fi
    return 1
}

# apt_get ARGUMENT...: apt-get without a question, and with what it prints only if it fails. It waits for others by itself where
# packages are unpacked, not where lists and archives are fetched: a machine that has just started does that on its own.
apt_get() {
    local log until=$((SECONDS + 600)) status told=""
    log="$(mktemp)"
    while true; do
        status=0
        $sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -y -q -o APT::Status-Fd=1 -o DPkg::Lock::Timeout=600 "$@" \
            < /dev/null 2>&1 | tee "$log" | show_progress "installing" || status=1
        [ $status -ne 0 ] && [ $SECONDS -lt $until ] && grep -q '^E: Could not get lock' "$log" || break
        [ -n "$told" ] || echo "tools: waiting: $(sed -n 's/^E: Could not get lock //p' "$log" | head -1)" >&2
        told=yes
        sleep 2
    done
    [ $status -eq 0 ] || grep -vE '^(dl|pm)status:' "$log" | tail -40 >&2
    rm -f "$log"
    return $status
}

# install_missing run|test|check|bare
install_missing() {
    command -v dpkg-query > /dev/null || { echo "tools: not Debian or Ubuntu: install what tools/packages.txt names by hand" >&2; return 0; }
    local purposes="$1" purpose name missing wanted=() optional=()
    [ "$1" = check ] && purposes="test check"
    [ "$1" = run ] || [ "$1" = bare ] || purposes="run $purposes"
    [ "$1" = bare ] || wanted+=($(listed))
    for purpose in $purposes; do
        wanted+=($(listed "$purpose"))
        optional+=($(listed "$purpose?"))
    done
    missing="$(not_installed "${wanted[@]}" | tr '\n' ' ')"
    optional=($(not_installed ${optional[@]+"${optional[@]}"}))
    [ -n "$missing" ] || [ ${#optional[@]} -gt 0 ] || return 0

    local sudo
    if [ -n "$missing" ]; then
        become_root || { echo "tools: packages are missing that only root can install. Run this as root, then try again: apt-get install --no-install-recommends $missing" >&2; return 1; }
        echo "tools: installing $missing" >&2
        # One server of several that fails is none of ours, maybe.
        apt_get update || echo "tools: not all lists of packages can be had: going on with those that there are" >&2
        apt_get install --no-install-recommends $missing || { echo "tools: could not install: $missing" >&2; return 1; }
    fi
    # What a release lacks is left out, and so is what does not install: the program does without. (Not by `apt-cache | grep -q`, which
    # ends before apt-cache has written everything: that is then a failure, now and then.)
    local available=()
    for name in "${optional[@]}"; do
        [[ "$(apt-cache show "$name" 2> /dev/null)" != *Package:* ]] || available+=("$name")
    done
    [ ${#available[@]} -gt 0 ] || return 0
    become_root && apt_get install --no-install-recommends "${available[@]}" || echo "tools: going on without what is not needed: ${available[*]}" >&2
}

# A digest of everything that a build depends on and its own result: unchanged means that neither cmake nor ninja need be asked.
source_state() {
    # Names, sizes and times of the sources and of the list of packages: a stat of a few hundred files, not a read of them.
    # Where there is no dpkg, find says so by its status.
    (cd "$root" && { find CMakeLists.txt cmake host engine kernels_cl configs third_party tools /var/lib/dpkg/status \
        -type f -printf '%p %s %T@\n' 2> /dev/null || true; } | sort | cksum)
}

# Only one at a time installs and builds in a folder; another waits. let_others_build ends that, and so does the end of the shell.
build_alone() {
    mkdir -p "$build" 2> /dev/null && [ -w "$build" ] ||
        { echo "tools: $build cannot be written: take a copy of your own, or name another folder by PARALLAX_BUILD" >&2; return 1; }
    command -v flock > /dev/null || return 0
    exec {building}> "$build/lock"
    flock --nonblock "$building" || { echo "tools: somebody else builds in $build: waiting" >&2; flock "$building"; }
}
let_others_build() { [ -z "${building:-}" ] || exec {building}>&-; }

# configure run|all: `run` makes of a new folder what the program needs; `all` adds the tests and what else a folder lacks. The folder is
# one for both: what tools/run has built, tools/test does not build again.
configure() {
    local cache="$build/CMakeCache.txt" log="$build/configure.log" stamp="$build/configured" options=()
    [[ "$root$build" != *[$'\n;"|[]\\']* ]] ||
        { printf 'tools: CMake builds nothing in a folder whose path has one of ; " | [ ] \\ or a new line in it: move %q\n' "$root" >&2; return 1; }
    mkdir -p "$build"
    # Sources that another clock has dated later than now are newer than all that is made of them: Ninja would configure a hundred times.
    find "$root" \( -name .git -o -name 'build*' \) -prune -o -type f -newermt now -exec touch -c {} + 2> /dev/null || true
    # A folder that was copied here remembers where it was, and one that could not be configured what it lacked.
    if [ ! -f "$build/build.ninja" ] || ! grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$(cd "$build" && pwd -P)" "$cache" 2> /dev/null; then
        rm -rf "$cache" "$build/CMakeFiles" "$build/build.ninja"
    fi
    if [ "$1" = all ] && ! grep -q '^PARALLAX_TESTS:BOOL=ON' "$cache" 2> /dev/null; then
        options+=(-DPARALLAX_TESTS=ON -DPARALLAX_EXAMPLES=ON -DPARALLAX_BENCHMARKS=ON -DPARALLAX_LAB=ON)
    elif [ ! -f "$cache" ]; then
        options+=(-DPARALLAX_TESTS=OFF -DPARALLAX_EXAMPLES=OFF -DPARALLAX_BENCHMARKS=OFF -DPARALLAX_LAB=OFF)
    fi
    [ -f "$cache" ] || options+=(-G Ninja -DCMAKE_BUILD_TYPE=Release)
    # Precompiled headers are another's in every clone: no gain where the compilers' cache may have all of it.
    [ -f "$cache" ] || [[ "$(ccache --print-stats 2> /dev/null)" =~ files_in_cache[[:space:]]+[1-9] ]] || options+=(-DPARALLAX_PRECOMPILED=ON)
    # Packages that came or went since then may be libraries that are used where they are found.
    if [ ${#options[@]} -gt 0 ] || [ ! -f "$stamp" ] || [ /var/lib/dpkg/status -nt "$stamp" ]; then
        echo "tools: configuring" >&2
        cmake -S "$root" -B "$build" "${options[@]}" > "$log" 2>&1 || { cat "$log" >&2; return 1; }
        sed -n 's/^-- \(.* is left out: \)/tools: \1/p' "$log" >&2
        touch "$stamp"
    fi
}

# Where nobody can write the compilers' cache (a HOME that is not there, or another's), ccache fails, and the build with it.
try_compilers_cache() {
    command -v ccache > /dev/null && [ -z "${CCACHE_READONLY:-}" ] || return 0
    local key folder
    for key in cache_dir temporary_dir; do
        folder="$(ccache --get-config $key 2> /dev/null)" && mkdir -p "$folder" 2> /dev/null && [ -w "$folder" ] || export CCACHE_DISABLE=1
    done
}

# build_targets TARGET...
build_targets() {
    try_compilers_cache
    local log="$build/build.log"
    echo "tools: building" >&2
    NINJA_STATUS='[%f/%t] ' ninja -C "$build" "$@" 2>&1 | tee "$log" | show_progress "building" ||
        { grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -60 >&2; return 1; }
}
