#!/usr/bin/env python3
"""Replays real commits with a model that knows the true change, and times a run beside the project's own tests.

usage: replay.py [--count N] [--commits SHA,...] [--under PATTERN] [--setup COMMAND] [--broken] [--aider PROGRAM] [--json FILE] --check COMMAND FORGE WORK REPOSITORY

FORGE is a built program, WORK a folder for work trees, REPOSITORY a bare clone. The message of a commit that changes code and tests is the
request, its parent the folder. SETUP prepares the folder as a contributor would, CHECK is the project's own command for its tests. A commit
counts if CHECK fails with its tests alone and passes with all of it. It must execute the tests each time: `go test -count=1 ./...`, for
else Go answers the second time what it remembers of the first, and wall is of no use. `{folders}` in CHECK stands for the folders of the
commit's code, and `{tests}` for its test files, for projects whose whole suite takes too long. --under takes only commits whose files all match PATTERN.
`forge dev model` answers with the commit's tests and its code.

  solved   the run ended with code 0, and each file of the commit is as the commit has it, apart from white space
  other    it ended with code 0, with another text
  refused  it ended with another code
  own      seconds of CHECK on the finished change: when it has to compile the change, as a run of Forge has to, and when all is compiled
           (the mean of one before and one after the run)
  wall     seconds of the run without the model, by each of these: those during which no answer was awaited
  tokens   of all prompts of the run, as Forge counts them
  shown    the share of the edits of the commit's code whose old lines all stand in the first prompt for the implementation

--think SECONDS is what each answer of the model takes, as a real one takes time to write. With 0, the default, nothing can be done while
the model writes.

--aider PROGRAM gives aider the same change of the same commit, and prints whether its text is the commit's, and the tokens of its prompts beside
those of Forge's, both as bytes divided by four.

With --broken, the model leaves one part of the code out so that CHECK fails, if possible one without which everything compiles:

  green    the run ended with code 0, falsely
  refused  it ended with another code, as it must
"""
import argparse
import difflib
import http.server
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'context'))
import shown  # noqa: E402  it lies in another folder
import aider  # noqa: E402

TEST = re.compile(r'_test\.go$|(^|/)(testdata|tests?|testing|__tests__)/|(^|/)test_[^/]*\.py$|_test\.py$|\.(test|spec)(-d)?\.[cm]?[jt]sx?$|(^|/)tests?\.rs$')
CODE = re.compile(r'\.(go|py|[cm]?[jt]sx?|rs)$')
MANIFEST = re.compile(r'(^|/)(go\.(mod|sum)|package(-lock)?\.json|pyproject\.toml|setup\.(py|cfg)|Cargo\.toml)$')
UNCOMPILED = re.compile(r'undefined:|build failed|cannot use|declared and not used|SyntaxError|ImportError|NameError|error TS|error\[E|has no field or method')
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
INLINE = '#[cfg(test)]'
PARTS = 6  # how many parts --broken tries to leave out


def git(where, *args):
    return subprocess.run(['git', *where, *args], check=True, capture_output=True).stdout.decode('utf8', 'replace')


