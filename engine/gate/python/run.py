"""Runs the tests of the project in the working directory, for Forge: by pytest, or by unittest where there is no pytest.

The arguments are a folder, "pytest" or "any", pytest's root, the root of the tree, the user's folder that it is a copy of (or nothing), and folders of code. What happens is written there, one JSON object a line in "witness" and pytest's own report in
"junit.xml", so that a process that ends before its tests do is not taken for one whose tests have passed. Every line is signed, together with all
lines before it, with a key that stands on stdin: code under test knows neither the key nor, from its arguments, where the folder is.
"""

import hashlib
import hmac
import importlib.util
import json
import os
import sys
from traceback import extract_tb

outside, wanted, base, top, origin = sys.argv[1:6]


def lines(name):
    with open(os.path.join(outside, name), encoding="utf-8") as f:
        return f.read().split("\n") if os.fstat(f.fileno()).st_size else []


chosen = lines("files")  # files of tests; none are all
only = set(lines("names"))  # of tests; none are all
later = lines("later")  # seconds, and files of tests that run after all others, no longer than that
around = sys.argv[6:]  # folders of the projects around this one: what they install must not be what is tested
sys.argv[:] = ["test"]
root = os.getcwd()
# Nothing in the project is taken for pytest or for a part of Python, unless it is that project. Only then may it be imported.
sys.path[:] = [p for p in sys.path if p and os.path.realpath(p) not in (os.path.realpath(outside), os.path.realpath(root))]
witness = open(os.path.join(outside, "witness"), "a", encoding="utf-8")


def signer(chain=hmac.new(sys.stdin.buffer.read(), digestmod=hashlib.sha256), dumps=json.dumps, write=witness.write, flush=witness.flush):
    def say(what, **more):
        line = dumps(dict(more, what=what))
        chain.update(line.encode())
        write(chain.hexdigest() + " " + line + "\n")
        flush()

    return say


say = signer()
signer.__defaults__ = ()
# What tests import by the name of the program is not this one.
sys.modules["__main__"] = type(sys)("__main__")


def digest(name):
    """What a file has in it, so that nobody writes another one in its place."""
    try:
        with open(os.path.join(outside, name), "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()
    except OSError:
        return ""


def twin(path):
    """What the tree has of a path in the folder that it is a copy of. What is installed there has none."""
    real = os.path.realpath(path)
    if not within(real, origin) or within(real, os.path.realpath(sys.prefix)) or "site-packages" in real.split(os.sep):
        return ""
    copy = os.path.normpath(os.path.join(top, os.path.relpath(real, origin)))
    return copy if os.path.exists(copy) else ""


def within(path, folder):
    return bool(folder) and (path + os.sep).startswith(folder.rstrip(os.sep) + os.sep)


def redirections():
    """What finders of editable installations look modules up in: of setuptools, of editables (Hatch, PDM, Poetry), of scikit-build-core."""
    for finder in sys.meta_path:
        module = sys.modules.get(getattr(finder, "__module__", None))
        for holder, name in ((module, "MAPPING"), (module, "NAMESPACES"), (finder, "_redirections"), (finder, "known_source_files")):
            table = getattr(holder, name, None)
            if isinstance(table, dict):
                yield table


def redirect(table):
    """Lets a finder find the tree's modules. The folders are given that they lie in: processes that tests start have finders of their own."""
    for name, places in list(table.items()):
        copies = [twin(place) for place in (places if isinstance(places, list) else [places]) if isinstance(place, str)]
        if not copies or not all(copies):
            continue
        table[name] = copies if isinstance(places, list) else copies[0]
        for copy in copies:
            copy = os.path.dirname(copy) if os.path.basename(copy) == "__init__.py" else copy
            if os.path.splitext(os.path.basename(copy))[0] == name:
                yield os.path.dirname(copy)


def files_of_modules():
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str):
            yield name, file


def foreign():
    """A module that was loaded from the folder that the tree is a copy of, although the tree has it."""
    for _, file in files_of_modules():
        copy = "" if within(os.path.abspath(file), top) else twin(file)
        if copy and not os.path.islink(copy):
            return os.path.relpath(copy, top)
    return ""


