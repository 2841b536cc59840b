#!/usr/bin/env python3
"""Says how much of what true commits change stands in the first prompts for them, and what the prompts cost. No model is asked.

usage: shown.py [--count N] [--skip N] [--nodes NODE,...] [--json FILE] [--dump DIR] [--keep] [-v] FORGE WORK REPOSITORY...

The message of a commit that changes code and tests is the request, its parent the folder. Its changes are taken as edits, each with
three lines around it: an edit is shown if all of its old lines stand in the prompt, the first one for the tests and the first one for
the implementation, with nothing asked for before. The tests of the commit are those that the implementation comes after.
--keep has a work tree for each commit, so that the next time is quicker. FORGE is a built program, WORK a folder for work trees, each REPOSITORY a bare clone.

Of edits that are not shown:
  absent   nothing of the file is in the prompt          elsewhere  parts of the file are, and not these
  partly   some of the lines are
"""
import argparse
import collections
import difflib
import json
import os
import re
import statistics
import subprocess
import sys

KINDS = [
    (r'\.go$', r'_test\.go$|(^|/)testdata/'),
    (r'\.py$', r'(^|/)(tests?|testing)/|(^|/)test_[^/]*\.py$|_test\.py$'),
    (r'\.[cm]?[jt]sx?$', r'(^|/)(tests?|__tests__)/|\.(test|spec)(-d)?\.[cm]?[jt]sx?$|(^|/)test(-d)?\.[cm]?[jt]sx?$'),
    (r'\.rs$', r'(^|/)(tests?|benches)/|(^|/)tests?\.rs$'),
]
MANIFESTS = re.compile(r'(^|/)(go\.(mod|sum)|package(-lock)?\.json|pnpm-lock\.yaml|pyproject\.toml|setup\.(py|cfg))$')
NODES = ('orchestrator', 'spec', 'tests', 'implementation')


def git(repo, *args, check=True):
    done = subprocess.run(['git', '--git-dir', repo, *args], capture_output=True)
    if check and done.returncode:
        raise RuntimeError(done.stderr.decode('utf8', 'replace'))
    return done.stdout.decode('utf8', 'replace') if not done.returncode else None


def commits(repo):
    """Commits that change code and tests, few files and few lines of them."""
    for sha in git(repo, 'rev-list', '--no-merges', '-n', '1500', 'HEAD').split():
        names = [l.split('\t') for l in git(repo, 'diff-tree', '--no-commit-id', '-r', '--numstat', '--no-renames', sha).splitlines()]
        if not names or len(names) > 8 or any(n[0] == '-' for n in names) or sum(int(n[0]) + int(n[1]) for n in names) > 300:
            continue
        paths = [n[2] for n in names]
        if any(MANIFESTS.search(p) for p in paths):
            continue
        for source, test in KINDS:
            tests = [p for p in paths if re.search(source, p) and re.search(test, p) or re.search(test, p) and not re.search(r'\.\w+$', p)]
            if tests and any(re.search(source, p) and not re.search(test, p) for p in paths):
                yield sha, [p for p in paths if re.search(test, p)], [p for p in paths if not re.search(test, p)]
                break


def edits(old, new):
    """The old lines of each change, with three lines around it; changes that are near each other are one."""
    o, n = old.splitlines(), new.splitlines()
    merged = []
    for tag, i1, i2, _, _ in difflib.SequenceMatcher(None, o, n, autojunk=False).get_opcodes():
        if tag == 'equal':
            continue
        if merged and i1 - merged[-1][1] < 6:
            merged[-1][1] = i2
        else:
            merged.append([i1, i2])
    return [o[max(0, a - 3):min(len(o), b + 3)] for a, b in merged]


def lines_of(prompt):
    """The lines that stand in a prompt, with and without their numbers."""
    return {re.sub(r'^\s*\d+\s*[|:]', '', l).strip() for l in prompt.splitlines()} | {l.strip() for l in prompt.splitlines()}


def judge(path, lines, prompt, headings):
    wanted = [l.strip() for l in lines if l.strip()]
    there = sum(l in prompt for l in wanted)
    if there == len(wanted):
        return 'shown'
    if path not in headings:
        return 'absent'
    return 'partly' if there >= 2 and there * 2 >= len(wanted) else 'elsewhere'


class Forge:
    def __init__(self, program, work, name, keep):
        self.work, self.name, self.keep = work, name, keep
        self.program, self.tree, self.home, self.diff = program, os.path.join(work, name), os.path.join(work, name + '.home'), os.path.join(work, name + '.diff')

    def at(self, repo, sha):
        if self.keep:
            self.tree = os.path.join(self.work, self.name + '-' + sha[:10])
            if os.path.isdir(self.tree):
                return
        if not os.path.isdir(self.tree):
            subprocess.run(['git', 'clone', '-q', '--no-checkout', '--shared', repo, self.tree], check=True)
            subprocess.run(['git', '-C', self.tree, 'remote', 'remove', 'origin'], check=False, capture_output=True)
        for command in (['checkout', '-q', '-f', '-B', 'work', sha], ['clean', '-qfdx']):
            subprocess.run(['git', '-C', self.tree, *command], check=False, capture_output=True)  # a mirror may lack large files

    def known(self):
        """Waits until all of the tree is indexed: a prompt would do without after a moment."""
        subprocess.run([self.program, 'search', '--dir', self.tree, 'index'], env=self.env(), capture_output=True, check=False)

    def env(self):
        return {**os.environ, 'FORGE_HOME': self.home, 'FORGE_KEYCHAIN': 'off', 'FORGE_BASE_URL': 'http://127.0.0.1:9/v1', 'FORGE_MODEL': 'none'}

    def prompt(self, request, *flags):
        done = subprocess.run([self.program, 'prompt', '--dry-run', '--trust', '--json', '--dir', self.tree, *flags, '--', request], env=self.env(), capture_output=True, text=True)
        try:
            return json.loads(done.stdout), ''
        except ValueError:
            return None, (done.stdout + done.stderr).strip()[:300]


