# Shared by tools/run and tools/test: install what is missing, then build. Sourced, not run.
# Packages come from tools/packages.txt; a line "# test: NAME" is installed for tests only, "# check: NAME" for tools/check only,
# "# test?: NAME" and "# check?: NAME" where the distribution has it.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="${PARALLAX_BUILD:-$root/build}"
# One compiler's cache serves every clone: paths are held relative to the clone, and its folder is not part of the key.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"

# missing_packages [test|check]: names from packages.txt that dpkg does not have
missing_packages() {
    local wanted
    wanted="$(grep -v '^#' "$root/tools/packages.txt" | grep . || true)"
    local name purpose purposes="${1:-}"
    [ "$purposes" = check ] && purposes="test check"
    for purpose in $purposes; do
        wanted="$wanted $(sed -n "s/^# $purpose: //p" "$root/tools/packages.txt")"
        for name in $(sed -n "s/^# $purpose?: //p" "$root/tools/packages.txt"); do
            apt-cache show "$name" > /dev/null 2>&1 && wanted="$wanted $name"
        done
    done
    for name in $wanted; do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || echo "$name"
    done
}

install_missing() {
    command -v dpkg-query > /dev/null || { echo "tools: not Debian or Ubuntu: install what tools/packages.txt names by hand" >&2; return 0; }
    local missing
    missing="$(missing_packages "${1:-}" | tr '\n' ' ')"
    [ -n "${missing// /}" ] || return 0
    local sudo=""
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo > /dev/null || { echo "tools: run as root, or install sudo; missing: $missing" >&2; return 1; }
        sudo="sudo"
    fi
    echo "tools: installing $missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    local log; log="$(mktemp)"
    if ! { $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } > "$log" 2>&1; then
        cat "$log" >&2; rm -f "$log"
        echo "tools: could not install: $missing" >&2
        return 1
    fi
    rm -f "$log"
}

# A digest of everything that a build depends on and its own result: unchanged means that cmake need not be asked.
source_state() {
    # Names, sizes and times of the sources: a stat of a few hundred files, not a read of them.
    find "$root/CMakeLists.txt" "$root/cmake" "$root/host" "$root/engine" "$root/kernels_cl" "$root/third_party" "$root/tools" "$root/tests" "$root/benchmarks" \
        -type f -printf '%p %s %T@\n' 2> /dev/null | sort | cksum
}

# build_targets TARGET...: configures once, then builds
build_targets() {
    local log="$build/build.log"
    mkdir -p "$build"
    if [ ! -f "$build/build.ninja" ]; then
        echo "tools: configuring" >&2
        cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release > "$log" 2>&1 || { cat "$log" >&2; return 1; }
    fi
    echo "tools: building" >&2
    ninja -C "$build" "$@" > "$log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -60 >&2; return 1; }
}
