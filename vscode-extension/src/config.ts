// The settings, read when they are needed, so that no copy gets out of date.
import * as vscode from 'vscode';
import type { RunArgs } from './protocol_gen';

function section(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('forge');
}

/** The binary that the user chose, or an empty string. */
export function serverPath(): string {
  return section().get('server.path', '').trim();
}

/** Environment variables to add for the server. */
export function serverEnv(): Record<string, string> {
  return section().get<Record<string, string>>('server.env', {});
}

/** The setting of models; `default` is the one for all work. */
export interface ModelSettings {
  readonly default?: string;
  readonly offline?: boolean;
  readonly [name: string]: unknown;
}

/** The models that the user chose. */
export function modelSettings(): ModelSettings {
  return section().get<ModelSettings>('models', {});
}

/** A setting as the server gets it: no workspace can have prompts leave the machine of a user who works offline. */
export function kept(name: string | undefined, value: unknown): unknown {
  const offline = name === 'forge.models' && section().inspect<ModelSettings>('models')?.globalValue?.offline === true;
  return offline ? { ...(value as object), offline } : value;
}

/** The mode that the user chose, or an empty string. */
export function mode(): string {
  return section().get('mode', '');
}

/** Which approvals a run needs before it continues. */
export function approve(): NonNullable<RunArgs['approve']> {
  return section().get<NonNullable<RunArgs['approve']>>('run.approve', 'plan+edits');
}

/** Whether a proposal opens as soon as it is ready. */
export function openProposals(): boolean {
  return section().get('proposal.open', true);
}

/** Whether pending changes are shown in the files that they are for. */
export function showInFiles(): boolean {
  return section().get('proposal.inFiles', true);
}

/** Calls `changed` when a setting changes that needs a restart of the server. */
export function onServerSettings(changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('forge.server')) changed();
  });
}
