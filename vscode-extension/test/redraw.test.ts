// What is drawn again in the view when something changes, played against VS Code's own bookkeeping: it forgets all rows below one that it
// draws again, and logs an error when it is asked for one of them before it has fetched its parent again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Proposal } from '../src/protocol_gen';
import { rows } from '../src/rows';
import { itemId, pressed, pressedRun, RowTree, target, type Changed, type Kept } from '../src/rowtree';
import type { Run } from '../src/runs';
import { fileOf, folded, gate, hunkOf, node, proposalOf, started, type Told } from './events';

class View {
  readonly tree = new RowTree();
  readonly errors: string[] = [];
  readonly #known = new Map<string, Kept>();

  /** VS Code draws again what has changed: it forgets, and fetches when the window asks. */
  update(run: Run, ...proposals: Proposal[]): Changed {
    const changed = this.tree.update(rows({ all: [run], proposals, validated: undefined }));
    if (changed === 'all') this.#known.clear();
    else for (const row of changed) for (const below of row.children) this.#forget(below);
    return changed;
  }

  /** The window asks for the children of a row that it shows; without one for the rows at the top. */
  ask(id?: string): string[] {
    const row = id === undefined ? undefined : this.#known.get(id);
    if (id !== undefined && !row) {
      this.errors.push(`No tree item with id '${id}' found.`);
      return [];
    }
    const children = row ? row.children : this.tree.roots;
    for (const child of children) this.#known.set(itemId(child), child);
    return children.map(itemId);
  }

  /** Unfolds the rows on the way to a row. */
  open(...way: string[]): void {
    this.ask();
    for (const id of way) this.ask(id);
  }

  #forget(row: Kept): void {
    this.#known.delete(itemId(row));
    row.children.forEach((below) => {
      this.#forget(below);
    });
  }
}

const graph = (): Told[] => [
  started,
  ['graph', { base: 'b1', nodes: [node('executor', 'DONE'), node('review', 'RUNNING', 1)], edges: [], attempts: 3 }],
  ['gate.finished', { node: 'review', attempt: 1, gate: gate('go test', 'fail') }],
  ['node', node('review', 'BLOCKED', 1, 'go test fails')],
  ['node', node('review', 'RUNNING', 2)],
];

const [top, review, attempt] = ['r1', 'r1/node/review', 'r1/node/review/1'];

test('a row of an earlier attempt is known while other rows change', () => {
  const view = new View();
  const usage = { inputTokens: 90, outputTokens: 10, cost: { usd: 0, text: '$0.00' }, ms: 5, finish: 'stop' };
  const called: Told = ['model', { node: 'executor', attempt: 1, model: 'm', ...usage }];
  view.update(folded(...graph(), called));
  view.open(top, review);
  assert.deepEqual(view.ask(attempt), ['r1/node/review/1/0/go test/']);
  const changed = view.update(folded(...graph(), called, called));
  assert.notEqual(changed, 'all');
  assert.deepEqual(view.ask(attempt), ['r1/node/review/1/0/go test/']);
  assert.deepEqual(view.errors, []);
});

test('what has not changed is not drawn again', () => {
  const view = new View();
  const proposal = proposalOf('p1', fileOf('a.go', 'update', hunkOf('f1h1', 'pending')));
  view.update(folded(...graph()), proposal);
  assert.deepEqual(view.update(folded(...graph()), structuredClone(proposal)), []);
});

test('a row keeps its object while it keeps its id, and what it had before is gone', () => {
  const tree = new RowTree();
  const row = { id: 'a', label: 'a', icon: { name: 'pass' }, children: [] };
  tree.update([{ ...row, description: 'waits', context: 'gate' }]);
  const [kept] = tree.roots;
  assert.deepEqual(tree.update([row]), [row]);
  assert.equal(tree.roots[0], kept);
  assert.ok(kept && !('description' in kept) && !('context' in kept));
});

test('a row that comes or goes has its parent drawn again, and at the top all', () => {
  const tree = new RowTree();
  const row = (id: string, ...children: string[]) => ({
    id,
    label: id,
    icon: { name: 'pass' },
    children: children.map((child) => ({ id: child, label: child, icon: { name: 'pass' }, children: [] })),
  });
  assert.equal(tree.update([row('a', 'b')]), 'all');
  const changed = tree.update([row('a', 'b', 'c')]);
  assert.deepEqual(changed === 'all' ? changed : changed.map(({ id }) => id), ['a']);
  assert.equal(tree.update([row('a', 'b', 'c'), row('d')]), 'all');
  assert.equal(tree.update([row('a')]), 'all', 'a row without children is another one: it was unfolded');
});

test('a button whose row is gone decides about nothing', () => {
  const row = { proposalId: 'p1', select: { hunks: ['f1h1'] } };
  assert.equal(pressed(row), row);
  assert.throws(() => pressed(undefined), /has changed meanwhile/);
  const run = { runId: 'r1' };
  assert.equal(pressedRun(run), run);
  for (const other of [undefined, { runId: undefined }])
    assert.throws(() => pressedRun(other), /has changed meanwhile/);
});

test('without a row, a command of the palette acts on what is in front, and a button on nothing', () => {
  const row = { runId: 'r1' };
  assert.equal(target<typeof row>([]), undefined, 'the palette and keys');
  assert.equal(target([row, [row]]), row);
  assert.throws(() => {
    target<typeof row>([undefined, undefined]);
  }, /has changed meanwhile/);
  assert.throws(() => {
    target<typeof row>([null]);
  }, /has changed meanwhile/);
});

test('no command of a row is in the title of an editor or the view, where it comes without an argument', () => {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    contributes: { menus: Record<string, { command?: string }[]> };
  };
  const of = (menu: string) => contributes.menus[menu]?.map(({ command }) => command) ?? [];
  const shown = ['forge.ui.showDiff', 'forge.ui.previewProposal']; // these decide nothing
  const others = new Set([...of('editor/title'), ...of('view/title'), ...shown]);
  const decide = of('view/item/context').filter((one) => !shown.includes(one ?? ''));
  assert.ok(decide.length > 10);
  assert.deepEqual(decide.filter((one) => others.has(one)), []); // prettier-ignore
});
