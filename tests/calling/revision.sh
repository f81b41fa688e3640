#!/usr/bin/env bash
# revision.sh CMAKE SOURCE: a build tells of the revision of its own sources, whatever repository is around them or the environment names.
set -euo pipefail
cmake="$1" source="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
command -v git > /dev/null || { echo "left out: there is no git"; exit 0; }
unset GIT_DIR GIT_WORK_TREE
commit() { git init -q "$1" && git -C "$1" -c user.name=a -c user.email=a commit -q --allow-empty -m "$1" && git -C "$1" describe --always --abbrev=12; }
# tells FOLDER REVISION
tells() {
    "$cmake" -DROOT="$1" -DOUTPUT="$work/info.h" -P "$source/cmake/build_info.cmake"
    grep -qF "PARALLAX_REVISION \"$2\"" "$work/info.h" || { echo "FAILED: expected $2 of $1, got:"; cat "$work/info.h"; exit 1; }
}
commit "$work/host" > /dev/null
mkdir "$work/host/unpacked"
own="$(commit "$work/host/clone")"
git -C "$work/host/clone" worktree add -q "$work/tree"
tells "$work/host/unpacked" unknown
tells "$work/host/clone" "$own"
tells "$work/tree" "$own"
GIT_DIR="$work/host/.git" tells "$work/host/clone" "$own"
[ "$(id -u)" -ne 0 ] || { chown -R 65534 "$work/host/clone"; tells "$work/host/clone" "$own"; }
echo "5 passed, 0 failed"
