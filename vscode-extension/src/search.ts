// Searches the workspace, and shows the context that a model would see. The server finds; this file only shows.
import * as vscode from 'vscode';
import type { Forge } from './client';
import { contextText, hitRows, searchTitle, type HitRow } from './hits';
import type { Texts } from './texts';

/** Prompts for a text, lists the results, and opens the one that the user picks at its lines. */
export async function search(forge: Forge): Promise<void> {
  const text = await vscode.window.showInputBox({
    prompt: 'Forge: what are you looking for?',
    placeHolder: 'retry when the server answers 429',
  });
  if (!text?.trim()) return;
  const folder = await folderFor(forge);
  if (folder === undefined) return;
  const result = await forge.send('forge.search', { text, ...folder });
  const rows = hitRows(result);
  if (rows.length === 0) {
    void vscode.window.showInformationMessage('Forge: no results; try other words, or fewer.');
    return;
  }
  const picked = await vscode.window.showQuickPick(rows, { title: searchTitle(result), matchOnDescription: true });
  if (picked) await open(picked);
}

/** Shows the context that a model would see for a request, section by section. */
export async function showContext(forge: Forge, texts: Texts): Promise<void> {
  const open = openFiles(forge); // before the input box, which takes the focus
  const text = await vscode.window.showInputBox({
    prompt: 'Forge: show the context of which request? Leave empty for the open files only.',
  });
  if (text === undefined) return;
  const folder = await folderFor(forge);
  if (folder === undefined) return;
  const result = await forge.send('forge.context', { text, open, ...folder });
  await texts.show('context', 'Forge Context', contextText(result, text), 'plaintext');
}

async function open({ uri, range }: HitRow): Promise<void> {
  const selection = range && new vscode.Range(range.start.line, range.start.character, range.start.line, 0);
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), selection ? { selection } : {});
  if (range) {
    const lines = new vscode.Range(range.start.line, 0, range.end.line, 0);
    editor.revealRange(lines, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

// The active file, then the other visible ones.
function openFiles(forge: Forge): string[] {
  const front = vscode.window.activeTextEditor;
  const editors = [...(front ? [front] : []), ...vscode.window.visibleTextEditors];
  return [
    ...new Set(
      editors
        .map(({ document }) => document.uri)
        .filter(({ scheme }) => scheme === 'file')
        .map((uri) => forge.uri(uri)),
    ),
  ];
}

// The folder of the active file, or the one that the user picks; undefined if they pick none.
async function folderFor(forge: Forge): Promise<{ folder?: string } | undefined> {
  if ((vscode.workspace.workspaceFolders?.length ?? 0) < 2) return {};
  const document = vscode.window.activeTextEditor?.document;
  const folder =
    (document && vscode.workspace.getWorkspaceFolder(document.uri)) ??
    (await vscode.window.showWorkspaceFolderPick({ placeHolder: 'Forge: in which folder?' }));
  return folder && { folder: forge.uri(folder.uri) };
}
