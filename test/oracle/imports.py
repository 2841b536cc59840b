"""Prints what the Python files below a folder import, as Python's own parser and path finder see it.

python3 imports.py ROOT prints a JSON line {path, imports: [{path, names}], files} for each file: the imports as they are
written, and the files of ROOT they lead to. No code of ROOT is run.
"""
import ast
import json
import os
import sys
import warnings
from importlib.machinery import PathFinder

root = os.path.realpath(sys.argv[1])
warnings.simplefilter("ignore")
found = {}


def find(parts, search):
    """Returns the spec of a module, looking each part up in the one before; None if there is none."""
    key = (".".join(parts), tuple(search))
    if key in found:
        return found[key]
    spec = None
    for part in parts:
        spec = PathFinder.find_spec(part, search) if search is not None else None
        if spec is None:
            break
        places = spec.submodule_search_locations
        search = None if places is None else list(getattr(places, "_path", places))
    found[key] = spec
    return spec


def origin(spec):
    """Returns the file of a module below the root; None for what has no file there."""
    if spec is None or not spec.origin or not spec.origin.startswith(root + os.sep):
        return None
    return os.path.relpath(spec.origin, root)


def outermost(folder):
    """Returns the folder that holds the outermost package a folder belongs to."""
    while os.path.exists(os.path.join(folder, "__init__.py")) and folder != root:
        folder = os.path.dirname(folder)
    return folder


def projects(folder):
    """Yields the folders above that are installed as packages of their own, the nearest first, and the root."""
    while folder != root:
        if os.path.exists(os.path.join(folder, "pyproject.toml")):
            yield folder
        folder = os.path.dirname(folder)
    yield root


def targets(node, file):
    folder = os.path.dirname(file)
    search = [outermost(folder)]
    for project in projects(folder):
        search += [os.path.join(project, "src"), project]
    if isinstance(node, ast.Import):
        for name in node.names:
            yield origin(find(name.name.split("."), search))
        return
    parts = node.module.split(".") if node.module else []
    if node.level:
        above = folder
        for _ in range(node.level - 1):
            above = os.path.dirname(above)
        if not (above + os.sep).startswith(root + os.sep):
            return
        # The package is found where it lies: as the modules of the folder above it.
        inside = os.path.relpath(above, root)
        parts = ([] if inside == "." else inside.split(os.sep)) + parts
        search = [root]
    for name in node.names:
        module = origin(find(parts + [name.name], search)) if name.name != "*" else None
        if module:
            yield module
        elif parts:
            yield origin(find(parts, search))
        elif os.path.exists(os.path.join(root, "__init__.py")):
            yield "__init__.py"


def report(file):
    with open(file, "rb") as source:
        tree = ast.parse(source.read())
    imports, files = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [{"path": name.name, "names": []} for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [name.name for name in node.names]
            imports.append({"path": "." * node.level + (node.module or ""), "names": names})
        else:
            continue
        files.update(target for target in targets(node, file) if target)
    path = os.path.relpath(file, root)
    print(json.dumps({"path": path, "imports": imports, "files": sorted(files - {path})}))


for folder, folders, names in os.walk(root):
    folders[:] = [name for name in folders if name not in (".git", ".cache", "node_modules")]
    for name in names:
        if name.endswith(".py"):
            try:
                report(os.path.join(folder, name))
            except (SyntaxError, ValueError) as error:
                print(f"{name}: {error}", file=sys.stderr)
