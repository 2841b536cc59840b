// What is pending in the user's own files: which hunks, where, and what comes next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffText, glimpse, neighbour, pendingFiles, selectPending, sizeText, type Pending } from '../src/pending';
import type { Hunk, Proposal } from '../src/protocol_gen';
import { fileOf, hunkOf, proposalOf } from './events';

// A hunk that replaces lines of the file as it is now, from `start` to before `end`.
function at(id: string, start: number, end: number, state: Hunk['state'] = 'pending'): Hunk {
  return { ...hunkOf(id, state, { start, end: start + 2 }), at: { start, end } };
}

const ids = (all: readonly Pending[] = []) => all.map(({ hunk }) => hunk.id);

const proposal = proposalOf(
  'p1',
  fileOf('a.go', 'update', at('f1h2', 20, 20), at('f1h1', 5, 7), at('f1h3', 30, 31, 'accepted')),
  fileOf('b.go', 'update', at('f2h1', 3, 4)),
  fileOf('c.go', 'update', at('f3h1', 1, 2, 'rejected')),
);

test('hunks that are not decided about, in the order of the text', () => {
  const files = pendingFiles([proposal]);
  assert.deepEqual([...files.keys()], ['file:///w/a.go', 'file:///w/b.go']);
  const { placed = [], lost } = files.get('file:///w/a.go') ?? {};
  assert.deepEqual(ids(placed), ['f1h1', 'f1h2']);
  assert.deepEqual(placed.map(({ index, of }) => [index, of]), [[1, 2], [2, 2]]); // prettier-ignore
  assert.equal(lost, 0);
});

test('a hunk without a place is counted, not placed', () => {
  const nowhere = at('f1h2', 9, 9);
  delete nowhere.lines;
  const hunks = [at('f1h1', 5, 7), nowhere, at('f1h3', 12, 12, 'conflict')];
  const [file] = pendingFiles([proposalOf('p1', fileOf('a.go', 'update', ...hunks))]).values();
  assert.deepEqual([ids(file?.placed), file?.lost], [['f1h1'], 2]);
});

test('the newest proposal for a file counts, and one that is closed does not', () => {
  const newer = proposalOf('p2', fileOf('b.go', 'update', at('f1h1', 9, 9)));
  const closed: Proposal = { ...proposalOf('p3', fileOf('a.go', 'update', at('f1h1', 1, 1))), state: 'closed' };
  const files = pendingFiles([closed, newer, proposal]);
  assert.deepEqual([...files.values()].map(({ placed }) => placed[0]?.proposalId), ['p2', 'p1']); // prettier-ignore
});

test('what a cursor and a selection stand for', () => {
  const [{ placed: pending } = { placed: [] }] = pendingFiles([proposal]).values();
  const cursor = (line: number) => selectPending(pending, { start: line, end: line + 1, empty: true }, 100)?.hunks;
  assert.deepEqual([4, 5, 6, 7, 20, 21].map(cursor), [undefined, ['f1h1'], ['f1h1'], undefined, ['f1h2'], undefined]);
  assert.deepEqual(selectPending(pending, { start: 6, end: 40, empty: false }, 100), { hunks: ['f1h1', 'f1h2'] });
  assert.deepEqual(
    selectPending(pending, { start: 19, end: 20, empty: true }, 20),
    { hunks: ['f1h2'] },
    'lines behind the last one are at the last one',
  );
});

test('the next and the previous change go through all files, and around', () => {
  const files = pendingFiles([proposal]);
  const from = (to: 'next' | 'previous', name: string, line: number) =>
    neighbour(files, to, { uri: `file:///w/${name}`, line })?.hunk.id;
  assert.deepEqual(
    [from('next', 'a.go', 0), from('next', 'a.go', 5), from('next', 'a.go', 20), from('next', 'b.go', 3)],
    ['f1h1', 'f1h2', 'f2h1', 'f1h1'],
  );
  assert.deepEqual(
    [from('previous', 'b.go', 3), from('previous', 'a.go', 20), from('previous', 'a.go', 5)],
    ['f1h2', 'f1h1', 'f2h1'],
  );
  assert.equal(from('next', 'other.go', 50), 'f1h1');
  assert.equal(neighbour(files, 'previous')?.hunk.id, 'f2h1');
  assert.equal(neighbour(new Map(), 'next'), undefined);
});

test('a hunk in words', () => {
  const [{ placed: [one, two] } = { placed: [] }] = pendingFiles([proposal]).values(); // prettier-ignore
  assert.ok(one && two);
  assert.deepEqual([sizeText(one), sizeText(two)], ['+2 −2', '+2']);
  assert.equal(glimpse(one), 'x … 1 more line');
  assert.equal(glimpse({ ...one, hunk: { ...one.hunk, newText: '\n' } }), '');
  assert.equal(diffText(one, ['old', 'older']), '-old\n-older\n+x\n+y');
  assert.equal(diffText({ ...one, hunk: { ...one.hunk, newText: '' } }, ['old']), '-old');
});
