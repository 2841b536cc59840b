import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunInfo } from '../src/protocol_gen';
import { Runs } from '../src/runlist';
import { alive, reads } from '../src/runs';
import { elapsed } from '../src/tries';
import { events, folded, gate, node, proposalOf, started } from './events';

const ask = { askId: 'q1', kind: 'approve', title: 'Is this right?', choices: [], default: 'no' };
const cost = { usd: 0, text: '$0.00' };
const call = { node: 'spec', attempt: 1, round: 0, model: 'm', inputTokens: 100, outputTokens: 20, elapsedMs: 5, cost };

test('a run starts with its task, folder and model', () => {
  const run = folded(started);
  assert.equal(run.task, 'add Reverse');
  assert.equal(run.folder, 'file:///w');
  assert.equal(run.model, 'scripted');
  assert.equal(run.status, 'running');
  assert.equal(run.seq, 1);
});

test('a run that is resumed runs again, and its open questions are asked anew', () => {
  const cut = folded(started, ['ask', ask], ['run.ended', { state: 'interrupted', reason: 'the server ended' }]);
  assert.equal(cut.status, 'interrupted');

  const run = folded(
    started,
    ['ask', ask],
    ['run.ended', { state: 'interrupted', reason: 'the server ended' }],
    ['run.resumed', { model: 'other', stuck: [] }],
  );
  assert.equal(run.status, 'running');
  assert.equal(run.reason, '');
  assert.equal(run.model, 'other');
  assert.deepEqual(run.asks, []);
});

test('a node changes in its place in the graph', () => {
  const graph = { nodes: [node('spec', 'PENDING'), node('executor', 'PENDING')], edges: [] };
  const run = folded(started, ['graph', graph], ['node', node('spec', 'DONE', 1)]);
  assert.deepEqual(
    run.nodes.map((state) => [state.node.id, state.node.status]),
    [
      ['spec', 'DONE'],
      ['executor', 'PENDING'],
    ],
  );
});

test('a node that the graph did not name is added', () => {
  const run = folded(
    started,
    ['graph', { nodes: [node('spec', 'DONE')], edges: [] }],
    ['node', node('late', 'RUNNING', 1)],
  );
  assert.deepEqual(
    run.nodes.map((state) => state.node.id),
    ['spec', 'late'],
  );
});

test('a graph whose lists Go wrote as null has no nodes', () => {
  assert.deepEqual(folded(['graph', { nodes: null, edges: null }]).nodes, []);
});

test('a gate runs, then has a verdict, and a later attempt does not overwrite it', () => {
  const before = folded(
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.started', { node: 'executor', attempt: 1, gate: 'test', index: 1, of: 1 }],
  );
  assert.equal(before.nodes[0]?.gates[0]?.report, undefined);

  const after = folded(
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.started', { node: 'executor', attempt: 1, gate: 'test', index: 1, of: 1 }],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('test', 'fail') }],
    ['gate.started', { node: 'executor', attempt: 2, gate: 'test', index: 1, of: 1 }],
    ['gate.finished', { node: 'executor', attempt: 2, gate: gate('test', 'pass') }],
  );
  assert.deepEqual(
    after.nodes[0]?.gates.map(({ attempt, report }) => [attempt, report?.verdict]),
    [
      [1, 'fail'],
      [2, 'pass'],
    ],
  );
});

test('the same gate may run twice in one attempt: seen red, then green', () => {
  const run = folded(
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.started', { node: 'executor', attempt: 1, gate: 'test', index: 1, of: 1 }],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('test', 'fail') }],
    ['gate.started', { node: 'executor', attempt: 1, gate: 'test', index: 1, of: 1 }],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('test', 'pass') }],
  );
  assert.deepEqual(
    run.nodes[0]?.gates.map(({ report }) => report?.verdict),
    ['fail', 'pass'],
  );
});

test('a node keeps its gates when it changes', () => {
  const run = folded(
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('vet', 'pass') }],
    ['node', node('executor', 'BLOCKED', 1, 'tests fail')],
  );
  assert.equal(run.nodes[0]?.gates.length, 1);
  assert.equal(run.nodes[0].node.reason, 'tests fail');
});

test('a question makes a run wait, its answer lets it go on', () => {
  const waiting = folded(started, ['ask', ask]);
  assert.equal(waiting.status, 'waiting');
  assert.deepEqual(waiting.asks, [ask]);

  const answered = folded(started, ['ask', ask], ['answered', { askId: 'q1', choice: 'yes' }]);
  assert.equal(answered.status, 'running');
  assert.deepEqual(answered.asks, []);
});

test('an answer to another question closes nothing', () => {
  assert.equal(folded(started, ['ask', ask], ['answered', { askId: 'q2' }]).status, 'waiting');
});

test('calls and tokens add up, failed ones too', () => {
  const run = folded(started, ['model', call], ['model', { ...call, failure: 'no JSON' }]);
  assert.deepEqual([run.calls, run.inputTokens, run.outputTokens], [2, 200, 40]);
});

test('an ended run is not alive, says why, and asks nothing', () => {
  const run = folded(started, ['ask', ask], ['run.ended', { state: 'blocked', reason: 'no model' }]);
  assert.equal(alive(run), false);
  assert.deepEqual([run.status, run.reason, run.asks], ['blocked', 'no model', []]);
});

test('an event type of a later version only counts', () => {
  const before = folded(started);
  assert.deepEqual(folded(started, ['future', { x: 1 }]), { ...before, seq: 2 });
});

