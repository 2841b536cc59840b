// The settings, read when they are needed: nobody keeps a copy that can grow old.
import * as vscode from 'vscode';
import type { RunArgs } from './protocol_gen';

function section(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('forge');
}

/** The binary a person chose; empty when they chose none. */
export function serverPath(): string {
  return section().get('server.path', '').trim();
}

/** Environment variables to add for the server. */
export function serverEnv(): Record<string, string> {
  return section().get<Record<string, string>>('server.env', {});
}

/** What is asked for before a run goes on. */
export function approve(): NonNullable<RunArgs['approve']> {
  return section().get<NonNullable<RunArgs['approve']>>('run.approve', 'plan+edits');
}

/** Calls `changed` when a setting changes that only a new server takes in. */
export function onServerSettings(changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('forge.server')) changed();
  });
}
