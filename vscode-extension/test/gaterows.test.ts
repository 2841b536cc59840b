import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folded, gate, node, started } from './events';
import { all, shown, rowsOf } from './rowtree';

test('gates of parts that are worked on side by side stand below their part', () => {
  const part = { tier: 1, files: ['a.go'], dependsOn: [] };
  const parts = [
    { ...part, id: 'pay', title: 'round refunds' },
    { ...part, id: 'tax', title: 'split taxes' },
  ];
  const ids = ['pay/executor', 'pay/review', 'tax/executor', 'tax/review', 'executor'];
  const run = folded(
    started,
    ['graph', { nodes: [node('planner', 'PENDING')], edges: [], attempts: 3 }],
    ['planned', { parts, notes: [], minutes: 9 }],
    ['graph.grown', { nodes: ids.map((id) => node(id, 'PENDING')), edges: [] }],
    ['node', node('planner', 'DONE', 1)],
    ['node', node('pay/executor', 'RUNNING', 1)],
    ['node', node('tax/executor', 'RUNNING', 1)],
    ['gate.started', { node: 'pay/executor', attempt: 1, gate: 'go test', index: 1, of: 1 }],
    ['gate.started', { node: 'tax/executor', attempt: 1, gate: 'go test', index: 1, of: 1 }],
    ['gate.finished', { node: 'tax/executor', attempt: 1, gate: gate('go test', 'fail') }],
    ['gate.finished', { node: 'pay/executor', attempt: 1, gate: gate('go test', 'pass') }],
    ['node', node('pay/executor', 'DONE', 1)],
    ['node', node('pay/review', 'DONE', 1)],
    ['node', node('tax/executor', 'BLOCKED', 1, 'go test fails')],
  );
  assert.deepEqual(shown(run).slice(1), [
    '  pass-filled planner (done)',
    '  pass-filled pay (done · round refunds)',
    '    pass-filled executor (done)',
    '      pass go test (pass · go test pass · 1.2 s)',
    '    pass-filled review (done)',
    '  circle-slash tax (blocked · split taxes)',
    '    circle-slash executor (blocked · go test fails)',
    '      error go test (fail · go test fail · 1.2 s)',
    '    circle-large-outline review (pending)',
    '  circle-large-outline executor (pending · all parts together)',
  ]);
  const rowIds = rowsOf([run])
    .flatMap(all)
    .map((row) => row.id);
  assert.equal(new Set(rowIds).size, rowIds.length, 'all ids differ');
});

test('a part is folded before it has begun and when it is done, and a join says what it joins', () => {
  const part = { tier: 1, files: ['a.go'], dependsOn: [] };
  const parts = ['pay', 'tax'].map((id) => ({ ...part, id, title: id }));
  const ids = ['pay/executor', 'tax/executor', 'join-1/executor'];
  const edges = ['pay/review', 'tax/review'].map((from) => ({ from, to: 'join-1/explore', type: 'normal' as const }));
  const run = folded(
    started,
    ['planned', { parts, notes: [], minutes: 9 }],
    ['graph.grown', { nodes: ids.map((id) => node(id, 'PENDING')), edges }],
    ['node', node('pay/executor', 'DONE', 1)],
    ['node', node('tax/executor', 'RUNNING', 1)],
  );
  const below = rowsOf([run])[0]?.children ?? [];
  assert.deepEqual(
    below.map(({ label, unfolded, description }) => [label, unfolded, description]),
    [
      ['pay', false, 'done · pay'],
      ['tax', true, 'running · tax'],
      ['join-1', false, 'pending · pay, tax together'],
    ],
  );
  const later = folded(started, ['graph.grown', { nodes: [node('pay/executor', 'RUNNING', 1)], edges: [] }]);
  assert.notEqual(rowsOf([later])[0]?.children[0]?.id, below[0]?.id, 'the editor takes it for another row');
});

test('what was looked at for the orchestrator stands by its number, without a title', () => {
  const grown = { nodes: [node('delegate-1/subagent', 'RUNNING', 1)], edges: [] };
  assert.deepEqual(shown(folded(started, ['graph.grown', grown])).slice(1), [
    '  loading~spin delegate-1 (running)',
    '    loading~spin subagent (running)',
  ]);
});

test('a gate that has spoken can be run again, in the folder of its run; one that still runs cannot', () => {
  const run = folded(
    started,
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('go vet', 'pass') }],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('go build', 'fail') }],
    ['gate.started', { node: 'executor', attempt: 1, gate: 'go test', index: 3, of: 3 }],
  );
  const again = rowsOf([run])
    .flatMap(all)
    .filter((row) => row.context === 'gate');
  assert.deepEqual(
    again.map((row) => row.gate),
    [
      { name: 'go vet', folder: 'file:///w' },
      { name: 'go build', folder: 'file:///w' },
    ],
  );
});

test('the tests that are run behind the end of a run are a node of it', () => {
  const fails = 'whole suite: 1 test outside of the scope fails with this change: pay.TestRefund';
  const run = folded(
    started,
    ['graph', { nodes: [node('review', 'DONE', 1)], edges: [], attempts: 3 }],
    ['run.ended', { state: 'succeeded' }],
    ['node', node('suite', 'RUNNING', 1)],
    ['gate.started', { node: 'suite', attempt: 1, gate: 'go test', index: 1, of: 1 }],
    ['gate.finished', { node: 'suite', attempt: 1, gate: gate('go test', 'fail') }],
    ['node', node('suite', 'FAILED', 1, fails)],
  );
  assert.equal(run.status, 'succeeded');
  assert.deepEqual(shown(run).slice(2), [
    `  error suite (failed · ${fails})`,
    '    error go test (fail · go test fail · 1.2 s)',
  ]);
});
