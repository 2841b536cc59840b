// Formats tasks. Pure: no editor, no server, no clock.
import type { TaskInfo } from './protocol_gen';
import { joined, line, visible } from './text';

/** A task in a list to pick from. */
export function taskRow(task: TaskInfo): { label: string; description: string; detail: string; task: TaskInfo } {
  return { label: line(task.title), description: standing(task), detail: joined(task.id, task.runId), task };
}

// The state of a task, with the state of its run if that says more.
function standing({ state, runState }: TaskInfo): string {
  return runState === undefined || runState === 'running' ? state : `${state} (${runState})`;
}

/** All of a task as plain text. */
export function taskText(task: TaskInfo): string {
  const moves = (task.moves ?? []).map(({ from, to, ts, source }) => `  ${ts}  ${to}, was ${from}, by ${line(source)}`);
  return [
    `${task.id} is ${standing(task)}: ${line(task.title)}`,
    ...(task.runId === undefined ? [] : [`  run ${task.runId}`]),
    ...(task.parent === undefined ? [] : [`  forked from ${task.parent}`]),
    `  created on ${task.created}`,
    ...moves,
    '',
    visible(task.prompt),
    '',
  ].join('\n');
}
