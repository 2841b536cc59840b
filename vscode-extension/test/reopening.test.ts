// Whether a proposal is open is known after a restart of the editor, without a server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '../src/protocol_gen';
import { remember, wasOpen, type Known, type Workspace } from '../src/reopening';

class Stored implements Workspace {
  writes = 0;
  readonly #stored = new Map<string, true>();

  get(key: string, otherwise: boolean): boolean {
    return this.#stored.get(key) ?? otherwise;
  }

  update(key: string, value: true | undefined): Promise<void> {
    this.writes++;
    if (value === undefined) this.#stored.delete(key);
    else this.#stored.set(key, value);
    return Promise.resolve();
  }
}

// A feed whose proposals the test sets.
class Feed {
  complete = false;
  readonly runs: { proposals: Pick<Proposal, 'state'>[] } = { proposals: [] };
  #listener: (() => unknown) | undefined;

  readonly onChanged: Known['onChanged'] = (listener) => {
    this.#listener = listener;
    return {
      dispose: () => {
        this.#listener = undefined;
      },
    };
  };

  set(complete: boolean, ...states: Proposal['state'][]): void {
    this.complete = complete;
    this.runs.proposals = states.map((state) => ({ state }));
    this.#listener?.();
  }
}

test('an open proposal is remembered until it is decided', () => {
  const [feed, workspace] = [new Feed(), new Stored()];
  assert.equal(wasOpen(workspace), false);
  const memory = remember(feed, workspace);
  feed.set(true, 'closed');
  assert.equal(workspace.writes, 0, 'nothing is written for what is so anyway');
  feed.set(true, 'open', 'closed');
  feed.set(true, 'open', 'closed');
  assert.equal(wasOpen(workspace), true);
  assert.equal(workspace.writes, 1);
  feed.set(true, 'closed', 'closed');
  assert.equal(wasOpen(workspace), false);
  memory.dispose();
  feed.set(true, 'open');
  assert.equal(wasOpen(workspace), false);
});

test('a window that has not read the stored proposals yet forgets nothing', () => {
  const [before, workspace] = [new Feed(), new Stored()];
  remember(before, workspace);
  before.set(false, 'open');
  assert.equal(wasOpen(workspace), true, 'one that arrives is open');

  const after = new Feed();
  remember(after, workspace);
  after.set(false);
  assert.equal(wasOpen(workspace), true);
  after.set(true);
  assert.equal(wasOpen(workspace), false, 'it was decided elsewhere');
});
