import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Spoken } from '../src/spoken';

test('each answer stands under whose it is, pieces one behind the other', () => {
  const spoken = new Spoken();
  const spec = { runId: 'r-1', node: 'spec', attempt: 1 };
  const repair = { ...spec, round: 1 };
  const text = [
    spoken.add({ ...spec, at: 0, text: 'Hel' }),
    spoken.add({ ...spec, at: 3, text: 'lo' }),
    spoken.add({ ...repair, at: 0, text: 'Again' }),
    spoken.add({ ...spec, at: 5, text: '!' }),
    spoken.add({ ...spec, at: 0, text: 'anew' }),
  ].join('');
  assert.equal(
    text,
    '── r-1 · spec · attempt 1 ──\nHello\n\n── r-1 · spec · attempt 1, repair 1 ──\nAgain' +
      '\n\n── r-1 · spec · attempt 1 (continued) ──\n!\n\n── r-1 · spec · attempt 1 ──\nanew',
  );
});
