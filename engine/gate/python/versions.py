"""Prints which Python this is, what is installed for it, and which tools are found on PATH, each with its version or its time."""
import os
import shutil
import sys


def packages(folder):
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = []
    for name in names:
        if name != "__pycache__":
            info = os.lstat(os.path.join(folder, name))
            found.append("%s %d %d" % (name, info.st_size, info.st_mtime_ns))
    return found


print(sys.version)
for folder in sys.path:
    if folder and os.path.basename(folder) in ("site-packages", "dist-packages"):
        print(folder, packages(folder))
for tool in sys.argv[1:]:
    program = shutil.which(tool)
    if program:
        program = os.path.realpath(program)
        info = os.stat(program)
        print(program, info.st_size, info.st_mtime_ns)
        libraries = os.path.join(os.path.dirname(os.path.dirname(program)), "lib")
        for name in sorted(os.listdir(libraries)) if os.path.isdir(libraries) else []:
            if name.startswith("python"):
                print(packages(os.path.join(libraries, name, "site-packages")))