test('events are taken in order, once, and without gaps', () => {
  const [first, second, third] = events('r1', started, ['model', call], ['model', call]);
  assert.ok(first && second && third);
  const runs = new Runs();
  assert.equal(runs.receive(first), 'folded');
  assert.equal(runs.receive(third), 'gap');
  assert.equal(runs.receive(second), 'folded');
  assert.equal(runs.receive(second), 'old');
  assert.equal(runs.receive(third), 'folded');
  assert.equal(runs.find('r1')?.calls, 2);
});

test('the newest run comes first, and stays where it is when it changes', () => {
  const runs = new Runs();
  for (const event of events('r1', started)) runs.receive(event);
  for (const event of events('r2', started)) runs.receive(event);
  for (const event of events('r1', started, ['model', call])) runs.receive(event);
  assert.deepEqual(
    runs.all.map((run) => run.runId),
    ['r2', 'r1'],
  );
});

test('a proposal is kept once, the newest first, and its run knows which one is its own', () => {
  const runs = new Runs();
  const ready = { proposalId: 'p1', files: 1, hunks: 1 };
  for (const event of events('r1', started, ['proposal', ready])) runs.receive(event);
  runs.setProposal(proposalOf('p1'));
  runs.setProposal(proposalOf('undo'));
  runs.setProposal({ ...proposalOf('p1'), state: 'closed' });
  assert.equal(runs.find('r1')?.proposalId, 'p1');
  assert.deepEqual(
    runs.proposals.map(({ proposalId, state }) => [proposalId, state]),
    [
      ['undo', 'open'],
      ['p1', 'closed'],
    ],
  );
});

const info: RunInfo = {
  runId: 'r0',
  task: 'add Foo',
  state: 'interrupted',
  folder: 'file:///w',
  proposalId: 'p0',
  started: '2026-01-01T00:00:00Z',
};

test('a stored run is listed below those of this session, and its events are read when they are wanted', () => {
  const runs = new Runs();
  for (const event of events('r1', started)) runs.receive(event);
  runs.summarize(info);
  assert.deepEqual(
    runs.all.map(({ runId, status, summary = false }) => [runId, status, summary]),
    [
      ['r1', 'running', false],
      ['r0', 'interrupted', true],
    ],
  );
  const ask = { askId: 'q1', kind: 'clarify', title: 'why?', choices: [], default: '' };
  runs.load('r0', events('r0', started, ['node', node('spec', 'RUNNING', 1)], ['ask', ask]));
  const run = runs.find('r0');
  assert.equal(run?.status, 'interrupted', 'the last event is older than the end of the process');
  assert.equal(run.proposalId, 'p0');
  assert.deepEqual([run.summary ?? false, run.asks, run.nodes.length], [false, [], 1], 'nobody waits for an answer');
});

test('a run of another window is not alive here, and a run of this window is not overwritten by its summary', () => {
  const runs = new Runs();
  runs.summarize({ ...info, state: 'running' });
  const other = runs.find('r0');
  assert.ok(other?.elsewhere && !alive(other));
  for (const event of events('r1', started)) runs.receive(event);
  runs.summarize({ ...info, runId: 'r1', state: 'interrupted' });
  assert.equal(runs.find('r1')?.status, 'running');
});

test('each attempt of a node has its time, its model and what it used', () => {
  const paid = { ...call, cost: { usd: 0.02, text: '$0.02' } };
  const run = folded(
    started,
    ['node', node('spec', 'RUNNING', 1)],
    ['model', paid],
    ['model', paid],
    ['node', node('spec', 'BLOCKED', 1, 'no')],
    ['node', node('spec', 'RUNNING', 2)],
  );
  const [first, second] = run.nodes[0]?.tries ?? [];
  assert.equal(first?.tokens, 2 * (call.inputTokens + call.outputTokens));
  assert.equal(first.usd, 0.04);
  assert.equal(first.model, call.model);
  assert.deepEqual([first.status, first.reason, elapsed(first)], ['BLOCKED', 'no', 0]);
  assert.deepEqual([second?.status, second && elapsed(second)], ['RUNNING', undefined]);
});

test('with the server gone, what was alive is lost and what had ended stays', () => {
  const runs = new Runs();
  for (const event of events('r1', started, ['run.ended', { state: 'succeeded' }])) runs.receive(event);
  for (const event of events('r2', started, ['ask', ask])) runs.receive(event);
  runs.lose('the server ended');
  assert.equal(runs.find('r1')?.status, 'succeeded');
  const lost = runs.find('r2');
  assert.deepEqual([lost?.status, lost?.asks], ['lost', []]);
});

test('a review stands with its node, and says whether the run changes nothing', () => {
  const only = { ...node('review', 'RUNNING', 1), kind: 'only review' };
  const review = gate('review', 'fail', [{ path: 'a.go', line: 3, endLine: 5, severity: 'error', message: 'no' }]);
  const run = folded(started, ['node', only], ['review', { node: 'review', attempt: 1, review }]);
  assert.equal(run.nodes[0]?.gates[0]?.report?.findings[0]?.endLine, 5);
  assert.equal(reads(run), true);
  assert.equal(reads(folded(started, ['node', node('review', 'RUNNING', 1)])), false);
});

test('a proposal that is not listed as open any more was decided elsewhere', () => {
  const runs = new Runs();
  for (const id of ['p1', 'p2', 'p3']) runs.setProposal(proposalOf(id));
  runs.setProposal({ ...proposalOf('p3'), state: 'closed' });
  const ids = (listed: string[]) =>
    runs.decidedElsewhere(listed.map((proposalId) => ({ proposalId }))).map(({ proposalId }) => proposalId);
  assert.deepEqual(ids(['p1', 'p2']), []);
  assert.deepEqual(ids(['p2']), ['p1']);
});
