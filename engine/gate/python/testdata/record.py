"""Records what the real tools say of the trees in *.txtar beside this file.

    python3 record.py ENVIRONMENT [NAME...] [--version PREFIX]

ENVIRONMENT is a virtual environment with the versions of test/projects/python/requirements.txt. Each archive holds cases: a tree below CASE/tree, and
what a tool said of it in CASE/stdout, CASE/stderr, CASE/code and the files that it wrote, which are replaced here; CASE/want is kept: "go test -update"
writes it. A case whose name begins with a version, as "v0.4-syntax", was recorded with that one: it is left as it is, unless --version
names it, and then all others are. The command is the line of the head that begins with "$". Trees are made at /pyproj, so that no path of one machine is recorded.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess

TREE, OUTSIDE = pathlib.Path("/pyproj"), pathlib.Path("/pyproj-outside")
HERE = pathlib.Path(__file__).resolve().parent
VERSIONED = re.compile(r"v\d")
MARK = re.compile(rb"^-- (.+) --\n", re.M)
CONSTANT = {
    "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "PYTHONNOUSERSITE": "1", "PYTHONPATH": "", "PYTEST_ADDOPTS": "", "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1",
    "NO_COLOR": "1", "PY_COLORS": "0", "TERM": "dumb", "COLUMNS": "200", "RUFF_NO_CACHE": "true", "MYPY_CACHE_DIR": "/dev/null",
    "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "LANG": "C.UTF-8",
}


def read(path):
    parts = MARK.split(path.read_bytes())
    cases = {}
    for name, data in zip(parts[1::2], parts[2::2]):
        case, _, file = name.decode().partition("/")
        cases.setdefault(case, {})[file] = data
    return parts[0], cases


def write(path, head, cases):
    out = [head]
    for case, files in cases.items():
        for name, data in files.items():
            if data and not data.endswith(b"\n"):
                data += b"\n"
            out.append(b"-- " + f"{case}/{name}".encode() + b" --\n" + data)
    path.write_bytes(b"".join(out))


def fresh(folder):
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()


def record(environment, command, files):
    fresh(TREE)
    fresh(OUTSIDE)
    sources = []
    for name, data in files.items():
        if name.startswith("tree/"):
            target = TREE / name[5:]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            if name.endswith(".py"):
                sources.append("./" + name[5:])
    (OUTSIDE / "files").write_text("".join(s + "\n" for s in sorted(sources)))
    shutil.copy(HERE.parent / "run.py", OUTSIDE)
    argv = [a.replace("OUTSIDE", str(OUTSIDE)) for a in command.split()]
    env = dict(CONSTANT, PATH=f"{environment}/bin:" + os.environ["PATH"], HOME=os.environ["HOME"], BLACK_CACHE_DIR=str(OUTSIDE))
    argv[0] = f"{environment}/bin/{argv[0]}"
    done = subprocess.run(argv, cwd=TREE, env=env, capture_output=True, stdin=subprocess.DEVNULL)
    result = {n: d for n, d in files.items() if n.startswith("tree/")}
    result["stdout"], result["stderr"] = clean(done.stdout), clean(done.stderr)
    result["code"] = b"%d\n" % done.returncode
    for name in ("junit.xml", "witness"):
        if (OUTSIDE / name).exists():
            text = (OUTSIDE / name).read_bytes()
            # Each line of the witness is signed, with the key that stands on stdin: here there is none.
            result[name] = clean(re.sub(rb"(?m)^[0-9a-f]{64} ", b"", text) if name == "witness" else text)
    result["want"] = files.get("want", b"")
    return result


def clean(text):
    """Takes the place of Python and of its packages out: they are on one machine only."""
    text = re.sub(rb'(?<![\w./])/[^\s"\'<>]*?/lib/python3\.\d+/', b"/lib/python3/", text)
    text = re.sub(rb'hostname="[^"]*"', b'hostname="here"', text)
    return text


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("environment")
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--version", default="")
    given = arguments.parse_args()
    environment, names = given.environment, given.names

    def wanted(case):
        return case.startswith(given.version + "-") if given.version else not VERSIONED.match(case)

    for path in sorted(HERE.glob("*.txtar")):
        if names and path.stem not in names:
            continue
        head, cases = read(path)
        command = next(line[2:] for line in head.decode().splitlines() if line.startswith("$ "))
        write(path, head, {case: record(environment, command, files) if wanted(case) else files for case, files in cases.items()})
    for folder in (TREE, OUTSIDE):
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
