#!/usr/bin/env python3
"""Compiles every kernel file by the vendors' own compilers, without their hardware, and writes what each kernel takes of a
device into docs/results/kernels.md: a register or a spill more shows up in review.

    tools/kernel_table.py [--tools DIR] [--jobs N] [--only TEXT]

AMD: clang 19 with ROCm's device libraries. Intel: ocloc. NVIDIA: NVRTC. What is not installed is taken from Debian's
packages, unpacked below DIR (default: build/vendor) and not installed: an Intel driver without a device would be in the way of
others. NVRTC is looked for below CUDA_PATH and /usr/local/cuda. A vendor whose compiler cannot be had is left out, and said so.
"""
import argparse
import concurrent.futures
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = os.path.join(ROOT, "kernels_cl")
PACKAGES = ["clang-19", "libclang-cpp19", "libllvm19", "libclang-common-19-dev", "rocm-device-libs",
            "intel-opencl-icd", "libigc1", "libigdfcl1", "libigdgmm12", "libopencl-clang14", "libllvmspirvlib14"]
AMD, INTEL, NVIDIA = ["gfx906", "gfx90a", "gfx1030"], ["skl", "dg2", "pvc"], ["sm_75", "sm_90"]


def unpack(folder):
    """Debian's packages below `folder`; returns where their files are."""
    root = os.path.join(folder, "root")
    if os.path.exists(os.path.join(root, "usr/bin/ocloc")):
        return root
    os.makedirs(root, exist_ok=True)
    got = subprocess.run(["apt-get", "download", *PACKAGES], cwd=folder, capture_output=True, text=True)
    if got.returncode != 0:
        print(f"kernel_table: apt-get download failed: {got.stderr.strip()[-300:]}", file=sys.stderr)
    for package in glob.glob(os.path.join(folder, "*.deb")):
        subprocess.run(["dpkg", "-x", package, root], check=True)
    return root


def flattened(path, seen=None):
    """Text of a kernel file with everything that it includes."""
    seen = set() if seen is None else seen
    if path in seen:
        return ""
    seen.add(path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
        for folder in (KERNELS, os.path.dirname(path)):
            if os.path.exists(os.path.join(folder, name)):
                text += flattened(os.path.join(folder, name), seen)
                break
    return text


class Amd:
    def __init__(self, root):
        self.library = os.path.join(root, "usr/lib/x86_64-linux-gnu")
        self.clang = os.path.join(root, "usr/lib/llvm-19/bin/clang-19")
        self.bitcode = os.path.join(self.library, "amdgcn/bitcode")
        self.environment = dict(os.environ, LD_LIBRARY_PATH=self.library)
        self.version = "clang 19, ROCm device libraries 5.2"

    def there(self):
        return os.path.exists(self.clang) and os.path.isdir(self.bitcode)

    def why_not(self, text):
        return "inline PTX" if "prelude/warp.clh" in text else None

    def compile(self, path, target):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([self.clang, "-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}",
                                   f"--rocm-device-lib-path={self.bitcode}", "-I", KERNELS, "-O3", "-c", path, "-o",
                                   os.path.join(folder, "k.o"), "-Rpass-analysis=kernel-resource-usage"],
                                  capture_output=True, text=True, env=self.environment)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        kernels = {}
        for remark in re.findall(r"remark:\s+(.*?) \[-Rpass", done.stderr):
            key, value = remark.rsplit(": ", 1)
            if key == "Function Name":
                current = kernels.setdefault(value, {})
            else:
                current[key.split(" [")[0]] = value
        return {name: (f"v{k['VGPRs']} s{k['SGPRs']} lds{k['LDS Size']} waves{k['Occupancy']}", int(k["ScratchSize"]))
                for name, k in kernels.items()}


class Intel:
    def __init__(self, root):
        self.ocloc = os.path.join(root, "usr/bin/ocloc")
        self.environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(root, "usr/lib/x86_64-linux-gnu"))
        self.version = "ocloc 22.43 (IGC 1.0.12504)"

    def there(self):
        return os.path.exists(self.ocloc)

    why_not = Amd.why_not

    def compile(self, path, target):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([self.ocloc, "compile", "-file", path, "-device", target, "--format", "zebin", "-out_dir", folder,
                                   "-options", f"-cl-std=CL1.2 -I {KERNELS}"], capture_output=True, text=True, env=self.environment)
            binaries = glob.glob(os.path.join(folder, "*.bin"))
            if done.returncode != 0 or not binaries:
                raise RuntimeError(done.stdout + done.stderr)
            with open(binaries[0], "rb") as file:
                data = file.read()
        # .ze_info is YAML text between "kernels:" and "...".
        start = data.index(b"\nkernels:")
        text = data[start:data.index(b"\n...", start)].decode("ascii", "replace")
        text = text.split("\nkernels_misc_info:")[0]
        kernels = {}
        for block in re.split(r"\n  - name: +", text)[1:]:
            number = lambda key, otherwise=0: int((re.search(rf"\b{key}: +(\d+)", block) or [0, otherwise])[1])
            # Buffers of each thread: what does not fit into registers goes there, whatever it is called.
            spilled = sum(int(size) for size in re.findall(r"- type: +(?:scratch|single_space)[\s\S]*?size: +(\d+)", block))
            private = sum(int(size) for size in re.findall(r"usage: +private_space[\s\S]*?size: +(\d+)", block))
            kernels[block.split("\n")[0].strip()] = (
                f"simd{number('simd_size')} grf{number('grf_count')} slm{number('slm_size')}" + (f" private{private}" if private else ""), spilled)
        return kernels


