// An error with a way out: a sentence for the user, and buttons that do what it says.
import * as vscode from 'vscode';

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
