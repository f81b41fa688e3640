#!/usr/bin/env bash
# calling.sh PARALLAX HOST MODULES BUILD CMAKE HIDE
# The program PARALLAX, and the library inside the program HOST, however they are called. MODULES: those that were built, "tbb opencv mpi".
# HIDE: the library of hide.c.
# A row: call 'what' STATUS 'pattern' 'script'. The script runs in an empty folder; its status and what it prints must be as expected.
set -uo pipefail
parallax="$1" host="$2" modules=" $3 " build="$4" cmake="$5" hide="$6"
work="$(mktemp -d)"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
passed=0 failed=0

cat > "$work/job.json" <<'J'
{ "parallax": 1, "device": { "backend": "native" }, "steps": [ { "run": "phantom", "kind": "carpet", "size": 27 } ], "outputs": { "volume": "volume.npy" } }
J
cat > "$work/module.json" <<'J'
{ "parallax": 1, "device": { "backend": "native" },
  "steps": [ { "run": "phantom", "kind": "carpet", "size": 27 }, { "run": "reduce", "variant": "tbb", "in": { "array": "volume" } } ], "outputs": { "value": "value.json" } }
J
cat > "$work/numbers.json" <<'J'
{ "parallax": 1,
  "steps": [ { "run": "hologram_simulate", "width": 60, "height": 48, "pixel_um": 1.4 },
             { "id": "radix", "run": "hologram", "wavelength_nm": 532.5, "pixel_um": 1.4, "distance_um": { "from": 800.5, "to": 1200.5, "step": 50 }, "autofocus": { "object": "amplitude" } },
             { "run": "reduce", "in": { "array": "hologram" } } ],
  "outputs": { "focus": "focus.json", "statistics": "value.csv", "amplitude": "amplitude.npy" } }
J
cat > "$work/ranks.json" <<'J'
{ "parallax": 1, "device": { "backend": "opencl" }, "inputs": { "volume": "volume.npy" }, "steps": [ { "run": "box_count" } ], "outputs": { "counts": "counts.json" } }
J

cat > "$work/transform.json" <<'J'
{ "parallax": 1,
  "steps": [ { "run": "hologram_simulate", "width": 56, "height": 44, "pixel_um": 1.4 },
             { "run": "fft", "variant": "vkfft", "kind": "r2c", "in": { "array": "hologram" }, "out": { "array": "spectrum" } },
             { "id": "back", "run": "fft", "variant": "vkfft", "kind": "c2r", "in": { "array": "spectrum" } } ], "outputs": { "array": "array.npy" } }
J

