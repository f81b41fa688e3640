#!/usr/bin/env bash
# installed.sh CMAKE BUILD SOURCE
# Installs, moves the prefix, builds programs against it by CMake and pkg-config, and runs them from / without HOME where
# nothing can be written. Programs are built with the CFLAGS and CXXFLAGS of the environment: a sanitized library wants its
# runtime in them.
set -euo pipefail
cmake="$1" build="$2" source="$3"
folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }
# alone PROGRAM...: with nothing of this environment but the choice of driver
alone() { (cd / && env -i PATH=/usr/bin:/bin OCL_ICD_VENDORS="${OCL_ICD_VENDORS:-}" RUSTICL_ENABLE="${RUSTICL_ENABLE:-}" \
    ASAN_OPTIONS="${ASAN_OPTIONS:-}" POCL_CACHE_DIR="$work/pocl" TMPDIR="$work" XDG_CACHE_HOME=/proc/none "$@"); }

"$cmake" --install "$build" --prefix "$work/first" > "$work/install.log" || { cat "$work/install.log"; fail install; }
mv "$work/first" "$work/moved"
prefix="$work/moved"
library="$(find "$prefix" -name libparallax.so)"
[ -n "$library" ] || fail "no libparallax.so"

echo "== what the library shows"
dynamic="$(readelf -d "$library")"   # whole: a reader that leaves early would break the pipe, and with it the test
[[ "$dynamic" =~ SONAME.*libparallax\.so\.0\.1 ]] || fail "SONAME"
others="$(nm -DC --defined-only "$library" | cut -c18- | grep -vE '^. (plx_|parallax::|(typeinfo|typeinfo name|vtable) for parallax::|parallax_)' || true)"
[ -z "$others" ] || fail "symbols that are not ours: $others"
inside="$(nm -DC --defined-only "$library" | grep -E 'parallax::(engine|io)::|parallax::host::(opencl|cuda|native|Queue|Context)' | head -5 || true)"
[ -z "$inside" ] || fail "symbols of the inside: $inside"
[[ ! "$dynamic" =~ RUNPATH|RPATH|libfftw|libcuda|libnvrtc ]] || fail "run paths, GPL or CUDA libraries"

echo "== paths of the build"
for file in $(find "$prefix" -type f ! -name '*.a'); do
    # A sanitizer's messages name the sources.
    [[ "${CXXFLAGS:-}" == *-fsanitize* ]] || ! grep -qF "$source/" "$file" || fail "$file names $source"
    ! grep -qF "$work/first" "$file" || fail "$file names its first prefix"
done

echo "== find_package"
"$cmake" -S "$folder/program" -B "$work/program" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug > "$work/log" 2>&1 || { cat "$work/log"; fail configure; }
"$cmake" --build "$work/program" > "$work/log" 2>&1 || { cat "$work/log"; fail build; }
for kind in parallax shared static; do
    alone "$work/program/with_$kind" || fail "with_$kind"
done
alone "$work/program/with_lab" "$work/lab" || fail with_lab
! strings "$library" | grep -qE "parallax_study|Chart\.js" || fail "the library that hosts link has the laboratory in it"
[[ "$(ldd "$work/program/with_static")" != *libparallax* ]] || fail "with_static links the shared library"
[[ "$(ldd "$work/program/with_shared")" == *libparallax* ]] || fail "with_shared does not link the shared library"

echo "== pkg-config"
export PKG_CONFIG_PATH="$(dirname "$(find "$prefix" -name parallax.pc)")"
cc ${CFLAGS:-} -std=c99 -Wall -Wextra -Wpedantic -Werror "$folder/program/main.c" $(pkg-config --cflags --libs parallax) -o "$work/c" || fail "C program"
alone LD_LIBRARY_PATH="$(dirname "$library")" "$work/c" || fail "the C program"

echo "== the program"
alone "$prefix/bin/parallax" devices > /dev/null || fail "parallax devices"
alone "$prefix/bin/parallax" selftest --help > /dev/null 2>&1 || true
echo "all is well"
