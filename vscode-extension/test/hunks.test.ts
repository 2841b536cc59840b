// The hunks of a proposal by their lines in the proposed text: which one comes next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neighbourOf, openHunks, selectAt } from '../src/hunks';
import { fileOf, hunkOf, proposalOf } from './events';

const proposal = proposalOf(
  'p1',
  fileOf(
    'a.go',
    'update',
    hunkOf('f1h2', 'pending', { start: 20, end: 22 }),
    hunkOf('f1h1', 'pending', { start: 5, end: 7 }),
  ),
  fileOf('b.go', 'update', hunkOf('f2h1', 'rejected', { start: 1, end: 2 })),
  fileOf(
    'c.go',
    'create',
    hunkOf('f3h1', 'pending', { start: 0, end: 9 }),
    hunkOf('f3h2', 'accepted', { start: 9, end: 12 }),
  ),
);

const from = (to: 'next' | 'previous', path: string, line: number) =>
  neighbourOf(proposal, to, { path, line })?.hunk.id;

test('the next open hunk is in this file, then in the next file, then again the first one', () => {
  const next = [from('next', 'a.go', 0), from('next', 'a.go', 5), from('next', 'a.go', 20), from('next', 'c.go', 0)];
  assert.deepEqual(next, ['f1h1', 'f1h2', 'f3h1', 'f1h1']);
});

test('the previous open hunk is the other way round', () => {
  const before = [from('previous', 'c.go', 3), from('previous', 'c.go', 0), from('previous', 'a.go', 5)];
  assert.deepEqual(before, ['f3h1', 'f1h2', 'f3h1']);
});

test('a file that is decided about is a place too, and an unknown place is the beginning', () => {
  assert.equal(from('next', 'b.go', 1), 'f3h1');
  assert.equal(from('previous', 'b.go', 1), 'f1h2');
  assert.equal(from('next', 'gone.go', 1), 'f1h1');
  assert.equal(neighbourOf(proposal, 'previous')?.hunk.id, 'f3h1');
});

test('a proposal that is decided about has no next hunk', () => {
  const decided = proposalOf('p2', fileOf('a.go', 'update', hunkOf('f1h1', 'accepted')));
  assert.equal(neighbourOf(decided, 'next', { path: 'a.go', line: 0 }), undefined);
});

test('selected lines name the text that they are of, and a cursor its hunk', () => {
  const file = proposal.files[0];
  assert.ok(file);
  const lines = { start: 0, end: 100, empty: false };
  assert.deepEqual(selectAt(file, lines, { digest: 'd' }), {
    lines: [{ path: 'a.go', start: 0, end: 100, digest: 'd' }],
  });
  const { start } = openHunks(file)[0]?.lines ?? assert.fail();
  assert.deepEqual(selectAt(file, { start, end: start + 1, empty: true }, { digest: 'd' }), { hunks: ['f1h1'] });
  assert.equal(selectAt(file, { start: 900, end: 901, empty: false }, { digest: 'd' }), undefined);
});
