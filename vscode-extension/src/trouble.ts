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

/** A button that opens the settings that a query finds: in a remote window those of the machine where the server runs. */
export function settingsWay(title: string, query: string): Way {
  return {
    title,
    act: () =>
      vscode.env.remoteName === undefined
        ? vscode.commands.executeCommand('workbench.action.openSettings', query)
        : vscode.commands.executeCommand('workbench.action.openRemoteSettings', { query }),
  };
}

/** A button that executes a command. */
export function way(title: string, command: string, ...args: unknown[]): Way {
  return { title, act: () => vscode.commands.executeCommand(command, ...args) };
}
