// Asks the user for the task of a command before the command is sent. `ask` is the prompt.
import * as vscode from 'vscode';
import type { RunArgs } from './protocol_gen';

/**
 * Runs the command of a code action. A command with `ask` first prompts the user, and is sent with the answer as its
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