class Nvidia:
    def __init__(self):
        places = [os.environ.get("CUDA_PATH", ""), "/usr/local/cuda", "/opt/cuda"]
        found = [f for p in places if p for sub in ("lib", "lib64") for f in sorted(glob.glob(os.path.join(p, sub, "libnvrtc.so*")))]
        self.library = None
        for name in found + ["libnvrtc.so.12", "libnvrtc.so.13"]:
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError:
                continue
        self.version = ""
        if self.library:
            major, minor = ctypes.c_int(), ctypes.c_int()
            self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
            self.version = f"NVRTC {major.value}.{minor.value}"

    def there(self):
        return self.library is not None

    def why_not(self, text):
        banner = re.match(r"(?://.*\n)*", text).group()
        return "OpenCL only" if re.search(r"^// backends: opencl\s*$", banner, re.M) else None

    def compile(self, path, target):
        with open(path, encoding="utf-8") as file:
            text = file.read().encode()
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), text, os.path.basename(path).encode(), 0, None, None)
        options = [f"--gpu-architecture={target}", "--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true",
                   "--device-as-default-execution-space", f"-I{KERNELS}", f"-I{os.path.dirname(path)}", "--ptxas-options=-v"]
        status = self.library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*[o.encode() for o in options]))
        size = ctypes.c_size_t()
        self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetProgramLog(program, log)
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        log = log.value.decode()
        if status != 0:
            raise RuntimeError(log)
        kernels = {}
        for block in re.split(r"Compiling entry function '", log)[1:]:
            number = lambda pattern: int((re.search(pattern, block) or [0, 0])[1])
            spilled = number(r"(\d+) bytes spill stores") + number(r"(\d+) bytes spill loads")
            registers, shared, stack = number(r"Used (\d+) registers"), number(r"(\d+) bytes smem"), number(r"(\d+) bytes stack frame")
            kernels[block.split("'")[0]] = (f"r{registers} smem{shared} stack{stack}", spilled)
        return kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default=os.path.join(ROOT, "build/vendor"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="files whose path holds this text; nothing is written then")
    arguments = parser.parse_args()
    root = unpack(os.path.abspath(arguments.tools))
    vendors = [(Amd(root), AMD), (Intel(root), INTEL), (Nvidia(), NVIDIA)]
    for compiler, targets in vendors:
        if not compiler.there():
            print(f"kernel_table: no compiler for {', '.join(targets)}: left out", file=sys.stderr)
    columns = [(compiler, target) for compiler, targets in vendors if compiler.there() for target in targets]

    # Probes may fail: that is what they are for.
    files = sorted(os.path.relpath(p, KERNELS) for p in glob.glob(os.path.join(KERNELS, "**/*.cl"), recursive=True))
    files = [f for f in files if not f.startswith(("probe/", "prelude/")) and arguments.only in f]

    def work(item):
        file, compiler, target = item
        path = os.path.join(KERNELS, file)
        reason = "for CPUs" if "simd" in os.path.basename(file) else compiler.why_not(flattened(path))
        if reason:
            return item, reason, None
        try:
            return item, None, compiler.compile(path, target)
        except RuntimeError as error:
            return item, "fails", str(error)

    cells, kernels_of, failures, compiled = {}, {}, [], 0
    items = [(file, compiler, target) for file in files for compiler, target in columns]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (file, compiler, target), reason, result in pool.map(work, items):
            if reason == "fails":
                failures.append(f"{file} for {target}:\n{result.strip()[:2000]}")
            if reason:
                cells[file, None, target] = reason
                continue
            compiled += 1
            for kernel, cell in result.items():
                kernels_of.setdefault(file, set()).add(kernel)
                cells[file, kernel, target] = cell

    lines, spills = [], []
    for file in files:
        for kernel in sorted(kernels_of.get(file, {""})):
            row = []
            for _, target in columns:
                cell = cells.get((file, kernel, target)) or cells.get((file, None, target), "none")
                if isinstance(cell, tuple):
                    if cell[1]:
                        spills.append(f"- `{file}` `{kernel}` on {target}: {cell[1]} bytes")
                    cell = cell[0] + (f" **spill{cell[1]}**" if cell[1] else "")
                row.append(cell)
            lines.append(f"| {file} | {kernel} | " + " | ".join(row) + " |")

    text = [
        "# What each kernel takes of a device", "",
        "You want to know what a kernel takes on hardware that is not at hand: registers, local memory, spills.", "",
        "Written by `tools/kernel_table.py`, which compiles every kernel file with its default defines by the vendors' own compilers:",
        "; ".join(sorted({c.version for c, _ in columns})) + ".", "",
        f"{compiled} compilations for {len(columns)} targets, {len(failures)} failures, {len(spills)} with memory for spilled registers.", "",
        "- AMD (gfx906 Vega 20, gfx90a MI200, gfx1030 RDNA 2): vector and scalar registers, bytes of local memory, waves a SIMD can hold.",
        "- Intel (skl Gen 9, dg2 Arc, pvc Data Center GPU Max): SIMD width, registers, bytes of local memory, bytes of private arrays.",
        "- NVIDIA (sm_75 Turing, sm_90 Hopper): registers, bytes of static shared memory, bytes of stack.",
        "- **spill**: bytes of scratch memory a work-item (AMD), a thread (Intel), or spill stores and loads (NVIDIA).", "",
        "## Spills", "", *(spills or ["None."]), "", "## Kernels", "",
        "| file | kernel | " + " | ".join(t for _, t in columns) + " |", "|---|---|" + "---|" * len(columns), *lines, ""]
    if not arguments.only:
        target = os.path.join(ROOT, "docs/results/kernels.md")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write("\n".join(text))
    else:
        print("\n".join(text))
    for failure in failures:
        print(f"FAILED {failure}\n", file=sys.stderr)
    print(f"{compiled} compilations, {len(failures)} failures, {len(spills)} spills", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
