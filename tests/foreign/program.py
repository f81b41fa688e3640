"""What the program says of a file, and the elements that it reads from it."""

import json
import os
import subprocess
import tempfile


class Program:
    """Calls `parallax info` and a job that copies the file's array into a .npy file, on the native device."""

    def __init__(self, path):
        self.path = path
        self.folder = tempfile.TemporaryDirectory(prefix="parallax-foreign-")
        # No OpenCL implementation need be loaded to read files.
        self.environment = dict(os.environ, OCL_ICD_VENDORS=self.folder.name, OCL_ICD_FILENAMES="")

    def call(self, *arguments):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, errors="replace", env=self.environment, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def info(self, file, choices={}):
        """(description, "") or (None, why not). A crash is an error of its own. `choices`: keys of the input beside "file"."""
        words = [word for key, value in choices.items() for word in ("--" + key, value if isinstance(value, str) else json.dumps(value))]
        status, out, err = self.call("info", os.path.abspath(file), "--json", *words)
        if status == 0:
            return json.loads(out), ""
        if status not in (1, 2):
            raise RuntimeError(f"info ended with status {status}: {err[-500:]}")
        return None, err.strip()

    def array(self, file, choices={}):
        """(path of a .npy file, "") or (None, why not)."""
        job = {"parallax": 1, "inputs": {"image": {"file": os.path.abspath(file), **choices}}, "steps": [{"run": "crop", "variant": "reference"}], "outputs": {"image": "o.npy"}}
        name = os.path.join(self.folder.name, "job.json")
        with open(name, "w", encoding="utf-8") as out:
            json.dump(job, out)
        status, _, err = self.call("run", name, "--out", self.folder.name, "--overwrite", "--quiet", "--device", "native")
        if status == 0:
            return os.path.join(self.folder.name, "o.npy"), ""
        if status not in (1, 2):
            raise RuntimeError(f"run ended with status {status}: {err[-500:]}")
        return None, err.strip()
