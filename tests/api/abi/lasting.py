#!/usr/bin/env python3
"""No object of the library is destroyed when the process ends: a host application may use the library after main(), in destructors of its
own and in threads that nobody waits for.

lasting.py LIBRARY OBJDUMP: reads the code of x86-64 that registers destructors. Left out are objects of others' headers that hold nothing.
"""
import re
import subprocess
import sys

OF_OTHERS = ("<cl::", "std::ios_base::Init")

code = subprocess.run([sys.argv[2], "-dC", "--no-show-raw-insn", sys.argv[1]], capture_output=True, text=True, check=True).stdout.splitlines()
function, found, seen = "", [], 0
for number, line in enumerate(code):
    if begins := re.match(r"[0-9a-f]+ <(.*)>:$", line):
        function = begins.group(1)
    if not re.search(r"\b(call|jmp)\w*\s.*<__cxa_atexit", line) or function.startswith(("__cxa_atexit", "atexit")):
        continue
    seen += 1
    given = []   # the destructor and the object, as far as they are named
    for register in ("rdi", "rsi"):
        for before in reversed(code[max(number - 60, 0):number]):
            if before.endswith(",%" + register) or f",%{register} " in before:
                given.append(before.split("#")[-1].strip() if "#" in before else before.split("\t")[-1])
                break
    if not any(other in text for other in OF_OTHERS for text in given):
        found.append(f"{function[:100]}: {' | '.join(text[:160] for text in given)}")
for one in found:
    print("destroyed at the end:", one)
print(f"{seen} destructors are registered, {len(found)} of them ours")
sys.exit(1 if found else 0)
