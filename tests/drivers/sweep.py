#!/usr/bin/env python3
"""Drivers that misbehave, beside one that works: every command names them, leaves them out, and does its work.

sweep.py PARALLAX FOLDER [HOST]: FOLDER holds the fake drivers; HOST is a program with the library in it. Needs a working driver in OCL_ICD_VENDORS.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
host = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
good = open(os.environ["OCL_ICD_VENDORS"]).read()
work = tempfile.mkdtemp(prefix="parallax-drivers-test-")
failures = []
checks = 0

JOB = {"parallax": 1, "steps": [{"id": "noise", "run": "noise", "kind": "gaussian", "variance": .01, "in": {"image": "image"}}, {"run": "box_filter", "radius": 2}],
       "inputs": {"image": "in.npy"}, "outputs": {"image": "out.npy"}}

BAD = {  # the library, and words that the message must hold
    "abort": ("libplx_fake_abort.so", ["left out", "while it was loaded", "signal 6", "nothing works here"]),
    "segfault": ("libplx_fake_segfault.so", ["left out", "platforms were listed", "signal 11"]),
    "exit": ("libplx_fake_exit.so", ["left out", "while it was loaded", "exit status 0"]),
    "hang": ("libplx_fake_hang.so", ["left out", "did not come to an end", "platforms were listed"]),
    "spin": ("libplx_fake_spin.so", ["left out", "did not come to an end", "platforms were listed"]),
}


def check(what, holds, why=""):
    global checks
    checks += 1
    if not holds:
        failures.append(what)
        print(f"FAILED {what}: {why[-1500:]}", flush=True)


def run(arguments, **variables):
    environment = {**os.environ, "PARALLAX_DRIVER_TIMEOUT_S": "3", **{name: str(value) for name, value in variables.items()}}
    begun = time.monotonic()
    done = subprocess.run(arguments, cwd=work, env=environment, capture_output=True, text=True, timeout=300, errors="replace")
    done.seconds = time.monotonic() - begun
    return done


# Of a program that is built with a sanitizer. It wants to be loaded before all, and to say itself what a fault is.
runtimes = re.findall(r"=> (\S*lib[at]san\S*)", subprocess.run(["ldd", program], capture_output=True, text=True).stdout) if shutil.which("ldd") else []
if runtimes:
    os.environ["ASAN_OPTIONS"] = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "handle_segv=0"]))


def before_all(library):
    """For LD_PRELOAD."""
    return ":".join([*runtimes, library])


def vendors(name, files):
    place = os.path.join(work, "vendors-" + name)
    os.makedirs(place, exist_ok=True)
    for file, text in files.items():
        with open(os.path.join(place, file), "w") as out:
            out.write(text)
    return place


def write_inputs():
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (16, 24), }"
    header += " " * (63 - (10 + len(header)) % 64 + 1 - 1) + "\n"
    while (10 + len(header)) % 64:
        header = header[:-1] + " \n"
    with open(os.path.join(work, "in.npy"), "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(range(256)) + bytes(128))
    for name, device in (("job", None), ("native", {"backend": "native"})):
        job = {**JOB, "steps": [{"run": "box_filter", "radius": 2}]}
        if device:
            job["device"] = device
        with open(os.path.join(work, name + ".json"), "w") as out:
            json.dump(job, out)


def commands(name):
    """Arguments, and whether drivers are touched."""
    return [
        (["devices"], True),
        (["devices", "--json"], True),
        (["run", "job.json", "--overwrite"], True),
        (["plan", "job.json"], True),
        (["selftest", "--algorithm", "box_filter", "--quiet"], True),
        (["compare", "--job", "job.json", "--quick", "--quiet", "--overwrite", "--out", "compared-" + name], True),
        (["run", "job.json", "--device", "native", "--overwrite"], False),
        (["run", "native.json", "--overwrite"], False),
    ]


def sweep():
    cache = os.path.join(work, "cache")
    for name, (library, words) in BAD.items():
        place = vendors(name, {"a.icd": os.path.join(folder, library) + "\n", "good.icd": good})
        for arguments, touched in commands(name):
            what = f"{name}: {' '.join(arguments)}"
            done = run([program, *arguments], OCL_ICD_VENDORS=place, PARALLAX_CACHE_DIR=cache)
            said = done.stderr + done.stdout
            check(what, done.returncode == 0, f"status {done.returncode}\n{said}")
            if arguments[0] == "run":
                check(what + " has its output", os.path.exists(os.path.join(work, "out.npy")))
                if os.path.exists(os.path.join(work, "out.npy")):
                    os.remove(os.path.join(work, "out.npy"))
            if touched:
                check(what + " names the driver", library in said and all(word in said for word in words), said)
            else:
                check(what + " touches no driver", library not in said, said)
            if arguments == ["devices", "--json"] and done.returncode == 0:
                check(what + " lists the others", any(device["backend"] == "opencl" for device in json.loads(done.stdout)["devices"]), said)
        if host:
            done = run([host], OCL_ICD_VENDORS=place, PARALLAX_CACHE_DIR=cache)
            check(f"{name}: in a host application", done.returncode == 0 and library in done.stdout and '"opencl"' in done.stdout, done.stdout + done.stderr)


def alone():
    """The bad driver is the only one: the job runs on the native device, and one line says so."""
    for name, (library, _) in BAD.items():
        place = vendors("only-" + name, {"a.icd": os.path.join(folder, library) + "\n"})
        done = run([program, "run", "job.json", "--overwrite", "--quiet"], OCL_ICD_VENDORS=place, PARALLAX_CACHE_DIR=os.path.join(work, "cache"))
        lines = [line for line in done.stderr.splitlines() if "runs on the native device" in line]
        check(f"{name} alone: run", done.returncode == 0 and len(lines) == 1, done.stderr)
        if name in ("hang", "spin"):
            continue   # each place is waited for anew
        for how, place in (("as a file", os.path.join(place, "a.icd")), ("as a library", os.path.join(folder, library))):
            done = run([program, "devices"], OCL_ICD_VENDORS=place, PARALLAX_CACHE_DIR=os.path.join(work, "cache"))
            check(f"{name} {how}: devices", done.returncode == 0 and library in done.stderr and "native" in done.stdout, done.stderr)


def harmless():
    """What the loader passes over is told, and nothing more."""
    for name, text, word in (("garbage", os.path.join(work, "garbage.so") + "\n", "cannot be loaded"), ("missing", "libplx_there_is_none.so\n", "cannot be loaded"),
                             ("empty", "", "names no library")):
        with open(os.path.join(work, "garbage.so"), "w") as out:
            out.write("this is no library\n" * 100)
        place = vendors(name, {"a.icd": text, "good.icd": good})
        done = run([program, "devices"], OCL_ICD_VENDORS=place)
        check(f"{name}: devices", done.returncode == 0 and word in done.stderr and " opencl " in done.stdout, done.stderr)
        done = run([program, "run", "job.json", "--overwrite"], OCL_ICD_VENDORS=place)
        check(f"{name}: run", done.returncode == 0, done.stderr)
    done = run([program, "run", "job.json", "--overwrite"], OCL_ICD_VENDORS=vendors("none", {}))
    check("no driver at all: run", done.returncode == 0 and done.stderr.count("runs on the native device") == 1, done.stderr)
    done = run([program, "run", "job.json", "--overwrite", "--device", "gpu"], OCL_ICD_VENDORS=vendors("none", {}))
    check("no driver at all: a gpu was asked for", done.returncode == 1 and "no device meets" in done.stderr, done.stderr)


def registered_twice():
    library = good.strip()
    copy = os.path.join(work, "copy.so")
    for name, second in (("the same file", library), ("a copy", copy)):
        if second == copy:
            said = run([os.path.join(os.path.dirname(program), "parallax-driver"), "probe", "60", library]).stdout
            shutil.copy(next(line[7:] for line in said.splitlines() if line.startswith("loaded ")), copy)
        place = vendors("twice-" + name.replace(" ", "-"), {"a.icd": good, "b.icd": second + "\n"})
        once = json.loads(run([program, "devices", "--json"]).stdout)["devices"]
        done = run([program, "devices", "--json"], OCL_ICD_VENDORS=place)
        both = json.loads(done.stdout)["devices"] if done.returncode == 0 else []
        check(f"registered twice, {name}", len(both) == len(once), done.stdout + done.stderr)
    if "pocl" in library:
        done = run([program, "devices", "--json"], POCL_DEVICES="pthread pthread")
        check("two devices of one platform", len([d for d in json.loads(done.stdout)["devices"] if d["backend"] == "opencl"]) == 2, done.stdout)


def verdicts():
    """A good verdict is kept; a driver that hangs is waited for once."""
    cache = os.path.join(work, "cache-verdicts")
    place = vendors("only-hang", {"a.icd": os.path.join(folder, "libplx_fake_hang.so") + "\n"})
    first = run([program, "devices"], OCL_ICD_VENDORS=place, PARALLAX_CACHE_DIR=cache)
    second = run([program, "devices"], OCL_ICD_VENDORS=place, PARALLAX_CACHE_DIR=cache)
    check("a hang is waited for once", first.seconds > 3 and second.seconds < 3 and "left out" in second.stderr, f"{first.seconds} s, {second.seconds} s")
    third = run([program, "devices"], OCL_ICD_VENDORS=place, PARALLAX_CACHE_DIR=cache, PARALLAX_DRIVER_TIMEOUT_S=5)
    check("with a higher limit it is tried again", third.seconds > 5 and "within 5 s" in third.stderr, f"{third.seconds} s, {third.stderr}")
    fourth = run([program, "devices"], OCL_ICD_VENDORS=place, PARALLAX_CACHE_DIR=cache)
    check("with a lower one it is not", fourth.seconds < 3 and "within 5 s" in fourth.stderr, f"{fourth.seconds} s, {fourth.stderr}")
    nowhere = run([program, "run", "job.json", "--overwrite"], PARALLAX_DRIVER="/nowhere", PARALLAX_CACHE_DIR="off")
    check("a helper that is not there", nowhere.returncode == 0 and 'PARALLAX_DRIVER is "/nowhere", which is no program' in nowhere.stderr, nowhere.stderr)
    for given in ("soon", "5 minutes", "1,5", "0x10", "5s"):
        soon = run([program, "run", "job.json", "--overwrite"], PARALLAX_DRIVER_TIMEOUT_S=given, PARALLAX_CACHE_DIR="off")
        check(f"a limit of {given}", soon.returncode == 0 and f'is "{given}", and not a number of seconds above 0: 30 are taken' in soon.stderr, soon.stderr)
    # A child that somebody else ends says nothing of its driver.
    helper, flag = os.path.join(work, "ended-once"), os.path.join(work, "ended")
    with open(helper, "w") as out:
        out.write(f'#!/bin/sh\n[ -e {flag} ] || {{ touch {flag}; kill -TERM $$; }}\nexec {os.path.join(os.path.dirname(program), "parallax-driver")} "$@"\n')
    os.chmod(helper, 0o755)
    ended, after = (run([program, "devices"], PARALLAX_CACHE_DIR=cache, PARALLAX_DRIVER=helper) for _ in range(2))
    check("a trial that others end", "signal 15" in ended.stderr and "tried again the next time" in ended.stderr, ended.stderr)
    check("a trial that others have ended is made anew", after.returncode == 0 and "left out" not in after.stderr and " opencl " in after.stdout, after.stderr)
    off = run([program, "devices"], PARALLAX_DRIVER="off")
    check("without the helper", off.returncode == 0 and " opencl " in off.stdout, off.stderr)


def starved():
    """One that would compute, if others did not have the processors, is waited for; one that gets nothing is given up by the clock."""
    places = {name: vendors(name, {"a.icd": os.path.join(folder, f"libplx_fake_{name}.so") + "\n", "good.icd": good}) for name in ("slow", "stopped")}
    # The trial has a sixth of one processor.
    one = str(min(os.sched_getaffinity(0)))
    helper = os.path.join(work, "on-one-processor")
    with open(helper, "w") as out:
        out.write(f'#!/bin/sh\nexec taskset -c {one} {os.path.join(os.path.dirname(program), "parallax-driver")} "$@"\n')
    os.chmod(helper, 0o755)
    others = [subprocess.Popen(["taskset", "-c", one, sys.executable, "-c", "while True: pass"]) for _ in range(5)]
    try:
        done = run([program, "devices"], OCL_ICD_VENDORS=places["slow"], PARALLAX_CACHE_DIR="off", PARALLAX_DRIVER=helper)
    finally:
        for other in others:
            other.kill()
            other.wait()
    check("a slow driver on a busy machine", done.returncode == 0 and done.seconds > 6 and "libplx_fake_slow.so" not in done.stderr, f"{done.seconds} s, {done.stderr}")
    done = run([program, "devices"], OCL_ICD_VENDORS=places["stopped"], PARALLAX_CACHE_DIR="off", PARALLAX_DRIVER_TIMEOUT_S=".5")
    check("a driver that is stopped", done.returncode == 0 and "libplx_fake_stopped.so" in done.stderr and "within 5 s" in done.stderr and 4.5 < done.seconds < 20,
          f"{done.seconds} s, {done.stderr}")


def compiler():
    """A compiler that aborts ends a child. The job is refused with the reason, or another variant does it; the next process knows already."""
    preload = before_all(os.path.join(folder, "libplx_aborting_compiler.so"))
    cache, log = os.path.join(work, "cache-compiler"), os.path.join(work, "compiled.txt")
    job = {"parallax": 1, "steps": [{"run": "box_filter", "radius": 2, "variant": "simd"}], "inputs": {"image": "in.npy"}, "outputs": {"image": "out.npy"}}
    with open(os.path.join(work, "simd.json"), "w") as out:
        json.dump(job, out)
    for attempt in (1, 2):
        done = run([program, "run", "simd.json", "--overwrite"], LD_PRELOAD=preload, ABORT_AT="box_filter/simd.cl", PARALLAX_CACHE_DIR=cache)
        check(f"a compiler that aborts, attempt {attempt}", done.returncode == 1 and "signal 6" in done.stderr and "Assertion" in done.stderr, f"{done.returncode} {done.stderr}")
    check("the verdict is remembered", "kept in" in done.stderr, done.stderr)
    # It holds for a while, but not for a process in other circumstances.
    for what, variables, status in (("the same circumstances", {}, 1), ("other circumstances", {"POCL_DEBUG": "none"}, 0)):
        done = run([program, "run", "simd.json", "--overwrite"], LD_PRELOAD=preload, PARALLAX_CACHE_DIR=cache, **variables)
        check(f"a verdict in {what}", done.returncode == status, done.stderr)
    # The same without the fault: compiled once, by the child alone, and then never again.
    for attempt in (1, 2):
        done = run([program, "run", "simd.json", "--overwrite"], LD_PRELOAD=preload, COUNT_IN=log, COUNT_OF="box_filter/simd.cl", PARALLAX_CACHE_DIR=os.path.join(work, "cache-sound"))
        check(f"a sound compiler, attempt {attempt}", done.returncode == 0, done.stderr)
        if attempt == 1:
            compiled = len(open(log).readlines())
    check("nothing is compiled twice", len(open(log).readlines()) == compiled and compiled > 0, str(compiled))
    # Four cold starts at once compile each program once.
    os.remove(log)
    environment = {**os.environ, "LD_PRELOAD": preload, "COUNT_IN": log, "COUNT_OF": "box_filter/simd.cl", "PARALLAX_CACHE_DIR": os.path.join(work, "cache-race")}
    started = [subprocess.Popen([program, "run", "simd.json", "--overwrite", "--quiet", "--out", f"race-{i}"], cwd=work, env=environment, stderr=subprocess.PIPE, text=True)
               for i in range(4)]
    for process in started:
        error = process.communicate()[1]
        check("four cold starts", process.returncode == 0, error)
    raced = len(open(log).readlines())
    check("four cold starts compile each program once", raced == compiled, f"{raced} compilations, one process alone {compiled}")
    check("no lock is left", not [name for name in os.listdir(os.path.join(work, "cache-race")) if name.endswith(".lock")])


def launches():
    """PoCL compiles again when a kernel is launched: in a child first, and a child that it ends is not followed."""
    if "pocl" not in good or runtimes:   # the child of a build with a sanitizer tries no launches
        return
    preload = before_all(os.path.join(folder, "libplx_aborting_compiler.so"))
    log, kept = os.path.join(work, "launches.txt"), os.path.join(work, "pocl")
    cold = dict(LD_PRELOAD=preload, LAUNCHES_IN=log, PARALLAX_CACHE_DIR=os.path.join(work, "cache-launches"), POCL_CACHE_DIR=kept)
    for attempt in (1, 2):
        if os.path.exists(log):
            os.remove(log)
        done = run([program, "run", "simd.json", "--overwrite"], **cold)
        check(f"launches, attempt {attempt}", done.returncode == 0, done.stderr)
        who = [line.split()[0] for line in open(log) if line.endswith(" simd\n")]   # probes are launched when they are needed, now and then
        check(f"launches of a child, attempt {attempt}", ("parallax-driver" in who) == (attempt == 1) and "parallax" in who, str(who))
        binaries = [os.path.join(path, name) for path, _, names in os.walk(kept) for name in names if name.endswith(".so")]
        check(f"what PoCL has compiled, attempt {attempt}", binaries and not [name for name in binaries if "/0-0-0" in name], str(binaries))
    for attempt in (1, 2):
        done = run([program, "run", "simd.json", "--overwrite"], LD_PRELOAD=preload, ABORT_LAUNCH="simd", PARALLAX_CACHE_DIR=os.path.join(work, "cache-launch"))
        check(f"a compiler that aborts at a launch, attempt {attempt}", done.returncode == 1 and "signal 6" in done.stderr and "Assertion" in done.stderr and "kernel simd" in done.stderr,
              f"{done.returncode} {done.stderr}")
    check("the verdict on a launch is remembered", "kept in" in done.stderr, done.stderr)


def caches():
    """A cache that cannot be used is warned of once, with the remedy."""
    with open(os.path.join(work, "file"), "w") as out:
        out.write("not a folder")
    places = [("a file", os.path.join(work, "file")), ("below a file", os.path.join(work, "file", "x"))]
    if os.path.isdir("/proc"):
        places.append(("read-only", "/proc"))
    for name, place in places:
        done = run([program, "run", "simd.json", "--overwrite"], PARALLAX_CACHE_DIR=place)
        check(f"cache in {name}", done.returncode == 0 and done.stderr.count("program cache") == 1 and "PARALLAX_CACHE_DIR" in done.stderr, done.stderr)
    done = run([program, "run", "simd.json", "--overwrite", "--device", "native"], PARALLAX_CACHE_DIR=os.path.join(work, "file"))
    check("no cache is needed on the native device", "program cache" not in done.stderr, done.stderr)
    done = run([program, "run", "job.json", "--overwrite"], PARALLAX_CACHE_DIR="off")
    check("cache off", done.returncode == 0 and "program cache" not in done.stderr, done.stderr)


write_inputs()
try:
    for part in (sweep, alone, harmless, registered_twice, verdicts, starved, compiler, launches, caches):
        begun = time.monotonic()
        part()
        print(f"{part.__name__}: {time.monotonic() - begun:.1f} s", flush=True)
finally:
    shutil.rmtree(work, ignore_errors=True)
print(f"{checks} checks, {len(failures)} failed")
sys.exit(1 if failures else 0)
