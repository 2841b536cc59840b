import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folded, node, started } from './events';
import { shown } from './rowtree';

test('the node whose run waits for an answer waits too, unless several nodes run', () => {
  const ask = { askId: 'q1', kind: 'approve' as const, title: 'Implement?', choices: [], default: '' };
  const nodes = [node('spec', 'RUNNING', 1), node('review', 'PENDING')];
  const graph = ['graph', { base: 'b1', nodes, edges: [], attempts: 3 }] as const;
  assert.ok(shown(folded(started, [...graph])).includes('  loading~spin spec (running)'));
  assert.ok(shown(folded(started, [...graph], ['ask', ask])).includes('  question spec (waiting for your answer)'));
  const two = folded(started, [...graph], ['node', node('review', 'RUNNING', 1)], ['ask', ask]);
  assert.ok(shown(two).includes('  loading~spin spec (running)'), shown(two).join('\n'));
});