def own_code_first():
    """An installation that leads to another copy of the project must not be what is tested."""
    if sys.path[:1] == [root]:
        return
    paths = []
    for folder in [root] + around:
        src = os.path.join(folder, "src")
        paths += [folder] + ([src] if os.path.isdir(src) and not os.path.exists(os.path.join(src, "__init__.py")) else [])
    copies = [twin(entry) for entry in sys.path]
    sys.path[:] = [entry for entry, copy in zip(sys.path, copies) if not copy]
    for table in redirections():
        copies += redirect(table)
    paths += [copy for copy in dict.fromkeys(copies) if copy and copy not in paths]
    sys.path[:0] = paths
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


def load_guard():
    """The module guard.py, loaded before any code of the project is there."""
    spec = importlib.util.spec_from_file_location("forge_guard", os.path.join(outside, "guard", "forge_guard.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Guard:
    """Looks, whenever a test has ended, whether what judges tests is what it was."""

    def __init__(self):
        self.module, self.told, self.left = load_guard(), False, 0

    def look(self):
        names = [] if self.told else self.module.replaced(self.module.BEFORE)
        if names:
            self.tell(names[0])

    def tell(self, name, say=say):
        self.told = True
        say("replaced", name=name)


def frames(traceback):
    return [[frame.filename, frame.lineno] for frame in extract_tb(traceback)]


def name_of(nodeid):
    """A test as pytest's report names it. See mangle_test_address in _pytest/junitxml.py."""
    path, bracket, parameters = nodeid.partition("[")
    names = path.split("::")
    names[0] = names[0].replace("/", ".")
    if names[0].endswith(".py"):
        names[0] = names[0][:-3]
    return ".".join(names) + bracket + parameters


def installed(name):
    return importlib.util.find_spec(name) is not None


def witness_of(pytest, guard):
    class Witness:
        """A plugin of pytest. Where xdist runs tests in workers it stands in the process that starts these."""

        def pytest_collectstart(self, collector):
            if isinstance(collector, pytest.Module):
                say("collect", path=str(getattr(collector, "path", "") or collector.fspath))

        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, config, items):
            if only:
                config.hook.pytest_deselected(items=[item for item in items if name_of(item.nodeid) not in only])
                items[:] = [item for item in items if name_of(item.nodeid) in only]

        def pytest_collection_finish(self, session):
            say("collected", count=len(session.items))

        @pytest.hookimpl(optionalhook=True)
        def pytest_xdist_node_collection_finished(self, node, ids):
            say("collected", count=len(ids))

        @pytest.hookimpl(optionalhook=True)
        def pytest_testnodedown(self, node, error):
            guard.left += getattr(node, "workeroutput", {}).get("forge_left", 0)
            name = getattr(node, "workeroutput", {}).get("forge_replaced")
            if name:
                guard.tell(name)

        def pytest_runtest_logstart(self, nodeid, location):
            say("start", id=nodeid, path=os.path.join(base, location[0]), line=(location[1] or 0) + 1)

        def pytest_runtest_logfinish(self, nodeid, location):
            say("end", id=nodeid)
            guard.look()

    return Witness()


def import_pytest():
    """pytest, as it is installed. Where it, or a part of it, is installed from the project itself, that is what is tested: the tree's then."""
    before = set(sys.modules)
    import pytest

    if not foreign():
        return pytest
    for name, file in files_of_modules():
        if name not in before and ("site-packages" in file.split(os.sep) or twin(file)):
            del sys.modules[name]
    own_code_first()
    return importlib.import_module("pytest")


def run_pytest():
    pytest = import_pytest()
    say("runner", name="pytest", version=pytest.__version__)
    arguments = [
        "--rootdir=" + base, "--junitxml=" + os.path.join(outside, "junit.xml"), "-o", "junit_family=xunit1",
        "-o", "cache_dir=" + os.path.join(outside, "cache"), "--lfnf=all",  # settings and tests may use the cache; this one knows no earlier run
        "--tb=short", "--color=no", "--maxfail=0", "--continue-on-collection-errors",
    ]
    if installed("xdist"):  # the project says whether and how tests run side by side
        arguments += ["-p", "xdist", "-n0"] if only else ["-p", "forge_guard"]
    if installed("pytest_cov"):
        arguments += ["-p", "pytest_cov", "--no-cov"]  # without the plugin, which the project may have switched off, the option is an error
    guard = Guard()
    plugins = [witness_of(pytest, guard)] + ([] if "forge_guard" in arguments else [guard.module])
    if chosen:
        with open(os.path.join(outside, "guard", "files"), "w", encoding="utf-8") as f:
            f.write("\n".join(os.path.join(root, file) for file in chosen))
    if later:
        with open(os.path.join(outside, "guard", "later"), "w", encoding="utf-8") as f:
            f.write("\n".join(later[:1] + [os.path.join(root, file) for file in later[1:]]))
    own_code_first()
    if "forge_guard" in arguments and os.path.join(outside, "guard") not in sys.path:
        sys.path.append(os.path.join(outside, "guard"))
    code = pytest.main(arguments, plugins=plugins)
    # "-p forge_guard" makes a module of its own, which is the plugin of this process where the project starts no workers.
    plugin = sys.modules.get("forge_guard") if "forge_guard" in arguments else guard.module
    left = guard.left + sum(later.left for later in getattr(plugin, "LATER", []))
    if left:
        say("left", count=left)
    return code


def each(suite):
    for test in suite:
        for inner in each(test) if hasattr(test, "__iter__") else [test]:
            yield inner


def run_unittest():
    import unittest

    say("runner", name="unittest", version=sys.version.split()[0])
    guard = Guard()
    own_code_first()

    class Result(unittest.TextTestResult):
        def startTest(self, test):
            super().startTest(test)
            say("start", id=test.id())

        def stopTest(self, test):
            super().stopTest(test)
            say("end", id=test.id())
            guard.look()

        def tell(self, outcome, test, error=None, text=""):
            # The name of a module that could not be loaded counts from where the search began.
            module = test._testMethodName.replace(".", "/") + ".py" if type(test).__name__ == "_FailedTest" else ""
            module = os.path.normpath(os.path.join(began, module)) if module else ""
            if error:
                text = self._exc_info_to_string(error, test)
            say("outcome", id=test.id(), outcome=outcome, module=module, frames=frames(error[2]) if error else [], text=text)

        def addSuccess(self, test):
            super().addSuccess(test)
            self.tell("passed", test)

        def addFailure(self, test, err):
            super().addFailure(test, err)
            self.tell("failed", test, err)

        def addError(self, test, err):
            super().addError(test, err)
            self.tell("failed", test, err)

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err is not None:
                self.tell("failed", test, err)

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            self.tell("skipped", test, text=reason)

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            self.tell("skipped", test, text="expected failure")

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            self.tell("failed", test, text="it was expected to fail, and passed")

    began, suite = ".", unittest.TestSuite()
    for start in (".", "tests", "test"):
        if suite.countTestCases() == 0 and os.path.isdir(start):
            began, suite = start, unittest.TestLoader().discover(start)
    if only:
        suite = unittest.TestSuite(test for test in each(suite) if test.id() in only)
    say("collected", count=suite.countTestCases())
    result = unittest.TextTestRunner(resultclass=Result, verbosity=0).run(suite)
    return 0 if result.wasSuccessful() else 1


def main():
    if installed("pytest"):
        return run_pytest()
    if wanted == "pytest":
        say("missing")
        return 0
    return run_unittest()


if __name__ == "__main__":
    say("begin")
    try:
        code = int(main())
    except BaseException as error:
        say("raised", text=type(error).__name__ + ": " + str(error), frames=frames(error.__traceback__), report=digest("junit.xml"))
        raise
    if foreign():
        say("foreign", path=foreign())
    say("exit", code=code, report=digest("junit.xml"))
    sys.exit(code)
