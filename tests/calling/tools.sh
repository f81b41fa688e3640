#!/usr/bin/env bash
# tools.sh SOURCE: tools/run and tools/test, however they are called, in a clone whose compilers only pretend. No package is installed.
# A row: call 'what' STATUS 'pattern' 'script', as in calling.sh.
set -uo pipefail
source="$1"
work="$(mktemp -d)"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
passed=0 failed=0

# Programs in the place of dpkg's, CMake, Ninja and CTest: everything is installed, and building takes a second. Two at a time are seen.
mkdir "$work/stub"
for name in dpkg-query cmake ninja ctest ccache; do printf '#!/bin/sh\n' > "$work/stub/$name"; chmod +x "$work/stub/$name"; done
echo 'echo install ok installed' >> "$work/stub/dpkg-query"
cat >> "$work/stub/cmake" << 'S'
while [ $# -gt 0 ]; do case "$1" in -B) folder="$2" ;; esac; shift; done
echo "CMAKE_CACHEFILE_DIR:INTERNAL=$folder" > "$folder/CMakeCache.txt"
touch "$folder/build.ninja"
echo "-- Foreign is left out: it does not compile: too new"
S
cat >> "$work/stub/ninja" << 'S'
mkdir "$2/at-work" || { echo "two build at a time" >> "$2/conflicts"; exit 1; }
sleep 1
mkdir -p "$2/bin"
printf '#!/bin/sh\necho "the program: $*"\n' > "$2/bin/parallax"
chmod +x "$2/bin/parallax"
echo built >> "$2/builds"
echo "${CCACHE_DISABLE:+no }cache" > "$2/cache"
rmdir "$2/at-work"
S
echo 'echo "the tests: $*"' >> "$work/stub/ctest"
echo 'echo "${CACHE:-${stub%/*}}/$2"' >> "$work/stub/ccache"   # its folders
# Another apt-get is at work for as long as the file `busy` has lines; then packages can be installed.
cat >> "$work/stub/dpkg-query" << 'S'
[ ! -e busy ] || [ -e installed ] || exit 1
S
sed -i '/^echo install ok/d' "$work/stub/dpkg-query"
echo 'echo install ok installed' >> "$work/stub/dpkg-query"
cat > "$work/stub/apt-get" << 'S'
#!/bin/sh
if [ -s busy ]; then
    sed -i 1d busy
    [ "$LC_ALL" = C ] || { echo 'E: Sperre /var/lib/apt/lists/lock konnte nicht erlangt werden' >&2; exit 100; }   # by LANGUAGE
    echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)' >&2
    exit 100
fi
case "$*" in
    *update*) [ ! -e old-server ] || { echo 'E: The repository of somebody else has no Release file' >&2; exit 100; } ;;
    *install*) command -v ldconfig > /dev/null || { echo "dpkg: error: no ldconfig in PATH" >&2; exit 100; }; touch installed ;;
esac
S
printf '#!/bin/sh\n[ "$1" != -n ] || shift\nexec "$@"\n' > "$work/stub/sudo"
chmod +x "$work/stub/apt-get" "$work/stub/sudo"
export stub="$work/stub" PATH="$work/stub:$PATH"

# call WHAT STATUS PATTERN SCRIPT: in a new clone; PATTERN is of grep -E and looks at all that was printed, in one line
call() {
    local what="$1" status="$2" pattern="$3" script="$4" got=0 said
    rm -rf "$work/a clone"
    mkdir "$work/a clone"
    cp -r "$source/tools" "$work/a clone/tools"
    echo '{}' > "$work/a clone/job.json"
    (cd "$work/a clone" && unset CDPATH PARALLAX_BUILD && timeout 60 bash -c "$script") > "$work/said" 2>&1 < /dev/null || got=$?
    said="$(tr '\n' ' ' < "$work/said")"
    if [ "$got" -eq "$status" ] && grep -qE "$pattern" <<< "$said"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: status %s (expected %s), expected to print "%s", printed:\n%s\n' "$what" "$got" "$status" "$pattern" "$said"
    fi
}

