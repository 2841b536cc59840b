// An error with a way out: a sentence for the user, and buttons that do what it says.
import * as vscode from 'vscode';
import { message } from './text';

/** A button of a message. */
export interface Way extends vscode.MessageItem {
  readonly act: () => unknown;
}

/** An error that names what the user can do. */
export class Trouble extends Error {
  readonly ways: readonly Way[];

  constructor(text: string, ...ways: Way[]) {
    super(text);
    this.ways = ways;
  }
}

/** A button that executes a command. */
export function way(title: string, command: string, ...args: unknown[]): Way {
  return { title, act: () => vscode.commands.executeCommand(command, ...args) };
}

/** Shows an error with its buttons, and does what the user picks. */
export async function showError(error: unknown): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  const ways = error instanceof Trouble ? error.ways : [];
  await (await vscode.window.showErrorMessage(message(`Forge: ${text}`), ...ways))?.act();
}
