"""Looks whether what judges tests is what it was. In a worker of xdist it is a plugin of pytest, which says so when the worker ends."""


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


def pytest_configure(config):
    if hasattr(config, "workeroutput"):
        config.pluginmanager.register(Worker(config.workeroutput))
