import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskInfo } from '../src/protocol_gen';
import { taskRow, taskText } from '../src/task';

const task: TaskInfo = {
  id: 'task_0123456789ab',
  title: 'add Add\u202e',
  state: 'running',
  runId: 'r-1',
  runState: 'interrupted',
  parent: 'task_ba9876543210',
  created: '2026-01-02T03:04:05Z',
  updated: '2026-01-02T03:04:06Z',
  prompt: 'add Add\nwith \u001b[31mtests',
  moves: [{ from: 'draft', to: 'planned', ts: '2026-01-02T03:04:06Z', source: 'user, run r-1' }],
};

test('a task is a row that says how its run stands', () => {
  const { label, description, detail } = taskRow(task);
  assert.deepEqual(
    [label, description, detail],
    ['add Add[U+202E]', 'running (interrupted)', 'task_0123456789ab · r-1'],
  );
  assert.equal(taskRow({ ...task, runState: 'running' }).description, 'running');
  const { id, title, created, updated, prompt } = task;
  const draft = taskRow({ id, title, created, updated, prompt, state: 'draft' });
  assert.deepEqual([draft.description, draft.detail], ['draft', id]);
});

test('all of a task, without what hides in it', () => {
  assert.equal(
    taskText(task),
    [
      'task_0123456789ab is running (interrupted): add Add[U+202E]',
      '  run r-1',
      '  forked from task_ba9876543210',
      '  created on 2026-01-02T03:04:05Z',
      '  2026-01-02T03:04:06Z  planned, was draft, by user, run r-1',
      '',
      'add Add\nwith [U+001B][31mtests',
      '',
    ].join('\n'),
  );
});
