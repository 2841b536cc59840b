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
  const picked = await pick(rows, searchTitle(result));
  if (picked) await open(picked);
}

// The list of hits. The one that has the focus is shown behind it; closing the list shows what was there before.
function pick(rows: readonly HitRow[], title: string): Promise<HitRow | undefined> {
  const box = vscode.window.createQuickPick<HitRow>();
  box.title = title;
  box.matchOnDescription = true;
  box.items = rows;
  const glance = new Glance();
  return new Promise((resolve) => {
    let ended = false;
    const end = (picked?: HitRow) => {
      if (ended) return; // the list also hides when a row was picked
      ended = true;
      box.dispose();
      resolve(glance.end(picked === undefined).then(() => picked));
    };
    box.onDidChangeActive(([row]) => {
      if (row) void glance.at(row);
    });
    box.onDidAccept(() => {
      end(box.selectedItems[0]);
    });
    box.onDidHide(() => {
      end();
    });
    box.show();
  });
}

// Looks at one place after the other, and goes back.
class Glance {
  readonly #before = vscode.window.activeTextEditor;
  readonly #open = new Set(textTabs().map(({ uri }) => uri));
  readonly #seen = new Set<string>();
  #next: HitRow | undefined;
  #looking: Promise<void> | undefined;

  // Shows the last one that was asked for; those that were passed meanwhile are left out.
  at(row: HitRow): Promise<void> {
    this.#next = row;
    return (this.#looking ??= this.#look());
  }

  async end(back: boolean): Promise<void> {
    this.#next = undefined;
    await this.#looking;
    if (!back) return;
    const extra = textTabs().filter(({ uri }) => this.#seen.has(uri) && !this.#open.has(uri));
    await vscode.window.tabGroups.close(extra.map(({ tab }) => tab));
    const before = this.#before;
    if (!before || this.#seen.size === 0) return;
    const { document, selection, viewColumn } = before;
    await vscode.window.showTextDocument(document, { selection, ...(viewColumn ? { viewColumn } : {}) });
  }

  async #look(): Promise<void> {
    for (let row = this.#next; row; row = this.#next) {
      this.#next = undefined;
      this.#seen.add(vscode.Uri.parse(row.uri).toString());
      await open(row, true).catch(() => undefined); // the file can be gone by now: picking it says so
    }
    this.#looking = undefined;
  }
}

function textTabs(): { tab: vscode.Tab; uri: string }[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap((tab) => (tab.input instanceof vscode.TabInputText ? [{ tab, uri: tab.input.uri.toString() }] : []));
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

async function open({ uri, range }: HitRow, glance = false): Promise<void> {
  const selection = range && new vscode.Range(range.start.line, range.start.character, range.start.line, 0);
  const how = { ...(selection ? { selection } : {}), ...(glance ? { preserveFocus: true, preview: true } : {}) };
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), how);
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