def one(a, forge, repo, sha, tests, code):
    message = git(repo, 'log', '-1', '--format=%B', sha)
    message = re.sub(r'(?mi)^(Co-authored-by|Signed-off-by).*$', '', message).strip()
    row = {'repository': forge.name, 'commit': sha[:10], 'subject': message.splitlines()[0][:80] if message else '', 'misses': []}
    with open(forge.diff, 'w', encoding='utf8', newline='') as f:
        f.write(git(repo, 'diff', '--no-renames', sha + '^', sha, '--', *tests))
    for node in a.nodes.split(','):
        if node == 'orchestrator' or node == 'spec':
            doc, why = forge.prompt(message, '--node', node)
        else:
            doc, why = forge.prompt(message, '--profile', 'tdd', *(['--written', forge.diff] if node == 'implementation' else []))
        if doc is None:
            row['error'] = node + ': ' + why
            continue
        text = '\n'.join(m['text'] for m in doc['messages'])
        row[node + '_tokens'] = len(text) // 4
        row[node + '_sections'] = [(s['kind'], s['name'], s['tokens']) for s in doc['sections']]
        if a.dump:
            with open(os.path.join(a.dump, '%s-%s-%s.txt' % (row['repository'], sha[:7], node)), 'w') as f:
                f.write(text)
        if node not in ('tests', 'implementation'):
            continue
        lines = lines_of(text)
        headings = {s.get('source') or s['name'] for s in doc['sections']}
        verdicts = []
        for path in tests if node == 'tests' else code:
            old, new = git(repo, 'show', sha + '^:' + path, check=False), git(repo, 'show', sha + ':' + path, check=False)
            if not old or new is None:
                continue
            for e in edits(old, new):
                verdict = judge(path, e, lines, headings)
                verdicts.append(verdict)
                if verdict != 'shown':
                    row['misses'].append((node, verdict, path, next((l.strip()[:80] for l in e if l.strip() and l.strip() not in lines), '')))
        if verdicts:
            row[node] = sum(v == 'shown' for v in verdicts) / len(verdicts)
            row[node + '_classes'] = collections.Counter(verdicts)
    return row


def mean(rows, key):
    values = [r[key] for r in rows if key in r]
    return '%.2f' % statistics.mean(values) if values else '   -'


def median(rows, key):
    values = [r[key] for r in rows if key in r]
    return '%6d' % statistics.median(values) if values else '     -'


def classes(rows):
    out = []
    for node in ('tests', 'implementation'):
        sums = collections.Counter()
        for r in rows:
            sums.update(r.get(node + '_classes', {}))
        out.append(' '.join('%s %d' % (k, sums[k]) for k in ('shown', 'partly', 'elsewhere', 'absent')))
    return ' | '.join(out)


def report(name, rows):
    print('%-14s %3d  %s / %s   %s   %s' % (name[:14], len(rows), mean(rows, 'tests'), mean(rows, 'implementation'),
                                         ' '.join(median(rows, n + '_tokens') for n in NODES), classes(rows)), flush=True)


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument('--count', type=int, default=15)
    p.add_argument('--skip', type=int, default=0)
    p.add_argument('--nodes', default=','.join(NODES))
    p.add_argument('--json', default='')
    p.add_argument('--dump', default='')
    p.add_argument('--keep', action='store_true')
    p.add_argument('-v', action='store_true')
    p.add_argument('forge')
    p.add_argument('work')
    p.add_argument('repository', nargs='+')
    a = p.parse_args()
    for folder in filter(None, (a.work, a.dump)):
        os.makedirs(folder, exist_ok=True)
    print('%-14s %3s  %-11s   %s   %s' % ('repository', 'n', 'tests/impl', 'tokens: decision, specification, tests, implementation', 'edits of tests | of the implementation'))
    rows, means = [], []
    for repo in a.repository:
        name = os.path.basename(os.path.dirname(repo.rstrip('/')) if repo.rstrip('/').endswith('/repo') else repo.rstrip('/')).split('+')[-1]
        forge, found = Forge(os.path.abspath(a.forge), a.work, name, a.keep), []
        for n, (sha, tests, code) in enumerate(commits(repo)):
            if n < a.skip:
                continue
            if len(found) == a.count:
                break
            forge.at(repo, git(repo, 'rev-parse', sha + '^').strip())
            forge.known()
            found.append(one(a, forge, repo, sha, tests, code))
            if a.v:
                r = found[-1]
                print('  %s %s / %s  %s %s' % (r['commit'], r.get('tests', '-'), r.get('implementation', '-'), r['subject'], r.get('error', '')))
                for m in r['misses']:
                    print('      %-14s %-9s %s: %s' % m)
        report(name, found)
        rows += found
        means.append({k: statistics.mean([r[k] for r in found if k in r]) for k in ('tests', 'implementation') if any(k in r for r in found)})
    report('all commits', rows)
    print('mean of %d repositories: %s / %s' % (len(means), mean(means, 'tests'), mean(means, 'implementation')))
    if a.json:
        with open(a.json, 'w') as f:
            json.dump(rows, f, indent=1)
    return 0


if __name__ == '__main__':
    sys.exit(main())
