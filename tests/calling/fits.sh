#!/usr/bin/env bash
# fits.sh CMAKE SOURCE: an optional library that does not fit is left out with its reason, and is used again once it fits.
set -euo pipefail
cmake="$1" source="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; cat "$work/log"; exit 1; }
mkdir "$work/project" "$work/library"
cat > "$work/project/CMakeLists.txt" <<C
cmake_minimum_required(VERSION 3.22)
project(fits LANGUAGES CXX)
include($source/cmake/fits.cmake)
parallax_fits(FOREIGN_FITS Foreign $work/library/foreign.h [[
    #include <foreign.h>
    #if LEVEL != 3
    #error the definition did not come
    #endif
    void use(Foreign& f) { f.stride[3] = 1; }]] INCLUDES $work/library DEFINITIONS LEVEL=3)
message(STATUS "used: \${FOREIGN_FITS}")
parallax_fits(MINE_FITS Mine $work/library/foreign.h "hello" COMMAND sh -c "echo 'fits.cu:1: error: none of mine' >&2; exit 3")
message(STATUS "mine: \${MINE_FITS}")
C
configure() { "$cmake" -S "$work/project" -B "$work/build" > "$work/log" 2>&1 || fail "configure failed where it must go on"; }
said() { grep -qF -- "$1" "$work/log" || fail "not said: $1"; }

echo 'struct Foreign { };' > "$work/library/foreign.h"
configure; said "Foreign is left out: it does not compile: "; said "stride"; said "used: FALSE"; said "Mine is left out: it does not compile: fits.cu:1: error: none of mine"; said "mine: FALSE"
configure; said "Foreign is left out"; said "used: FALSE"
sleep 1.1   # times of files are looked at in seconds
echo 'struct Foreign { int stride[4]; };' > "$work/library/foreign.h"
configure; said "used: TRUE"
! grep -q "Foreign is left out" "$work/log" || fail "it fits"

# The programs that read formats: each by what it uses of its library. (Whether they fit where the libraries are sound, tests/io shows.)
mkdir "$work/readers" "$work/broken"
cat > "$work/readers/CMakeLists.txt" <<C
cmake_minimum_required(VERSION 3.22)
project(readers LANGUAGES CXX)
include($source/cmake/fits.cmake)
add_subdirectory($source/engine/io/readers readers)
C
found=()
for header in gif:gif_lib hdf5:hdf5 matio:matio gdcm:gdcmImageReader blosc:blosc; do
    echo '#error not as it was' > "$work/broken/${header#*:}.h"
    found+=("-DPARALLAX_${header%:*}_INCLUDE=$work/broken")
done
for library in gif hdf5 matio gdcm_MSFF gdcm_DSED gdcm_Common blosc zstd; do found+=("-DPARALLAX_$library=$work/broken/lib.so"); done
"$cmake" -S "$work/readers" -B "$work/read" "${found[@]}" > "$work/log" 2>&1 || fail "a reader's library fails the build"
for what in giflib HDF5 matio GDCM c-blosc; do said "$what is left out: it does not compile: "; done
echo "2 passed, 0 failed"
