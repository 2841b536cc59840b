"""What the adapters and the table must do before their figures mean anything. run.sh runs it first, with the engines installed."""
import json
import pathlib
import subprocess
import sys
import unittest

import table

HERE = pathlib.Path(__file__).parent
TEXT = 'one\ntwo\nthree\nfour\n'
WANTED = 'one\n2\nthree\nfour\n'


def edits(old):
    """The edit from `old` to 2 below `one`, in each format."""
    hunk = f' one\n-{old}\n+2\n three\n'
    return {
        'v4a': f'*** Begin Patch\n*** Update File: f.txt\n@@\n{hunk}*** End Patch\n',
        'search-replace': [{'path': 'f.txt', 'search': f'one\n{old}\nthree', 'replace': 'one\n2\nthree'}],
        'unified': f'--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n{hunk}',
    }


ENGINES = {'openai-agents': 'v4a', 'aider': 'search-replace', 'patch': 'unified', 'git-apply': 'unified'}


def ask(engine, *requests):
    lines = ''.join(json.dumps({'id': str(n), 'format': fmt, 'files': {'f.txt': TEXT}, 'edit': edit}) + '\n'
                    for n, (fmt, edit) in enumerate(requests))
    done = subprocess.run([sys.executable, str(HERE / 'engine.py'), engine, 'apply', '--batch'], input=lines, text=True,
                          stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Adapters(unittest.TestCase):
    def test_applies_an_edit_that_fits(self):
        for engine, fmt in ENGINES.items():
            with self.subTest(engine):
                answer, = ask(engine, (fmt, edits('two')[fmt]))
                self.assertEqual((True, {'f.txt': WANTED}), (answer['ok'], answer['files']), answer)

    def test_a_refusal_leaves_the_file_and_the_next_request_is_answered(self):
        for engine, fmt in ENGINES.items():
            with self.subTest(engine):
                refused, crashed, applied = ask(engine, (fmt, edits('nowhere')[fmt]), (fmt, None), (fmt, edits('two')[fmt]))
                for answer in refused, crashed:
                    self.assertEqual((False, {'f.txt': TEXT}), (answer['ok'], answer['files']), answer)
                self.assertTrue(applied['ok'])

    def test_reads_its_own_format_only(self):
        for engine, fmt in ENGINES.items():
            other = 'unified' if fmt == 'v4a' else 'v4a'
            with self.subTest(engine):
                self.assertIn('only', ask(engine, (other, edits('two')[other]))[0]['error']['message'])


def figures(right, wrong=0, no_answer=0, status=0):
    row = {'n': 10, 'right': right, 'WRONG': wrong, 'no-answer': no_answer}
    return {'classes': {'none': row}, 'total': row, 'status': status}


class Table(unittest.TestCase):
    def verdict(self, forge, *others):
        return table.line('none', [result['total'] for result in (forge, *others)])[-2:]

    def test_forge_is_held_to_the_best_of_each(self):
        self.assertEqual(['90.0/0.0', 'yes'], self.verdict(figures(9), figures(9), figures(8, 1)))
        self.assertEqual(['90.0/0.0', 'NO'], self.verdict(figures(8), figures(9, 1), figures(3)))
        self.assertEqual(['80.0/0.0', 'NO'], self.verdict(figures(9, 1), figures(8), figures(7)))

    def test_an_engine_that_does_nothing_is_not_measured(self):
        self.assertIsNone(table.unmeasured('x', figures(9)))
        for result in figures(0), figures(9, no_answer=1), figures(9, status=1):
            self.assertIsNotNone(table.unmeasured('x', result))


if __name__ == '__main__':
    unittest.main()