export parallax host work build cmake hide
export bin; bin="$(dirname "$parallax")"
# call WHAT STATUS PATTERN SCRIPT: PATTERN (of grep -E) must be in what it prints; "" is nothing at all, "*" anything
call() {
    local what="$1" status="$2" pattern="$3" script="$4" folder got=0 said
    folder="$(mktemp -d "$work/call.XXXXXX")"
    (cd "$folder" && timeout 120 bash -c "$script") > "$work/said" 2>&1 < /dev/null || got=$?
    said="$(cat "$work/said")"
    if [ "$got" -eq "$status" ] && { [ "$pattern" = "*" ] || { [ -z "$pattern" ] && [ -z "$said" ]; } || { [ -n "$pattern" ] && grep -qE "$pattern" <<< "$said"; }; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: status %s (expected %s), expected to print "%s", printed:\n%s\n' "$what" "$got" "$status" "$pattern" "$said" | head -30
    fi
    chmod -R u+w "$folder" 2> /dev/null; rm -rf "$folder"
}
has() { [[ "$modules" == *" $1 "* ]] || { echo "left out: what needs the module $1, which this build lacks"; return 1; }; }

# Where the program is, and what it is called.
here='"$parallax" run "$work/job.json" --out out --quiet && ls out'
call 'by an absolute path' 0 'volume.npy' "$here"
call 'by a relative path' 0 'volume.npy' 'out="$PWD/out"; cd "$bin" && ./parallax run "$work/job.json" --out "$out" --quiet && ls "$out"'
if has tbb; then
    by_module='run "$work/module.json" --out out --quiet && cat out/value.json'
    call 'module: by an absolute path' 0 '"value": 130560' "\"\$parallax\" $by_module"
    call 'module: through PATH' 0 '"value": 130560' "PATH=\"\$bin:\$PATH\"; parallax $by_module"
    call 'module: through a relative PATH' 0 '"value": 130560' "cd \"\$bin/..\" && PATH=\"\$(basename \"\$bin\"):\$PATH\"; out=\$(mktemp -d); parallax run \"\$work/module.json\" --out \$out --quiet && cat \$out/value.json; rm -r \$out"
    call 'module: relatively, from above' 0 '"value": 130560' 'ln -s "$bin" folder; folder/parallax '"$by_module"
    call 'module: by a symbolic link' 0 '"value": 130560' "ln -s \"\$parallax\" px; ./px $by_module"
    call 'module: by a link in PATH' 0 '"value": 130560' "mkdir links; ln -s \"\$parallax\" links/px; PATH=\"\$PWD/links:\$PATH\"; px $by_module"
    call 'module: by a hard link beside the module' 0 '"value": 130560' "mkdir \"a b ü\"; cp \"\$parallax\" \"a b ü/p x\"; cp \"\$bin/libparallax_peer_tbb.so\" \"a b ü\"; PATH=\"\$PWD/a b ü:\$PATH\"; \"p x\" $by_module"
    call 'module: under a name that is none' 0 '"value": 130560' "(exec -a nonsense \"\$parallax\" run \"\$work/module.json\" --quiet --out out) && cat out/value.json"
    call 'module: there is none' 1 'there is none in .*libparallax_peer_tbb.so.*libtbb-dev' 'cp "$parallax" px; ./px '"$by_module"
    call 'module: one that cannot be opened says why, not what was tried last' 1 'file too short' 'cp "$parallax" px; : > libparallax_peer_tbb.so; ./px '"$by_module"
    # The program registers others' libraries as variants (lab/peers); the library that a host application links has ours alone.
    call 'module: none for the library inside another program' 1 '/steps/1/variant: found the string "tbb", expected one of .*reference' '"$host" native "$work/module.json" out; status=$?; [ ! -e out/value.json ] || exit 9; exit $status'
    call 'module: installed, moved, by PATH' 0 '"value": 130560' '"$cmake" --install "$build" --prefix "$PWD/first" > log 2>&1 || { cat log; exit 9; }; mv first "a prefix"; PATH="$PWD/a prefix/bin:$PATH"; parallax '"$by_module"
fi
if has mpi && command -v mpirun > /dev/null; then
    call 'mpirun, by PATH' 0 'counts.json' 'export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_btl=^tcp
        "$parallax" run "$work/job.json" --quiet && cp "$work/ranks.json" . && ls "$bin"/libparallax_peer_mpi.so && PATH="$bin:$PATH" && mpirun -n 2 parallax run ranks.json --quiet && ls'
    for left in 'OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=2' 'PMI_SIZE=2 PMI_RANK=0'; do
        call "a launcher's variables without it: $left" 1 'MPI knows this one alone' "$left \"\$parallax\" run \"\$work/job.json\" --out out; status=\$?; [ ! -e out ] || exit 9; exit \$status"
    done
fi

# Where it is called from, and what it may write.
call 'from / with an absolute job' 0 'volume.npy' 'out="$PWD/out"; cd / && "$parallax" run "$work/job.json" --out "$out" --quiet && ls "$out"'
call 'a job through a pipe: its paths are those of who pipes it' 0 '^o.npy' '"$parallax" run "$work/job.json" --quiet || exit 9
    echo "{ \"parallax\": 1, \"device\": { \"backend\": \"native\" }, \"inputs\": { \"volume\": \"volume.npy\" }, \"steps\": [ { \"run\": \"box_filter\", \"radius\": 1, \"in\": { \"image\": \"volume\" } } ], \"outputs\": { \"image\": \"o.npy\" } }" > made
    cat made | "$parallax" run /dev/stdin --quiet && "$parallax" run /dev/stdin --quiet --overwrite < made && "$parallax" run <(cat made) --quiet --overwrite && ls'
call 'from a folder that was deleted' 0 'volume.npy' 'mkdir gone; out="$PWD/out"; cd gone && rmdir ../gone && "$parallax" run "$work/job.json" --out "$out" --quiet && ls "$out"'
call 'from a folder that was deleted, relatively' 2 'no file job.json' 'mkdir gone; cd gone && rmdir ../gone && "$parallax" run job.json'
call 'spaces and UTF-8 in every path' 0 '^ä ö.npy' 'mkdir "d é 日本" && cd "d é 日本" && sed "s/volume.npy/ä ö.npy/" "$work/job.json" > "j ß.json" && "$parallax" run "j ß.json" --out "o ü/ñ" --quiet && ls "o ü/ñ"'
call 'without any environment' 0 'volume.npy' 'env -i "$parallax" run "$work/job.json" --out out --quiet && ls out'
call 'without HOME' 0 'volume.npy' "unset HOME XDG_CACHE_HOME; $here"
call 'HOME is no folder' 0 'volume.npy' "export HOME=/dev/null; unset XDG_CACHE_HOME; $here"
call 'HOME, cache and temporary folder cannot be written' 0 'volume.npy' "export HOME=/proc XDG_CACHE_HOME=/proc/none TMPDIR=/proc; $here"
if [[ "${OCL_ICD_VENDORS:-}" == *pocl* ]]; then
    call 'PoCL, and HOME is no folder' 0 'volume.npy' 'export HOME=/dev/null TMPDIR="$PWD"; unset XDG_CACHE_HOME POCL_CACHE_DIR
        "$parallax" run "$work/job.json" --device opencl --out out && ls out parallax-pocl-*'
    call 'PoCL, and POCL_CACHE_DIR cannot be written' 1 'PoCL keeps what it compiles in /dev/null' 'export POCL_CACHE_DIR=/dev/null XDG_CACHE_HOME="$PWD/c"
        "$parallax" run "$work/job.json" --device opencl --out out'
fi
# Who may write everywhere learns it when the file is made, others before the work is done.
call 'from a folder that cannot be written' "$([ "$(id -u)" -eq 0 ] && echo 1 || echo 2)" 'volume.npy|/proc' 'cd /proc && "$parallax" run "$work/job.json" --quiet'
call 'from a folder that cannot be written, to one that can' 0 'volume.npy' 'out="$PWD/out"; cd /proc && "$parallax" run "$work/job.json" --out "$out" --quiet && ls "$out"'

# Folders that are closed to who runs it, which root does not meet.
somebody='setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent'
if [ "$(id -u)" -eq 0 ] && $somebody test -x "$parallax" 2> /dev/null; then
    chmod 755 "$work"
    reads='echo "{ \"parallax\": 1, \"inputs\": { \"image\": $input }, \"steps\": [ { \"run\": \"equalize\" } ], \"outputs\": { \"image\": \"o.npy\" } }" > job.json
        chmod 755 .; mkdir -m 700 closed; mkdir -m 777 out; touch closed/a.npy; '"$somebody"' "$parallax" run job.json --out out'
    call 'an input in a closed folder' 2 'may not enter the folder .*closed' "input='\"closed/a.npy\"'; $reads"
    call 'a pattern in a closed folder' 2 'may not look into the folder closed' "input='{ \"files\": \"closed/*.npy\", \"combine\": \"mean\" }'; $reads"
    call 'a job in a closed folder' 2 'may not enter the folder .*closed' "chmod 755 .; mkdir -m 700 closed; cp \"\$work/job.json\" closed; $somebody \"\$parallax\" run closed/job.json"
    call 'from below a closed folder' 2 'closed may not be entered by this user' "chmod 755 .; mkdir -m 700 closed; mkdir -m 777 closed/own; cp \"\$work/job.json\" closed/own; chmod 644 closed/own/job.json
        cd closed/own && $somebody \"\$parallax\" run job.json --quiet --out out"
    writes='chmod 755 .; cp --no-clobber "$work/job.json" .; chmod 644 job.json; mkdir there; chmod $mode there; '"$somebody"' "$parallax" run job.json --quiet --out there'
    call 'outputs to a folder of another alone' 2 'there may not be entered by this user' "mode=700; $writes"
    call 'outputs to a folder that may be listed alone' 2 'there may not be entered by this user' "mode=644; $writes"
    call 'outputs below a folder that may not be entered' 2 'there may not be entered by this user' "mode=700; $writes/in/it"
    call 'outputs to a folder that may not be written' 2 'there may not be written by this user' "mode=755; $writes"
    call 'a link that leads below a closed folder' 2 'link leads through a folder that may not be entered by this user' "mode=700; mkdir out
        chmod 777 out; ln -s ../there/in out/link; sed s,volume.npy,link/volume.npy, \"\$work/job.json\" > job.json; ${writes%there}out"
else
    echo "left out: folders that are closed to who runs it, which take root and a program that others may run"
fi

# No OpenCL, and no device that fits.
call 'no OpenCL driver: what there is' 0 'native' 'OCL_ICD_VENDORS=/nowhere "$parallax" devices'
call 'no OpenCL driver: a job on native' 0 'volume.npy' "export OCL_ICD_VENDORS=/nowhere; $here"

# Nor the OpenCL loader, to which neither program nor library is linked. A driver that is registered all the same is not touched.
if ! (LD_AUDIT="$hide" HIDDEN_LIBRARIES=libz.so.1 "$parallax" --version) > "$work/said" 2>&1 && grep -q 'cannot open shared object' "$work/said"; then
    without='export LD_AUDIT="$hide" HIDDEN_LIBRARIES=libOpenCL.so.1 SEARCHED_LIBRARIES="$PWD/searched" OCL_ICD_VENDORS="$PWD"; echo libno-driver.so > no-driver.icd'
    call 'no OpenCL loader: what there is' 0 'loader is not there: .*ocl-icd-libopencl1' "$without; \"\$parallax\" devices"
    call 'no OpenCL loader: a job that asks for no device' 0 'volume.npy' "$without; sed 's/\"device\": *{[^}]*},//' \"\$work/job.json\" > free.json; \"\$parallax\" run free.json --out out --quiet && ls out"
    call 'no OpenCL loader: what a job is told, in one line' 0 '^1$' "$without; sed 's/\"device\": *{[^}]*},//' \"\$work/job.json\" > free.json; \"\$parallax\" run free.json --out out 2>&1 | grep -c 'loader is not there.*native'"
    call 'no OpenCL loader: a job for OpenCL' 1 'loader is not there' "$without; \"\$parallax\" run \"\$work/numbers.json\" --device opencl --out out"
    call 'no OpenCL loader: no driver is touched' 0 '^0$' "$without; \"\$parallax\" devices > /dev/null 2>&1; grep -q libOpenCL searched && grep -c no-driver searched || true"
    call 'no OpenCL loader: the library inside another program' 0 '"steps"' "$without; \"\$host\" native \"\$work/job.json\" out"
else
    echo "left out: a machine without the OpenCL loader, since this system's loader of programs knows no LD_AUDIT"
fi

# Standard streams that are closed, full, or read by nobody: never an output that is less than whole.
"$parallax" run "$work/job.json" --out "$work" --quiet
for row in '0:2>&-' '0:<&-' '0:2>&- <&-' '1:>&-' '1:>&- 2>&- <&-' '1:> /dev/full' '0:2> /dev/full' '141:> >(exit 0)' '0:2> >(exit 0)' '0:2> >(head -c1 > /dev/null)'; do
    call "run with ${row#*:}" 0 "^${row%%:*} the same" "\"\$parallax\" run \"\$work/job.json\" --out out --json --verbose > /dev/null 2> /dev/null ${row#*:}; s=\$?; cmp out/volume.npy \"\$work/volume.npy\" && echo \$s the same"
done
for command in devices algorithms 'algorithms hologram' 'init hologram' schema 'devices --json' '--help'; do
    call "$command | head -1" 0 '^(0|141) 0$' "\"\$parallax\" $command 2> errors | head -1 > /dev/null; echo \${PIPESTATUS[@]}; cat errors"
    call "$command > /dev/full" 0 '^1$' "\"\$parallax\" $command > /dev/full 2> /dev/null; echo \$?"
done

# A stop is heard while the host computes, which has no launches to be asked before.
call 'Ctrl-C while the native device computes for hours' 0 '^1 0$' 'echo "{ \"parallax\": 1, \"device\": { \"backend\": \"native\" }, \"steps\": [ { \"run\": \"phantom\", \"kind\": \"menger\", \"size\": 81 },
    { \"run\": \"diffusion_lb\", \"iterations\": 100000, \"in\": { \"image\": \"volume\" } } ], \"outputs\": { \"image\": \"o.npy\" } }" > long.json
    set -m; "$parallax" run long.json --quiet 2> said & sleep 2; kill -INT $!; wait $!; echo $? $(ls | grep -c npy); cat said'

call 'Ctrl-C where whoever started it has it ignored, as scripts have for what they put behind them' 0 'still there' 'echo "{ \"parallax\": 1, \"device\": { \"backend\": \"native\" }, \"steps\": [ { \"run\": \"phantom\", \"kind\": \"menger\", \"size\": 81 },
    { \"run\": \"diffusion_lb\", \"iterations\": 100000, \"in\": { \"image\": \"volume\" } } ], \"outputs\": { \"image\": \"o.npy\" } }" > long.json
    "$parallax" run long.json --quiet 2> said & sleep 1; kill -INT $!; sleep 1; kill -0 $! && echo still there; kill -KILL $!'

# Several threads open their engines at once, the first of the process: PoCL lists its devices for the first that asks, and only then for others.
for _ in 1 2 3 4 5; do
    call 'engines of four threads, the first of the process' 0 '^4 opened' '"$bin/calling_threads" cpu 4'
done

# Locales: those that are not there, those where i has another capital, those that write 1.234,5.
numbers='cat focus.json value.csv && cksum < amplitude.npy'
"$parallax" run "$work/numbers.json" --device native --out "$work" --quiet
expected="$(cd "$work" && eval "$numbers")"
export expected numbers
compare='cd out && [ "$(eval "$numbers")" = "$expected" ] && echo the same'
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" > /dev/null 2>&1 && export LOCPATH="$work" || echo "left out: the locale de_DE cannot be made (package locales)"
for locale in C POSIX C.UTF-8 tr_TR.UTF-8 de_DE.UTF-8 xx_XX ''; do
    call "LC_ALL=$locale" 0 'the same' "LC_ALL=$locale LANG=$locale \"\$parallax\" run \"\$work/numbers.json\" --device native --out out --quiet; $compare"
done
call 'the library inside another program, by PATH and from elsewhere' 0 '"steps"' 'PATH="$(dirname "$host"):$PATH"; cd / && calling_host native "$work/job.json" "$OLDPWD/out"'
call 'a host application whose C++ locale writes 1.234,5' 0 'the same' "\"\$host\" native \"\$work/numbers.json\" out grouped > report && $compare"
[ -z "${LOCPATH:-}" ] || call 'a host application in German' 0 'the same' "\"\$host\" native \"\$work/numbers.json\" out de_DE.UTF-8 > report && $compare"
# A series that was begun in another locale is the same series, and names are read as they are: also where i has another capital, and
# where bytes above 127 count as letters.
cat > "$work/series.json" <<'J'
{ "parallax": 1, "for_each": { "frame": "*.PGM" }, "inputs": { "hologram": "{frame}" },
  "steps": [ { "run": "hologram", "wavelength_nm": 482.7, "pixel_um": 4.19, "distance_um": 2446.5 } ], "outputs": { "amplitude": "{frame.stem}.TIF" } }
J
printf 'P5\n8 8\n255\n%064d' 0 > "$work/i.PGM"
localedef -i tr_TR -f ISO-8859-9 "$work/tr_TR.ISO-8859-9" > /dev/null 2>&1 || echo "left out: the locale tr_TR.ISO-8859-9 cannot be made"
for locale in grouped $([ ! -d "$work/de_DE.UTF-8" ] || echo de_DE.UTF-8) $([ ! -d "$work/tr_TR.ISO-8859-9" ] || echo tr_TR.ISO-8859-9); do
    call "a series that goes on in a host application whose locale is $locale" 0 '"before": *1' \
        "cp \"\$work/i.PGM\" . && cp \"\$work/series.json\" job.json && \"\$parallax\" run job.json --device native --out out --quiet &&
         \"\$host\" native job.json out $locale resume"
done

# VkFFT prints numbers into the text of its kernels: the locale must change none. The program cache names a program by its text.
export XDG_CACHE_HOME="$work/programs"
if ! "$parallax" devices | grep ' opencl ' > "$work/said"; then
    echo "left out: VkFFT in other locales, which needs an OpenCL device"
elif ! "$host" opencl "$work/transform.json" "$work/plain" > "$work/said" 2>&1 && grep -q 'without VkFFT' "$work/said"; then
    echo "left out: VkFFT in other locales, since this build is without VkFFT"
else
    [ -n "${without:-}" ] && sed 's/vkfft/clfft/' "$work/transform.json" > "$work/clfft.json" &&
        call 'no clFFT: a transform by it' 1 "clFFT's library cannot be loaded|without clFFT" \
            'LD_AUDIT="$hide" HIDDEN_LIBRARIES=libclFFT.so.2 "$parallax" run "$work/clfft.json" --device opencl --out out'
    export programs; programs="$(ls --ignore='driver-*' "$XDG_CACHE_HOME/parallax")"   # verdicts on drivers depend on the environment
    for locale in grouped ${LOCPATH:+de_DE.UTF-8}; do
        call "VkFFT in a host application whose locale is $locale" 0 'the same' \
            "\"\$host\" opencl \"\$work/transform.json\" out $locale > report && cmp out/array.npy \"\$work/plain/array.npy\" &&
             [ -n \"\$programs\" ] && [ \"\$(ls --ignore='driver-*' \"\$XDG_CACHE_HOME/parallax\")\" = \"\$programs\" ] && echo the same"
    done
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
