"""Looks whether what judges tests is what it was. In a worker of xdist it is a plugin of pytest, which says so when the worker ends.

As a plugin it also leaves out files of tests that were not chosen. Named in the command, pytest would collect a file that the project has told it
to ignore (collect_ignore, --ignore, norecursedirs): what is chosen is always a part of what it finds itself.
"""

import os


def judges():
    """What says for tests whether they hold, taken before any code of the project is there: also so that no file of it is taken for unittest."""
    import doctest  # noqa: F401
    import unittest.mock

    case = unittest.case
    of = {"TestCase": case.TestCase, "_AssertRaisesContext": case._AssertRaisesContext, "_Outcome": case._Outcome}
    return [(owner, name, value) for owner in of.values() for name, value in vars(owner).items() if callable(value)]


def replaced(before):
    return ["%s.%s" % (owner.__name__, name) for owner, name, value in before if vars(owner).get(name) is not value]


BEFORE = judges()


class Worker:
    def __init__(self, output):
        self.output = output

    def pytest_runtest_logfinish(self, nodeid, location, replaced=replaced, before=BEFORE):
        names = replaced(before)
        if names:
            self.output["forge_replaced"] = names[0]


def chosen():
    """The files of tests that are run, as absolute paths; none are all."""
    try:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "files"), encoding="utf-8") as f:
            return set(f.read().splitlines())
    except OSError:
        return set()


class Chosen:
    def __init__(self, files):
        self.files = files

    def is_left_out(self, path):
        if os.path.isdir(path) or os.path.basename(path) in ("__init__.py", "conftest.py"):
            return None  # others decide
        return os.path.abspath(path) not in self.files or None


class ChosenByPath(Chosen):
    def pytest_ignore_collect(self, collection_path):
        return self.is_left_out(str(collection_path))


class ChosenByPathBefore7(Chosen):
    def pytest_ignore_collect(self, path):
        return self.is_left_out(str(path))


def pytest_configure(config):
    files = chosen()
    if files:
        known = "collection_path" in config.hook.pytest_ignore_collect.spec.argnames
        config.pluginmanager.register((ChosenByPath if known else ChosenByPathBefore7)(files))
    if hasattr(config, "workeroutput"):
        config.pluginmanager.register(Worker(config.workeroutput))
