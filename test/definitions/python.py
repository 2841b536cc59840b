"""Reads paths, one on a line, and writes what each file defines according to Python's own parser, as lines of JSON.

A variable counts where a name is first assigned in a module or class; local variables do not.
"""
import ast
import json
import sys
import warnings


def names(target):
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from names(element)
    elif isinstance(target, ast.Starred):
        yield from names(target.value)


class Definitions(ast.NodeVisitor):
    def __init__(self):
        self.found = []
        self.around = []  # kinds and names of the definitions around a node
        self.assigned = set()

    def add(self, kind, name, line, node):
        path = ".".join([outer for _, outer in self.around] + [name])
        self.found.append({"kind": kind, "name": path, "line": line, "end": node.end_lineno})

    def inside(self, kind, node):
        self.around.append((kind, node.name))
        assigned, self.assigned = self.assigned, set()
        self.generic_visit(node)
        self.around.pop()
        self.assigned = assigned

    def visit_ClassDef(self, node):
        self.add("class", node.name, node.lineno, node)
        self.inside("class", node)

    def visit_FunctionDef(self, node):
        kind = "function"
        if self.around and self.around[-1][0] == "class":
            kind = "constructor" if node.name == "__init__" else "method"
        self.add(kind, node.name, node.lineno, node)
        self.inside("function", node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def assign(self, node, targets):
        self.generic_visit(node)
        if self.around and self.around[-1][0] == "function":
            return
        for target in targets:
            for name in names(target):
                if name.id in self.assigned:
                    continue
                self.assigned.add(name.id)
                kind = "constant" if name.id.isupper() else "variable"
                self.add("field" if self.around else kind, name.id, name.lineno, node)

    def visit_Assign(self, node):
        self.assign(node, node.targets)

    def visit_AnnAssign(self, node):
        self.assign(node, [node.target])


warnings.simplefilter("ignore")
for path in sys.stdin.read().splitlines():
    visitor = Definitions()
    try:
        with open(path, "rb") as file:
            source = file.read()
        source.decode()
        visitor.visit(ast.parse(source))
    except (SyntaxError, ValueError):
        print(json.dumps({"file": path, "broken": True}))
        continue
    print(json.dumps({"file": path, "definitions": visitor.found}))
