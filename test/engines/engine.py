#!/usr/bin/env python3
"""Lets an edit engine that is not ours answer as `forge apply --batch` does.

usage: engine.py NAME apply --batch
       engine.py --versions

JSON lines in, JSON lines out: {id, format, files: {path: text}, edit} -> {id, ok, files, error}. Each request is one file and
one edit in the one format the engine reads. What an engine raises, or answers with a failure, is ok: false with the file
untouched, also where the engine itself would leave half an edit behind. An engine that is not installed ends the program.
"""
import importlib
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types


class Refused(Exception):
    """The engine says that it cannot apply the edit."""


# --- engines that are a library -----------------------------------------------------------------------------------------


def bare(name):
    """Makes a package importable without running its __init__: of a whole product only the one file that edits is loaded,
    so that nothing else of it needs to be there."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f'engine.py: the package {name} is not installed; run.sh installs it')
    package = types.ModuleType(name)
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules[name] = package


def openai_agents():
    """apply_diff of openai-agents takes what stands below `*** Update File:`. The wrapper around it is the caller's task and is
    taken off here, a fence too."""
    bare('agents')
    apply_diff = importlib.import_module('agents.apply_diff').apply_diff

    def apply(path, text, edit):
        _, found, body = edit.partition(f'*** Update File: {path}')
        if not found:
            raise Refused('no section for this file')
        return apply_diff(text, body.removeprefix('\r').removeprefix('\n'))

    return apply


def aider():
    """do_replace of aider's editblock coder, block by block. The chat around it (its base class, and the helpers that only its
    command line uses) is an empty stand-in; everything that looks for text is aider's."""
    bare('aider')
    bare('aider.coders')
    chat, helpers = types.ModuleType('aider.coders.base_coder'), types.ModuleType('aider.utils')
    chat.Coder = type('Coder', (), {})
    sys.modules.update({chat.__name__: chat, helpers.__name__: helpers})
    do_replace = importlib.import_module('aider.coders.editblock_coder').do_replace

    def apply(path, text, edit):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, path)
            file.touch()  # do_replace asks whether it is there; the text it edits is the one it is given
            for block in edit:
                # As aider does: no text, or an empty one, is a block that was not found.
                text = do_replace(str(file), text, block['search'], block['replace'], ('```', '```'))
                if not text:
                    raise Refused('a block was not found')
        return text

    return apply


# --- engines that are a program -----------------------------------------------------------------------------------------


def program(*command):
    """A program that reads the diff from its input and edits the file in its working directory. It sees nobody's settings and no
    repository above the folder."""

    def apply(path, text, edit):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, path)
            file.write_bytes(text.encode())
            env = {'PATH': os.environ['PATH'], 'HOME': folder, 'LC_ALL': 'C.UTF-8', 'GIT_CONFIG_NOSYSTEM': '1',
                   'GIT_CONFIG_GLOBAL': os.devnull, 'GIT_CEILING_DIRECTORIES': os.path.dirname(folder)}
            done = subprocess.run([part.format(path=path) for part in command], cwd=folder, env=env, input=edit.encode(),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20)
            if done.returncode:
                raise Refused(done.stdout.decode('utf-8', 'replace')[-400:])
            return file.read_bytes().decode()

    return apply


ENGINES = {
    'openai-agents': ('v4a', openai_agents),
    'aider': ('search-replace', aider),
    # Without --forward, patch would ask whether to undo an edit that is already there.
    'patch': ('unified', lambda: program('patch', '-F3', '--forward', '--silent', '{path}')),
    'git-apply': ('unified', lambda: program('git', 'apply', '--recount', '--ignore-whitespace', '-C1', '-')),
}


# --- the protocol -------------------------------------------------------------------------------------------------------


def answer(apply, fmt, request):
    (path, text), = request['files'].items()
    try:
        if request['format'] != fmt:
            raise Refused(f'reads {fmt} only')
        return {'id': request['id'], 'ok': True, 'files': {path: apply(path, text, request['edit'])}}
    except Exception as problem:  # whatever an engine throws is its way to say no
        message = f'{type(problem).__name__}: {problem}'
        return {'id': request['id'], 'ok': False, 'files': {path: text}, 'error': {'kind': 'refused', 'message': message[:800]}}


def versions():
    first = lambda *command: subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[0]
    packages = [f'{name} {importlib.metadata.version(name)}' for name in ('openai-agents', 'aider-chat')]
    return ', '.join(packages + [first('patch', '--version'), first('git', '--version')])


def main(arguments):
    if arguments == ['--versions']:
        print(versions())
        return
    if len(arguments) != 3 or arguments[0] not in ENGINES or arguments[1:] != ['apply', '--batch']:
        raise SystemExit(f'usage: engine.py {"|".join(ENGINES)} apply --batch')
    fmt, load = ENGINES[arguments[0]]
    apply = load()
    for line in sys.stdin:
        print(json.dumps(answer(apply, fmt, json.loads(line))), flush=True)


if __name__ == '__main__':
    main(sys.argv[1:])
