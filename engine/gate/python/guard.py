"""Looks whether what judges tests is what it was. In a worker of xdist it is a plugin of pytest, which says so when the worker ends.

As a plugin it also leaves out files of tests that were not chosen. Named in the command, pytest would collect a file that the project has told it
to ignore (collect_ignore, --ignore, norecursedirs): what is chosen is always a part of what it finds itself.
"""

import os
import time


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


def lines(name):
    """What Forge has written beside this file; none is nothing."""
    try:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as f:
            return f.read().splitlines()
    except OSError:
        return []


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


class Later:
    """Runs the tests of some files after all others, in the order of these files, and leaves out those that are not begun when their time is up."""

    def __init__(self, files, seconds):
        self.rank, self.seconds = {file: at for at, file in enumerate(files, 1)}, seconds
        self.end, self.left = None, 0

    def rank_of(self, item):
        return self.rank.get(os.path.abspath(str(getattr(item, "path", None) or item.fspath)), 0)

    def pytest_collection_modifyitems(self, items):
        items.sort(key=self.rank_of)

    def pytest_runtest_protocol(self, item, nextitem, now=time.monotonic):
        if not self.rank_of(item):
            return None
        self.end = self.end or now() + self.seconds
        if now() < self.end:
            return None
        self.left += 1
        return True

    def pytest_sessionfinish(self, session):
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["forge_left"] = self.left


LATER = []  # the plugin of this process, where some tests run later


def pytest_configure(config):
    for name in ("stepwise", "stepwise_skip", "stepwise_reset"):  # they end the run at the first failure
        if hasattr(config.option, name):
            setattr(config.option, name, False)
    files, later = set(lines("files")), lines("later")
    if later:
        LATER.append(Later(later[1:], float(later[0])))
        config.pluginmanager.register(LATER[0])
    if files:
        known = "collection_path" in config.hook.pytest_ignore_collect.spec.argnames
        config.pluginmanager.register((ChosenByPath if known else ChosenByPathBefore7)(files))
    if hasattr(config, "workeroutput"):
        config.pluginmanager.register(Worker(config.workeroutput))
