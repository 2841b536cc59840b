// The scope of a command: the open document and its selection, or a folder.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Range, Scope } from './protocol_gen';
import { Trouble, way } from './trouble';

/** Where a command works: a document and its selection, or a folder; neither if the window has one folder only. */
export interface Where {
  readonly scope?: Scope;
  readonly folder?: string;
}

/** The document of an editor, and its selection if something is selected. Without one that is in a folder, undefined. */
export function scopeOf(forge: Forge, { document, selection }: vscode.TextEditor): Scope | undefined {
  if (document.uri.scheme !== 'file' || !vscode.workspace.getWorkspaceFolder(document.uri)) return undefined;
  return scopeAt(forge, document.uri, selection.isEmpty ? undefined : selection);
}

/** A document, or a range in it. */
export function scopeAt(forge: Forge, uri: vscode.Uri, range?: vscode.Range): Scope {
  const address = forge.uri(uri);
  return range ? { uri: address, range: wireRange(range) } : { uri: address };
}

function wireRange({ start, end }: vscode.Range): Range {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

/** The folder that the user picks, if the workspace has several. Fails with a CancellationError if they pick none. */
export async function pickFolder(forge: Forge): Promise<string | undefined> {
  if ((vscode.workspace.workspaceFolders?.length ?? 0) < 2) return undefined;
  const folder = await vscode.window.showWorkspaceFolderPick({ placeHolder: 'Forge: in which folder?' });
  if (!folder) throw new vscode.CancellationError();
  return forge.uri(folder.uri);
}

/** The folder that is picked, as commands take it. */
export async function inFolder(forge: Forge): Promise<{ folder?: string }> {
  const folder = await pickFolder(forge);
  return folder === undefined ? {} : { folder };
}

/** The scope of the editor in front, or else the folder that is picked. Call it before anything takes the focus. */
export async function whereOf(forge: Forge): Promise<Where> {
  const editor = vscode.window.activeTextEditor;
  checkFolder(editor);
  const scope = editor && scopeOf(forge, editor);
  if (scope) return { scope };
  return await inFolder(forge);
}

/** Fails with a plain message if there is nothing to work on. */
export function checkFolder(editor = vscode.window.activeTextEditor): void {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0)
    throw new Trouble('Forge works on a folder, and this window has none.', way('Open Folder…', 'vscode.openFolder'));
  if (!editor || editor.selection.isEmpty) return; // the folder is meant
  const { document } = editor;
  if (document.isUntitled)
    throw new Trouble(
      'this text is in no file yet. Save it in a folder of this window first.',
      way('Save As…', 'workbench.action.files.saveAs'),
    );
  if (document.uri.scheme === 'file' && !vscode.workspace.getWorkspaceFolder(document.uri))
    throw new Trouble(
      `${document.fileName} is in no folder of this window. Add its folder, or open a file of ${folders.map((one) => one.name).join(', ')}.`,
      way('Add Folder…', 'workbench.action.addRootFolder'),
    );
}
