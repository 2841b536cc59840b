// The scope of a command: the open document and its selection, or a folder.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Range, Scope } from './protocol_gen';

/** The document of an editor, and its selection if something is selected. */
export function scopeOf(forge: Forge, { document, selection }: vscode.TextEditor): Scope | undefined {
  if (document.uri.scheme !== 'file') return undefined;
  const uri = forge.uri(document.uri);
  return selection.isEmpty ? { uri } : { uri, range: wireRange(selection) };
}

function wireRange({ start, end }: vscode.Range): Range {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

/** The folder that the user picks, if the workspace has several. */
export async function pickFolder(forge: Forge): Promise<string | undefined> {
  if ((vscode.workspace.workspaceFolders?.length ?? 0) < 2) return undefined;
  const folder = await vscode.window.showWorkspaceFolderPick({ placeHolder: 'Forge: in which folder?' });
  return folder && forge.uri(folder.uri);
}

/** The folder that is picked, as commands take it. */
export async function inFolder(forge: Forge): Promise<{ folder?: string }> {
  const folder = await pickFolder(forge);
  return folder === undefined ? {} : { folder };
}

/** The scope of the editor in front, or else the folder that is picked. Call it before anything takes the focus. */
export async function whereOf(forge: Forge): Promise<{ scope?: Scope; folder?: string }> {
  const editor = vscode.window.activeTextEditor;
  const scope = editor && scopeOf(forge, editor);
  if (scope) return { scope };
  return await inFolder(forge);
}
