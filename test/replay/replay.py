#!/usr/bin/env python3
"""Replays real commits with a model that knows the true change, and times a run beside the project's own tests.

usage: replay.py [--count N] [--commits SHA,...] [--setup COMMAND] [--json FILE] --check COMMAND FORGE WORK REPOSITORY

FORGE is a built program, WORK a folder for work trees, REPOSITORY a bare clone. The message of a commit that changes code and tests is the
request, its parent the folder. SETUP prepares the folder as a contributor would, CHECK is the project's own command for its tests. A commit
counts if CHECK fails with its tests alone and passes with all of it. It must execute the tests each time: `go test -count=1 ./...`, for
else Go answers the second time what it remembers of the first, and wall is of no use. `forge dev model` answers with the commit's tests and its code.

  solved   the run ended with code 0, and each file of the commit is as the commit has it, apart from white space
  other    it ended with code 0, with another text
  refused  it ended with another code
  own      seconds of CHECK on the finished change: when it has to compile the change, as a run of Forge has to, and when all is compiled
           (the mean of one before and one after the run)
  wall     seconds of the run by each of these
  tokens   of all prompts of the run, as Forge counts them
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

TEST = re.compile(r'_test\.go$|(^|/)(testdata|tests?|testing|__tests__)/|(^|/)test_[^/]*\.py$|_test\.py$|\.(test|spec)(-d)?\.[cm]?[jt]sx?$|(^|/)tests?\.rs$')
CODE = re.compile(r'\.(go|py|[cm]?[jt]sx?|rs)$')
MANIFEST = re.compile(r'(^|/)(go\.(mod|sum)|package(-lock)?\.json|pyproject\.toml|setup\.(py|cfg)|Cargo\.toml)$')


def git(where, *args):
    return subprocess.run(['git', *where, *args], check=True, capture_output=True).stdout.decode('utf8', 'replace')


def timed(command, folder):
    began = time.monotonic()
    code = subprocess.run(['bash', '-c', command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True).returncode
    return code, time.monotonic() - began


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def candidates(repository):
    """Commits of code and tests with at most 8 files and 300 changed lines, newest first."""
    where = ['--git-dir', repository]
    for sha in git(where, 'rev-list', '--no-merges', '-n', '800', 'HEAD').split():
        names = [line.split('\t') for line in git(where, 'diff-tree', '--no-commit-id', '-r', '--numstat', '--no-renames', sha).splitlines()]
        paths = [name[2] for name in names]
        small = names and len(names) <= 8 and all(n[0] != '-' for n in names) and sum(int(n[0]) + int(n[1]) for n in names) <= 300
        tests = [p for p in paths if TEST.search(p)]
        if small and tests and not any(MANIFEST.search(p) for p in paths) and any(CODE.search(p) and not TEST.search(p) for p in paths):
            yield sha


def answer(patch):
    files = ', '.join(re.findall(r'(?m)^diff --git a/(\S+)', patch))
    return {'explanation': f'What the request asks for. Expectations in {files} state the old behaviour where they change.', 'edits': [], 'files': [], 'patch': patch, 'blocked': '', 'done': not patch}


def script(tests, code):
    """The answers of the model, as `forge dev model --script` reads them."""
    says = [
        ({'node': 'orchestrator'}, {'action': 'executor', 'reason': 'It is clear.'}),
        ({'node': 'explorer'}, {'requests': []}),
        ({'node': 'executor', 'contains': ['You write tests']}, answer(tests)),
        ({'node': 'executor', 'contains': ['You implement a change']}, answer(code)),
        ({'node': 'review'}, {'pass': True, 'reason': 'It does what was asked for.', 'issues': []}),
    ]
    return json.dumps({'entries': [{'match': match, 'times': -1, 'reply': {'json': reply}} for match, reply in says]})


def run(forge, folder, message, text, home):
    """Runs Forge with a model that plays a script; gives its exit code, its seconds and the tokens of its prompts."""
    os.makedirs(home)
    with open(home + '.yaml', 'w') as f:
        f.write(text)
    model = subprocess.Popen([forge, 'dev', 'model', '--script', home + '.yaml'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = re.search(r'http://\S+', model.stdout.readline()).group()
        env = {**os.environ, 'FORGE_HOME': home, 'FORGE_BASE_URL': url, 'FORGE_MODEL': 'scripted', 'FORGE_TAG_REQUESTS': '1', 'FORGE_KEYCHAIN': 'off'}
        began = time.monotonic()
        done = subprocess.run([forge, 'run', '--trust', '--yes', '--json', '--dir', folder, '--', message], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        seconds = time.monotonic() - began
    finally:
        model.kill()
        model.wait()
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    prompts = sum(e['data'].get('inputTokens', 0) for e in events if e.get('type') == 'model')
    return done, seconds, prompts


def replay(arguments, sha):
    """One row of the table; None for a commit that is no task."""
    folder = os.path.join(arguments.work, sha[:10])
    shutil.rmtree(folder, ignore_errors=True)
    git([], 'clone', '-q', '--no-checkout', '--shared', arguments.repository, folder)
    at = ['-C', folder]
    git(at, 'checkout', '-q', '-b', 'work', sha + '^')
    git(at, 'remote', 'remove', 'origin')
    if arguments.setup and timed(arguments.setup, folder)[0]:
        return None
    paths = git(at, 'diff-tree', '--no-commit-id', '-r', '--name-only', '--no-renames', sha).split()
    tests = [p for p in paths if TEST.search(p)]
    code = [p for p in paths if p not in tests]
    part = lambda names: git(at, 'diff', '--no-renames', '--no-ext-diff', sha + '^', sha, '--', *names)
    git(at, 'restore', '--source', sha, '--', *tests)
    red, _ = timed(arguments.check, folder)
    git(at, 'restore', '--source', sha, '--', *code)
    _, first = timed(arguments.check, folder)
    green, before = timed(arguments.check, folder)
    if not red or green:
        return None
    git(at, 'reset', '-q', '--hard')
    git(at, 'clean', '-qfd', '-e', '.venv', '-e', 'node_modules')
    home = folder + '.home'
    shutil.rmtree(home, ignore_errors=True)
    message = re.sub(r'(?m)^(Co-authored-by|Signed-off-by).*$', '', git(at, 'log', '-1', '--format=%B', sha)).strip()
    done, seconds, tokens = run(arguments.forge, folder, message, script(part(tests), part(code)), home)
    got = {p: open(os.path.join(folder, p), errors='replace').read() if os.path.exists(os.path.join(folder, p)) else '' for p in paths}
    want = {p: git(at, 'show', f'{sha}:{p}') if git(at, 'ls-tree', sha, '--', p) else '' for p in paths}
    verdict = 'refused' if done.returncode else 'solved' if all(lines_of(got[p]) == lines_of(want[p]) for p in paths) else 'other'
    git(at, 'restore', '--source', sha, '--', *paths)
    _, after = timed(arguments.check, folder)
    why = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    return {'commit': sha[:10], 'verdict': verdict, 'tokens': tokens, 'seconds': round(seconds, 1), 'first': round(first, 1), 'own': round((before + after) / 2, 1),
            'compiling': round(seconds / first, 2), 'wall': round(2 * seconds / (before + after), 2), 'why': ''.join(why)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=int, default=10)
    for flag in ('--commits', '--setup', '--json'):
        parser.add_argument(flag, default='')
    parser.add_argument('--check', required=True)
    for name in ('forge', 'work', 'repository'):
        parser.add_argument(name)
    arguments = parser.parse_args()
    arguments.work, arguments.forge = os.path.abspath(arguments.work), os.path.abspath(arguments.forge)
    rows = []
    for tried, sha in enumerate(arguments.commits.split(',') if arguments.commits else candidates(arguments.repository)):
        if len(rows) == arguments.count or tried == 6 * arguments.count:
            break
        row = replay(arguments, sha)
        if row:
            rows.append(row)
            print('%(commit)s %(verdict)-8s %(tokens)6d tokens  run %(seconds)6.1f s, own tests %(first)6.1f and %(own)6.1f s: %(compiling)5.2f and %(wall)5.2f  %(why)s' % row, flush=True)
    solved = [r for r in rows if r['verdict'] == 'solved']
    if solved:
        print('%d of %d solved; median of solved: %d tokens, %.2f and %.2f times the own tests' % (
            len(solved), len(rows), *(statistics.median(r[key] for r in solved) for key in ('tokens', 'compiling', 'wall'))))
    elif not rows:
        print('no commit is a task: CHECK must fail with the tests of a commit alone, and pass with all of it')
    if arguments.json:
        with open(arguments.json, 'w') as f:
            json.dump(rows, f, indent=1)
    sys.exit(0 if rows and len(solved) == len(rows) else 1)


if __name__ == '__main__':
    main()
