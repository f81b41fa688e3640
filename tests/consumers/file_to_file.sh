#!/usr/bin/env bash
# file_to_file.sh EXAMPLE PARALLAX: a simulated hologram goes in, two files come out.
set -euo pipefail
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > simulate.json <<'J'
{ "parallax": 1, "steps": [ { "run": "hologram_simulate", "width": 256, "height": 256 } ], "outputs": { "hologram": "hologram.tif" } }
J
"$2" run simulate.json > /dev/null 2>&1
"$1" hologram.tif out > report.json
[ -s out/amplitude.tif ] && [ -s out/grey.png ] && grep -q '"steps"' report.json
"$1" none.tif out > /dev/null 2> error.txt && exit 1 || [ $? -ne 0 ]
grep -q none.tif error.txt
