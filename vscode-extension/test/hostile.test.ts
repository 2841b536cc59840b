// A server of another version, or one with a fault: what it says otherwise than expected is in the way of nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pendingFiles } from '../src/pending';
import type { Proposal } from '../src/protocol_gen';
import { Runs } from '../src/runlist';
import { events, fileOf, gate, hunkOf, node, proposalOf, started, type Told } from './events';
import { rowsOf } from './rowtree';

const missing = Symbol('missing');
const wrong = [missing, null, 7, 'x', [], {}, [null]];

// The value with one of its fields, at any depth, wrong in each way.
function* damaged(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, field] of Object.entries(value)) {
    for (const other of [...wrong, ...damaged(field)]) {
      if (other === missing && Array.isArray(value)) continue;
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
      if (other === missing) Reflect.deleteProperty(copy, key);
      else copy[key] = other;
      yield copy;
    }
  }
}

const hunk = { ...hunkOf('f1h1', 'pending'), at: { start: 2, end: 3 } };
const sound = proposalOf('p1', fileOf('sound.go', 'update', hunk));
const other = proposalOf('p2', fileOf('other.go', 'update', hunk));

test('a proposal with a field that is wrong leaves those beside it in sight', () => {
  let all = 0;
  for (const proposal of damaged(other) as Generator<Proposal>) {
    const runs = new Runs();
    runs.setProposal(sound);
    runs.setProposal(proposal);
    const labels = rowsOf([], runs.proposals).map(({ label }) => label);
    assert.ok(labels.includes('Proposal: add Reverse'), JSON.stringify(proposal));
    assert.ok(pendingFiles(runs.proposals).has('file:///w/sound.go'), JSON.stringify(proposal));
    all++;
  }
  assert.ok(all > 100);
});

test('an event with a field that is wrong stops neither its run nor the view', () => {
  const told: Told[] = [
    started,
    ['graph', { base: 'b1', nodes: [node('executor', 'DONE')], edges: [], attempts: 3 }],
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('go test', 'fail') }],
    ['ask', { askId: 'q1', kind: 'approve', title: 'Is this right?', choices: [{ id: 'y', title: 'Yes' }] }],
    ['run.ended', { state: 'failed', reason: 'no' }],
  ];
  for (const [index, [type, data]] of told.entries()) {
    for (const { data: payload } of damaged({ data }) as Generator<{ data?: unknown }>) {
      const runs = new Runs();
      const sent = events('r1', ...told.map((one, place): Told => (place === index ? [type, payload] : one)));
      for (const event of sent) assert.equal(runs.receive(event), 'folded', `${type} ${JSON.stringify(payload)}`);
      for (const event of events('r2', started)) runs.receive(event);
      const ids = rowsOf(runs.all).flatMap((row) => [row.id, ...row.children.map(({ id }) => id)]);
      assert.ok(ids.includes('r1') && ids.includes('r2'), `${type} ${JSON.stringify(payload)}`);
    }
  }
});

test('thousands of hunks and a name without end are rows of bounded size', () => {
  const hunks = Array.from({ length: 10_000 }, (_, index) => ({ ...hunk, id: `h${index}` }));
  const name = `${'x'.repeat(100_000)}\u202e\u0000\n.go`;
  const big = proposalOf('p3', fileOf('big.go', 'update', ...hunks), fileOf(name, 'create', hunkOf('f2h1', 'pending')));
  const [row] = rowsOf([], [big]);
  const [, many, long] = row?.children ?? [];
  assert.equal(many?.children.length, 10_000);
  assert.ok(long && long.label.length <= 200);
  assert.equal(pendingFiles([big]).get('file:///w/big.go')?.placed.length, 10_000);
});