def timed(command, folder):
    """The exit code of a command, its seconds and its output."""
    began = time.monotonic()
    done = subprocess.run(['bash', '-c', command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, time.monotonic() - began, done.stdout.decode('utf8', 'replace')


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def candidates(repository, under=''):
    """Commits of code and tests with at most 8 files and 300 changed lines, newest first."""
    where = ['--git-dir', repository]
    for sha in git(where, 'rev-list', '--no-merges', '-n', '2000', 'HEAD').split():
        names = [line.split('\t') for line in git(where, 'diff-tree', '--no-commit-id', '-r', '--numstat', '--no-renames', sha).splitlines()]
        paths = [name[2] for name in names]
        small = names and len(names) <= 8 and all(n[0] != '-' for n in names) and sum(int(n[0]) + int(n[1]) for n in names) <= 300
        tests = [p for p in paths if TEST.search(p)]
        if small and tests and not any(MANIFEST.search(p) for p in paths) and any(CODE.search(p) and not TEST.search(p) for p in paths) \
                and all(re.search(under, p) for p in paths):
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
        ({'node': 'debugger'}, {'rootCause': 'The change is wrong.', 'hypotheses': [], 'fix': 'Change it.', 'mustRead': [], 'strategy': ''}),
        ({'node': 'review'}, {'pass': True, 'reason': 'It does what was asked for.', 'issues': []}),
    ]
    return json.dumps({'entries': [{'match': match, 'times': -1, 'reply': {'json': reply}} for match, reply in says]}, ensure_ascii=False)  # YAML knows no surrogates


class Window(http.server.BaseHTTPRequestHandler):
    """Passes each request on to the scripted model, and keeps its text."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        began = time.monotonic()
        self.server.prompts.append('\n'.join(str(m.get('content')) for m in json.loads(body).get('messages', [])))
        time.sleep(self.server.think)
        self.server.awaited.append((began, time.monotonic()))
        self.forward(body)

    def do_GET(self):
        self.forward(None)

    def forward(self, body):
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ('host', 'connection', 'content-length')}
        try:
            reply = DIRECT.open(urllib.request.Request(self.server.model + self.path, body, headers))
        except urllib.error.HTTPError as e:
            reply = e
        with reply:
            data = reply.read()
        self.send_response(reply.status)
        self.send_header('Content-Type', reply.headers['Content-Type'])
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def length(spans):
    """The seconds that are in at least one of the spans."""
    seconds, reached = 0, 0
    for began, ended in sorted(spans):
        seconds += max(0, ended - max(began, reached))
        reached = max(reached, ended)
    return seconds


def run(forge, folder, message, text, home, think):
    """Runs Forge with a model that plays a script; gives how it ended, its seconds without the model, its events and the texts of its prompts."""
    os.makedirs(home)
    with open(home + '.yaml', 'w') as f:
        f.write(text)
    model = subprocess.Popen([forge, 'dev', 'model', '--script', home + '.yaml'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    window = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Window)
    window.prompts, window.awaited, window.think = [], [], think
    threading.Thread(target=window.serve_forever, daemon=True).start()
    try:
        url = re.search(r'http://[^/\s]+', model.stdout.readline()).group()
        window.model = url
        env = {**os.environ, 'FORGE_HOME': home, 'FORGE_BASE_URL': 'http://127.0.0.1:%d/v1' % window.server_port, 'FORGE_MODEL': 'scripted', 'FORGE_TAG_REQUESTS': '1', 'FORGE_KEYCHAIN': 'off'}
        began = time.monotonic()
        done = subprocess.run([forge, 'run', '--trust', '--yes', '--json', '--dir', folder, '--', message], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        seconds = time.monotonic() - began - length(window.awaited)
    finally:
        window.shutdown()
        model.kill()
        model.wait()
    with open(home + '.jsonl', 'w') as f:
        f.write(done.stdout + done.stderr)
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    return done, seconds, events, window.prompts


class Commit:
    """A commit, with a clone at its parent."""

    def __init__(self, arguments, sha):
        self.sha, self.folder = sha, os.path.join(arguments.work, sha[:10])
        shutil.rmtree(self.folder, ignore_errors=True)
        git([], 'clone', '-q', '--no-checkout', '--shared', arguments.repository, self.folder)
        self.git('checkout', '-q', '-b', 'work', sha + '^')
        self.git('remote', 'remove', 'origin')
        self.paths = self.git('diff-tree', '--no-commit-id', '-r', '--name-only', '--no-renames', sha).split()
        self.tests = [p for p in self.paths if TEST.search(p)]
        self.code = [p for p in self.paths if p not in self.tests]
        folders = sorted({'./' + os.path.dirname(p) for p in self.code if CODE.search(p)})
        self.check = arguments.check.replace('{folders}', ' '.join(folders)).replace('{tests}', ' '.join(p for p in self.tests if CODE.search(p)))

    def git(self, *args):
        return git(['-C', self.folder], *args)

    def own(self):
        return timed(self.check, self.folder)

    def take(self, paths):
        self.git('restore', '--source', self.sha, '--', *paths)

    def tree(self):
        there = [p for p in self.paths if os.path.lexists(os.path.join(self.folder, p)) or self.git('ls-files', '--', p)]
        self.git('add', '-f', '--', *there)
        return self.git('write-tree', '--missing-ok').strip()

    def patches(self):
        """What the folder's files change: the tests, those in files of Rust's code included, and then the code."""
        after = self.tree()
        self.git('restore', '--source', self.sha + '^', '--staged', '--worktree', '--', *self.code)
        for path in (p for p in self.code if p.endswith('.rs')):
            old, new = self.text(self.sha + '^', path), self.text(after, path)
            if INLINE in old and INLINE in new:
                self.write(path, old[:old.rindex(INLINE)] + new[new.rindex(INLINE):])
        between = self.tree()
        self.git('reset', '-q')
        return [self.git('diff', '--no-renames', '--no-ext-diff', *trees) for trees in ((self.sha + '^', between), (between, after))]

    def clean(self):
        self.git('reset', '-q')
        changed = self.git('diff', '--name-only', '--diff-filter=M').split() + [p for p in self.paths if self.git('ls-files', '--', p)]
        self.git('checkout', '-q', '--', *changed)  # not all: a clone may lack large files
        self.git('clean', '-qfd', '-e', '.venv', '-e', 'node_modules')

    def text(self, sha, path):
        return self.git('show', f'{sha}:{path}') if self.git('ls-tree', sha, '--', path) else ''

    def message(self):
        return re.sub(r'(?m)^(Co-authored-by|Signed-off-by).*$', '', self.git('log', '-1', '--format=%B', self.sha)).strip()

    def write(self, path, text):
        with open(os.path.join(self.folder, path), 'w', newline='') as f:
            f.write(text)

    def read(self, path):
        full = os.path.join(self.folder, path)
        return open(full, errors='replace', newline='').read() if os.path.exists(full) else ''

    def leave_out(self):
        """Leaves one part of the code out so that the tests fail; gives whether there is such a part."""
        last, tried = None, 0
        for path in (p for p in self.code if CODE.search(p)):
            new = self.read(path)
            old, lines = self.text(self.sha + '^', path).splitlines(keepends=True), new.splitlines(keepends=True)
            changes = [c for c in difflib.SequenceMatcher(None, old, lines, autojunk=False).get_opcodes() if c[0] != 'equal']
            for _, i1, i2, j1, j2 in changes if old and lines and len(changes) + len(self.code) > 2 else []:
                if tried == PARTS:
                    break
                tried += 1
                text = ''.join(lines[:j1] + old[i1:i2] + lines[j2:])
                self.write(path, text)
                code, _, output = self.own()
                if code and not UNCOMPILED.search(output):
                    return True
                last = (path, text) if code else last
                self.write(path, new)
        if last:
            self.write(*last)
        return bool(last)


def share(commit, prompts):
    """The share of the code's edits that the first prompt for the implementation shows; None without edits of files that were there."""
    first = next((p for p in prompts if 'You implement a change' in p), '')
    there = shown.lines_of(first)
    edits = [e for path in commit.code for e in shown.edits(commit.text(commit.sha + '^', path), commit.text(commit.sha, path)) if e]
    return round(sum(all(line.strip() in there for line in e if line.strip()) for e in edits) / len(edits), 2) if first and edits else None


def verdict(commit, done, broken):
    if done.returncode:
        return 'refused'
    if broken:
        return 'green'
    return 'solved' if all(lines_of(commit.read(p)) == lines_of(commit.text(commit.sha, p)) for p in commit.paths) else 'other'


def replay(arguments, sha):
    """One row of the table; None for a commit that is no task."""
    commit = Commit(arguments, sha)
    if arguments.setup and timed(arguments.setup, commit.folder)[0]:
        return None
    commit.take(commit.tests)
    red, _, _ = commit.own()
    commit.take(commit.code)
    green, first, _ = commit.own()
    if not red or green:
        return None
    _, before, _ = commit.own()
    if arguments.broken and not commit.leave_out():
        return None
    tests, code = commit.patches()
    commit.clean()
    home = commit.folder + '.home'
    shutil.rmtree(home, ignore_errors=True)
    load = os.getloadavg()[0]
    done, seconds, events, prompts = run(arguments.forge, commit.folder, commit.message(), script(tests, code), home, arguments.think)
    ended = verdict(commit, done, arguments.broken)
    commit.take(commit.paths)
    _, after, _ = commit.own()
    beside = beside_aider(arguments, commit, tests + code, prompts) if arguments.aider else ''
    why = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    return {'commit': sha[:10], 'verdict': ended, 'tokens': sum(e['data'].get('inputTokens', 0) for e in events if e.get('type') == 'model'),
            'shown': share(commit, prompts), 'seconds': round(seconds, 1), 'first': round(first, 1), 'own': round((before + after) / 2, 1),
            'compiling': round(seconds / first, 2), 'wall': round(2 * seconds / (before + after), 2), 'load': load, 'why': ''.join(why) + beside}


def beside_aider(arguments, commit, patch, prompts):
    """What aider made of the commit, and the tokens of its prompts beside those of Forge's."""
    commit.clean()
    known = [p for p in commit.paths if commit.text(commit.sha + '^', p)]
    tokens, _ = aider.run(arguments.aider, commit.folder, commit.message(), patch, known, commit.check)
    ended = 'solved' if all(lines_of(commit.read(p)) == lines_of(commit.text(commit.sha, p)) for p in commit.paths) else 'other'
    own = sum(len(p.encode()) for p in prompts) // 4
    return f' aider {ended} {tokens} tokens beside {own}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=int, default=10)
    parser.add_argument('--think', type=float, default=0)
    parser.add_argument('--broken', action='store_true')
    for flag in ('--commits', '--under', '--setup', '--json', '--aider'):
        parser.add_argument(flag, default='')
    parser.add_argument('--check', required=True)
    for name in ('forge', 'work', 'repository'):
        parser.add_argument(name)
    arguments = parser.parse_args()
    arguments.work, arguments.forge = os.path.abspath(arguments.work), os.path.abspath(arguments.forge)
    rows = []
    for tried, sha in enumerate(arguments.commits.split(',') if arguments.commits else candidates(arguments.repository, arguments.under)):
        if len(rows) == arguments.count or tried == 6 * arguments.count:
            break
        row = replay(arguments, sha)
        if row:
            rows.append(row)
            print('%(commit)s %(verdict)-8s %(tokens)6d tokens  shown %(shown)s  run %(seconds)6.1f s, own tests %(first)6.1f and %(own)6.1f s: %(compiling)5.2f and %(wall)5.2f  %(why)s' % row, flush=True)
    wanted = [r for r in rows if r['verdict'] == ('refused' if arguments.broken else 'solved')]
    if wanted:
        print('%d of %d %s; their medians: %d tokens, %.2f and %.2f times the own tests' % (
            len(wanted), len(rows), wanted[0]['verdict'], *(statistics.median(r[key] for r in wanted) for key in ('tokens', 'compiling', 'wall'))))
    elif not rows:
        print('no commit is a task: CHECK must fail with the tests of a commit alone, and pass with all of it')
    if arguments.json:
        with open(arguments.json, 'w') as f:
            json.dump(rows, f, indent=1)
    sys.exit(0 if rows and len(wanted) == len(rows) else 1)


if __name__ == '__main__':
    main()