call 'tools/run' 0 'building.*the program: run job.json --quiet' 'tools/run job.json --quiet'
call 'tools/run tells what is left out' 0 'tools: Foreign is left out: it does not compile: too new tools: building' 'tools/run job.json'
call 'tools/run again builds nothing' 0 '^the program: run job.json $' 'tools/run job.json > /dev/null 2>&1; tools/run job.json'
call 'tools/run from another folder' 0 'the program: run a clone/job.json' 'cd .. && "a clone/tools/run" "a clone/job.json"'
call 'tools/run by a link' 0 'the program: run job.json' 'ln -s "$PWD/tools/run" ../prun && ../prun job.json; s=$?; rm ../prun; exit $s'
call 'tools/run by a link in PATH' 0 'the program: run job.json' 'mkdir links; ln -s ../tools/run links/prun; PATH="$PWD/links:$PATH"; prun job.json'
call 'tools/run where cd tells where it goes' 0 'the program: run job.json' 'export CDPATH=.:/tmp; tools/run job.json'
call 'tools/test where cd tells where it goes' 0 'the tests: .*-R io' 'export CDPATH=.:/tmp; tools/test -R io'
# Compilers that only tools/fuzz and tools/windows need may be missing: they say which.
for tool in run test check bare fuzz windows; do
    call "sh tools/$tool knows itself" 0 '^0 $' "sh tools/$tool nothing.json 2>&1 < /dev/null | grep -cE 'Illegal option|Syntax error|not found' || true"
done
call 'sh tools/run' 0 'the program: run job.json' 'sh tools/run job.json'
call 'tools/run of a file that is not there waits for no build' 2 'there is no file jbo.json; .*configs/jobs *$' 'tools/run jbo.json'
call 'tools/check of a part that is mistyped starts none, and installs nothing' 2 '^tools/check \[kernels\]' 'touch busy; tools/check python windoes'
call 'tools/run where nothing can be written' 1 'cannot be written.*PARALLAX_BUILD' 'PARALLAX_BUILD=/proc/none tools/run job.json'
call 'another apt-get at work is waited for' 0 'waiting: /var/lib/apt/lists/lock. It is held by process 7 .*the program: run job.json' \
    'printf "1\n2\n" > busy; tools/run job.json'
call 'root has the PATH of who called su, and apt one server that is gone' 0 'E: The repository of somebody else .*going on .*the program: run job.json' \
    'touch busy old-server; PATH="$stub:/usr/bin:/bin" tools/run job.json'
call 'no temporary folder while packages are installed' 0 'the program: run job.json' 'touch busy; TMPDIR=/proc/none tools/run job.json'
call 'standard error is closed' 0 'the program: run job.json' 'tools/run job.json 2>&-'
call 'all standard streams are closed' 0 'built' 'tools/run job.json <&- >&- 2>&-; cat build/builds'
call 'a compilers'"'"' cache that nobody can write is not used' 0 'the program: run job.json no cache' 'CACHE=/proc/none tools/run job.json && cat build/cache'
call 'a compilers'"'"' cache' 0 'the program: run job.json cache' 'CACHE=$PWD/cache tools/run job.json && cat build/cache'
call 'a folder whose name CMake does not take' 1 'CMake builds nothing .*move ' 'mkdir "a[1]"; cp -r tools "a[1]"; "a[1]/tools/run" job.json 2>&1 | tail -1; exit ${PIPESTATUS[0]}'
call 'a folder whose name is odd, but does' 0 'the program: run job.json' 'd="a (1) & b'"'"'s, +=@%~#"; mkdir "$d"; cp -r tools "$d"; "$d/tools/run" job.json'
call 'sources from the future' 0 'the program: run job.json 0 left' 'touch -d 2099-01-01 tools/test; tools/run job.json; find tools -newermt now | wc -l | sed "s/$/ left/"'
call 'two at a time: one builds, one waits' 0 'somebody else builds .*two runs, one build' \
    'tools/run job.json > one 2>&1 & tools/run job.json > two 2>&1; wait $!; cat one two; [ ! -e build/conflicts ] &&
     echo "$(cat one two | grep -c "the program") runs, $(wc -l < build/builds) build" | sed "s/^2/two/; s/ 1 / one /"'
call 'tools/run and tools/test at a time' 0 '^0 conflicts' \
    'tools/run job.json > one 2>&1 & tools/test > two 2>&1; a=$?; wait $! && [ $a = 0 ] && ls build/conflicts 2> /dev/null | wc -l | sed "s/$/ conflicts/"'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
