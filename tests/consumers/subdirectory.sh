#!/usr/bin/env bash
# subdirectory.sh CMAKE SOURCE: Parallax as a part of another project, by add_subdirectory; it builds the library and no more.
set -euo pipefail
cmake="$1" source="$2"
folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$cmake" -S "$folder/subdirectory" -B "$work" -DPARALLAX_SOURCE="$source" -DCMAKE_BUILD_TYPE=Release -G Ninja
"$cmake" --build "$work"
[ ! -e "$work/parallax/bin/parallax" ] || { echo "FAILED: built the command line program, too" >&2; exit 1; }
cd /
"$work/host_application"
