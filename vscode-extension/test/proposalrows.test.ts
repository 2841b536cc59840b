import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '../src/protocol_gen';
import { fileOf, folded, gate, hunkOf, proposalOf, started } from './events';
import { all, rowsOf, shown } from './rowtree';

const proposal = proposalOf(
  'p1',
  fileOf('a.go', 'update', hunkOf('f1h1', 'pending')),
  fileOf('b.go', 'create', { ...hunkOf('f2h1', 'accepted', { start: 0, end: 1 }), level: 'unicode', risk: 'inexact' }),
);

test('an open proposal stands above its run, with its checks, files and hunks, and buttons only for what is pending', () => {
  const run = { ...folded(started), proposalId: 'p1' };
  assert.deepEqual(shown(run, proposal), [
    'git-pull-request Proposal: add Reverse (2 files · 1 pending)',
    '  pass Checked: 1 gate passed',
    '    pass go test (pass · go test pass · 1.2 s)',
    '  diff-modified a.go (+2 −0 · pending)',
    '    diff-modified lines 3–4 (pending)',
    '  check b.go (+2 −0 · create · accepted)',
    '    check line 1 (accepted · matched, but for similar characters)',
    'loading~spin add Reverse (running)',
    '  git-pull-request Proposal (open, above)',
  ]);
  const contexts = rowsOf([run], [proposal])
    .flatMap(all)
    .map((row) => row.context);
  assert.deepEqual(contexts, [
    ...['proposal.open', 'checks.closed', 'gate', 'file.open', 'hunk.open', 'file.closed', 'hunk.closed'],
    ...['run.alive', undefined],
  ]);
});

test('above what was checked stands what the model says of its change, with nothing hidden in it', () => {
  const explained = { ...proposal, explanation: 'Adds Reverse.\u202e It is\nneeded.' };
  const [says, checks] = rowsOf([], [explained])[0]?.children ?? [];
  assert.equal(says?.label, 'The model says: Adds Reverse.[U+202E] It is needed.');
  assert.equal(says.tooltip, 'The model says:\nAdds Reverse.[U+202E] It is\nneeded.');
  assert.equal(checks?.label, 'Checked: 1 gate passed');
});

test('a part, and what the user has edited, says that it was not checked, and offers to check it', () => {
  const checks = (of: Proposal['checks']['of'], gates = [] as Proposal['gates']) => ({
    ...proposal,
    checks: { of, state: gates.length > 0 ? ('checked' as const) : ('unchecked' as const), gates },
  });
  const first = (one: Proposal) => {
    const row = rowsOf([], [one])[0]?.children[0];
    return [row?.label, row?.context];
  };
  assert.deepEqual(first(checks('part')), ['Not checked as a part', 'checks.open']);
  assert.deepEqual(first(checks('amended')), ['Not checked as edited', 'checks.open']);
  const gates = [gate('go vet', 'pass'), gate('go test', 'fail')];
  assert.deepEqual(first(checks('part', gates)), ['Not passed as a part: go test', 'checks.closed']);
  assert.deepEqual(first(checks('part', [gate('go vet', 'pass'), gate('npm', 'not-run')])), [
    'Checked as a part: 1 gate passed, not run: npm',
    'checks.closed',
  ]);
  assert.deepEqual(first(checks('part', [gate('npm', 'not-run')])), [
    'Not checked as a part: no gate ran',
    'checks.closed',
  ]);
});

test('the row of a run opens and decides about its own proposal, not about the newest', () => {
  const old = { ...folded(started), runId: 'r0', proposalId: 'p0' };
  const found = rowsOf([{ ...folded(started), proposalId: 'p1' }, old], [proposal]).flatMap(all);
  const row = found.find(({ id }) => id === 'r0/proposal/p0');
  assert.deepEqual(row?.action, { do: 'showProposal', proposalId: 'p0' });
  const hunk = found.find(({ context }) => context === 'hunk.open');
  assert.deepEqual(hunk?.action, { do: 'showProposal', proposalId: 'p1', path: 'a.go', line: 2 });
  assert.deepEqual([hunk.proposalId, hunk.select], ['p1', { hunks: ['f1h1'] }]);
  assert.deepEqual(found.find(({ context }) => context === 'file.open')?.select, { files: ['file:///w/a.go'] });
});

test('what was decided about a proposal is below its run', () => {
  const closed = { ...proposal, state: 'closed' as const };
  assert.match(shown({ ...folded(started), proposalId: 'p1' }, closed)[1] ?? '', /^ {2}git-pull-request Proposal \(/);
});
