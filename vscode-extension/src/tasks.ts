// The tasks of a folder: those of runs, and drafts. The server decides which transitions are valid.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Forge } from './client';
import { approve } from './config';
import type { TaskInfo } from './protocol_gen';
import { inFolder } from './scope';
import { taskRow, taskText } from './task';
import { line } from './text';
import type { Texts } from './texts';

type Folder = Awaited<ReturnType<typeof inFolder>>;

/** Lists the tasks of a folder, and offers the actions of the one that the user picks. */
export async function tasks(forge: Forge, texts: Texts): Promise<void> {
  const folder = await inFolder(forge);
  const { tasks } = await forge.send('forge.task.list', folder);
  if (tasks.length === 0) {
    void vscode.window.showInformationMessage('Forge: this folder has no tasks; each run creates one.');
    return;
  }
  const picked = await vscode.window.showQuickPick(tasks.map(taskRow), {
    title: 'Tasks',
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (!picked) return;
  const action = await vscode.window.showQuickPick(actions(forge, texts, picked.task, folder), { title: picked.label });
  await action?.run();
}

// The actions on a task. The server rejects an invalid transition and lists the valid ones.
function actions(forge: Forge, texts: Texts, task: TaskInfo, folder: Folder) {
  const named = { id: task.id, ...folder };
  const begin = async () => {
    await forge.send('forge.run', { taskId: task.id, approve: approve(), clientRunId: randomUUID(), ...folder });
    await vscode.commands.executeCommand('forge.runs.focus');
  };
  const show = async () => {
    await texts.show('task', 'Forge Task', taskText(await forge.send('forge.task.show', named)), 'plaintext');
  };
  const resume = async () => {
    const { run } = await forge.send('forge.task.resume', named);
    if (run) await vscode.commands.executeCommand('forge.runs.focus');
    else notify(task, 'is a draft again');
  };
  const fork = async () => {
    notify(await forge.send('forge.task.fork', named), 'is a new draft');
  };
  const cancel = async () => {
    notify(await forge.send('forge.task.move', { ...named, to: 'cancelled' }), 'is cancelled');
  };
  const remove = async () => {
    await forge.send('forge.task.delete', named);
    notify(task, 'is deleted');
  };
  return [
    { label: 'Show', run: show },
    task.state === 'draft' ? { label: 'Start', run: begin } : { label: 'Resume', run: resume },
    { label: 'Fork', run: fork },
    { label: 'Cancel', run: cancel },
    { label: 'Delete', run: remove },
  ];
}

function notify({ id, title }: TaskInfo, what: string): void {
  void vscode.window.showInformationMessage(`Forge: ${id} ${what}: ${line(title, 60)}`);
}
