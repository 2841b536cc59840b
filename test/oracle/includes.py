"""Prints what the C and C++ files below a folder include, as gcc sees it.

python3 includes.py ROOT FOLDER... prints a JSON line {path, imports: [{path}], files} for each file. The folders, below
ROOT, are gcc's search path. Each include is asked for alone, so that no condition hides it.
"""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

root = os.path.realpath(sys.argv[1])
search = [f"-I{os.path.join(root, folder)}" for folder in sys.argv[2:]]
directive = re.compile(r'(?m)^[ \t]*#[ \t]*include[ \t]*("[^"\n]+"|<[^>\n]+>)')


def resolve(asked):
    """Returns the file that an include in a folder leads to; None if gcc finds none."""
    folder, name = asked
    command = ["gcc", "-E", "-H", "-w", "-x", "c++", "-iquote", folder, *search, "-o", os.devnull, "-"]
    answer = subprocess.run(command, input=f"#include {name}\n", capture_output=True, text=True, cwd=folder, check=False)
    first = re.search(r"(?m)^\. (.+)$", answer.stderr)
    return os.path.realpath(os.path.join(folder, first.group(1))) if first else None


included = {}
for folder, folders, names in os.walk(root):
    folders[:] = [name for name in folders if name not in (".git", ".cache")]
    for name in names:
        if name.endswith((".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx")):
            file = os.path.join(folder, name)
            with open(file, encoding="utf-8", errors="replace") as source:
                included[file] = directive.findall(source.read())

asked = sorted({(os.path.dirname(file), name) for file, names in included.items() for name in names})
with ThreadPoolExecutor() as pool:
    found = dict(zip(asked, pool.map(resolve, asked)))
for file, names in included.items():
    targets = {found[os.path.dirname(file), name] for name in names} - {None, file}
    inside = sorted(os.path.relpath(target, root) for target in targets if target.startswith(root + os.sep))
    imports = [{"path": name.strip('"')} for name in names]
    print(json.dumps({"path": os.path.relpath(file, root), "imports": imports, "files": inside}))
