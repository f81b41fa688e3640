#!/usr/bin/env python3
"""Test suites that others wrote, file by file: read right, or refused in words that are true.

    tests/foreign/suites.py --program build/bin/parallax --work FOLDER [--list]

Fetched by package name: pydicom, nibabel, scikit-image, SciPy, NumPy, h5py and astropy bring files along, Pillow's source distribution and Debian's source
packages tiff and libpng1.6 hold theirs. What cannot be had is skipped and said. Held against what a virtual environment in FOLDER
has: NumPy, Pillow, tifffile, nibabel, pydicom, SciPy, h5py, astropy. Ends with 77 where that cannot be made.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tarfile

PACKAGES = ["numpy", "tifffile", "nibabel", "pydicom", "Pillow", "scikit-image", "imagecodecs", "SimpleITK", "pynrrd", "h5py", "scipy", "zarr", "numcodecs", "astropy",
            "pylibjpeg", "pylibjpeg-libjpeg", "pylibjpeg-openjpeg"]

# Packages that bring their tests' files along: the module, and where in it they lie.
INSTALLED = {"pydicom": ("pydicom", "data"), "nibabel": ("nibabel", "tests", "data"), "scikit-image": ("skimage", "data"), "scipy": ("scipy", "io", "matlab", "tests", "data"),
             "numpy": ("numpy", "lib", "tests", "data"), "h5py": ("h5py", "tests", "data_files"), "astropy": ("astropy", "io", "fits", "tests", "data")}


def make_environment(work):
    """The interpreter of the virtual environment, or None."""
    python = os.path.join(work, "venv", "bin", "python")
    done = os.path.join(work, "venv", "done.2")
    if not os.path.exists(done):
        for command in ([sys.executable, "-m", "venv", os.path.join(work, "venv")], [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PACKAGES]):
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode != 0:
                print(f"skipped: {' '.join(command[:4])} ...: {made.stderr.strip()[-300:]}")
                return None
        open(done, "w").close()
    return python


def again(work):
    """Runs the program that is running once more, by the environment's interpreter and without --work. Its status; 77 where there is none."""
    python = make_environment(os.path.abspath(work))
    if python is None:
        return 77
    words = sys.argv[1:]
    at = words.index("--work")
    del words[at:at + 2]
    return subprocess.run([python, os.path.abspath(sys.argv[0]), *words]).returncode


def folder_of(python, module):
    return subprocess.run([python, "-c", f"import {module}, os; print(os.path.dirname({module}.__file__))"], capture_output=True, text=True, check=True).stdout.strip()


def unpack(archive, folder, wanted):
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and wanted in member.name and ".." not in member.name:
                member.name = re.sub(r"^.*?" + re.escape(wanted), "", member.name)
                tar.extract(member, folder)


def fetch_pillow(work, python):
    folder = os.path.join(work, "pillow")
    if not os.path.isdir(folder):
        fetched = subprocess.run([python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:", "-d", work, "Pillow"],
                                 capture_output=True, text=True)
        found = sorted(glob.glob(os.path.join(work, "[Pp]illow-*.tar.gz")))
        if not found:
            return None, fetched.stderr.strip()[-200:]
        unpack(found[-1], folder, "Tests/images/")
    return folder, ""


def fetch_debian(work, package, wanted):
    """A source package's upstream archive, from lists of sources of our own beside the system's."""
    folder = os.path.join(work, package)
    if os.path.isdir(folder):
        return folder, ""
    apt = os.path.join(work, "apt")
    os.makedirs(os.path.join(apt, "parts"), exist_ok=True)
    os.makedirs(os.path.join(apt, "lists", "partial"), exist_ok=True)
    for name in glob.glob("/etc/apt/sources.list.d/*.sources") + glob.glob("/etc/apt/sources.list.d/*.list") + glob.glob("/etc/apt/sources.list"):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"^Types:.*$", "Types: deb-src", re.sub(r"^deb ", "deb-src ", text, flags=re.M), flags=re.M)
        with open(os.path.join(apt, "parts", os.path.basename(name)), "w", encoding="utf-8") as file:
            file.write(text)
    options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", "Dir::Etc::sourceparts=" + os.path.join(apt, "parts"), "-o", "Dir::State::lists=" + os.path.join(apt, "lists"),
               "-o", "APT::Sandbox::User="]
    try:
        if not os.listdir(os.path.join(apt, "lists", "partial")) and len(os.listdir(os.path.join(apt, "lists"))) < 3:
            subprocess.run(["apt-get", *options, "-qq", "update"], capture_output=True, text=True)
        got = subprocess.run(["apt-get", *options, "-qq", "--download-only", "--tar-only", "source", package], capture_output=True, text=True, cwd=work)
    except FileNotFoundError:
        return None, "there is no apt-get"
    found = sorted(glob.glob(os.path.join(work, package + "_*.orig.tar.*")))
    if not found:
        return None, got.stderr.strip()[-200:]
    unpack(found[-1], folder, wanted)
    return folder, ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--list", action="store_true", help="tell the verdict on every file")
    arguments = parser.parse_args()
    work = os.path.abspath(arguments.work)
    os.makedirs(work, exist_ok=True)
    python = make_environment(work)
    if python is None:
        return 77
    suites = {name: os.path.join(folder_of(python, module), *inside) for name, (module, *inside) in INSTALLED.items()}
    for name, (folder, why) in {"pillow": fetch_pillow(work, python), "tiff": fetch_debian(work, "tiff", "test/images/"),
                                "libpng": fetch_debian(work, "libpng1.6", "contrib/")}.items():
        if folder is None:
            print(f"{name}: skipped, {why}")
        else:
            suites[name] = folder
    here = os.path.dirname(os.path.abspath(__file__))
    meaning = subprocess.run([python, os.path.join(here, "meaning.py"), "--program", os.path.abspath(arguments.program)] + (["--list"] if arguments.list else [])).returncode
    judge = os.path.join(here, "judge.py")
    command = [python, judge, "--program", os.path.abspath(arguments.program)] + (["--list"] if arguments.list else [])
    return subprocess.run(command + [f"{name}={folder}" for name, folder in suites.items()]).returncode or meaning


if __name__ == "__main__":
    sys.exit(main())
