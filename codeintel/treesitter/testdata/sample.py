# Copyright: not the documentation of what follows.

"""Module docstring."""
from __future__ import annotations
import os, a.b as c
from . import x
from ..p.q import (y as z, w)
from m import *

# How often it is tried.
# Then it gives up.
RETRIES = LIMIT = 3
x: int
y: dict[str, int] = {}  # behind code: not of the next line
a, (b, *c) = f()
x = 4
box.attribute = box[0] = None

if os.name == "nt":
    conditional = lambda inner: [hidden := inner]


@decorated
@twice(1)
async def fetch(url, *rest: int, key=None) -> str:
    """Fetch one page.

    More about it.
    """
    local = 1

    def nested(): return local
    class Inside:
        field = 1
    return rest.b(key=1)


class Client(Base, metaclass=Meta):
    # A comment first.
    'Talk to a server.'
    timeout: float = 30.0
    retries, _private = 1, 2

    def __init__(self, url): self.url = url

    @property
    def host(self) -> str:
        # Not a docstring.
        return self.url

    class Options: pass


def generic[T](x: T): ...
