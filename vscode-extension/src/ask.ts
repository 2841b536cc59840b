// What a command wants to know of the person before it is sent: its `ask` is the prompt, the answer its task.
import * as vscode from 'vscode';
import type { RunArgs } from './protocol_gen';

/**
 * Runs a command that a code action carries. One that says what to ask the person before is sent with the answer as its
 * task; without an answer it is not sent.
 */
export async function askBefore<T>(
  args: readonly unknown[],
  next: (args: unknown[]) => T,
): Promise<Awaited<T> | undefined> {
  const [first, ...rest] = args;
  const { ask: prompt, ...run } = (first ?? {}) as RunArgs;
  if (prompt === undefined || run.task !== undefined) return await next([...args]);
  const task = await vscode.window.showInputBox({ prompt: `Forge: ${prompt}` });
  if (!task?.trim()) return undefined;
  return await next([{ ...run, task: task.trim() }, ...rest]);
}
