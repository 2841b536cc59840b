// Pending changes, where users look: a badge on the files in the Explorer and in tabs, and in the files themselves a mark and a lens at each
// hunk, with what is proposed there.
import * as vscode from 'vscode';
import type { Forge } from './client';
import { showInFiles } from './config';
import type { Feed } from './feed';
import {
  diffText,
  glimpse,
  neighbour,
  pendingFiles,
  selectPending,
  sizeText,
  type InFile,
  type Pending,
  type Where,
} from './pending';
import type { Select } from './protocol_gen';
import { Reminder } from './reminder';
import { count, joined, noIcons, visible } from './text';

const colour = new vscode.ThemeColor('forge.pendingForeground');

// The mark of lines. High contrast has no background for lines that go, so that the border is all there.
const marked = (backgroundColor?: vscode.ThemeColor) =>
  vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: '1px 0 0 0',
    borderStyle: 'dashed',
    borderColor: colour,
    overviewRulerColor: colour,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    ...(backgroundColor ? { backgroundColor } : {}),
  });

/** Shows pending changes in the files that they are for, until it is disposed. */
export class InPlace implements vscode.CodeLensProvider, vscode.FileDecorationProvider, vscode.Disposable {
  readonly #forge: Forge;
  readonly #feed: Feed;
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly #badges = new vscode.EventEmitter<vscode.Uri[]>();
  readonly #added = marked();
  readonly #replaced = marked(new vscode.ThemeColor('diffEditor.removedLineBackground'));
  readonly #reminder = new Reminder(() => {
    this.#lenses.fire();
  });
  readonly #subscriptions: vscode.Disposable;
  #files: ReadonlyMap<string, InFile> = new Map();

  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly onDidChangeFileDecorations = this.#badges.event;

  constructor(forge: Forge, feed: Feed) {
    this.#forge = forge;
    this.#feed = feed;
    this.#subscriptions = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
      vscode.window.registerFileDecorationProvider(this),
      feed.onProposal(() => {
        this.#update();
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        editors.forEach((editor) => {
          this.#mark(editor);
        });
        if (editors.some(({ document }) => this.#files.has(this.#forge.uri(document.uri)))) this.#reminder.start();
      }),
      vscode.workspace.onDidChangeConfiguration((changed) => {
        if (changed.affectsConfiguration('forge.proposal.inFiles')) this.#update();
      }),
    );
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const { placed, lost } = this.#in(uri);
    const open = placed.length + lost;
    if (open === 0) return undefined;
    const decoration = new vscode.FileDecoration('F', `Forge: ${count(open, 'change')} to decide`, colour);
    decoration.propagate = true;
    return decoration;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const { placed, lost } = this.#in(document.uri);
    return [...(lost > 0 ? [lostLens(lost)] : []), ...placed.flatMap((one) => lenses(one, document))];
  }

  /** What selected lines of a document, or the cursor in it, stand for. */
  selected({ uri, lineCount }: vscode.TextDocument, lines: Where): { proposalId: string; select: Select } | undefined {
    const { placed: pending } = this.#in(uri);
    const select = selectPending(pending, lines, lineCount);
    return pending[0] && select && { proposalId: pending[0].proposalId, select };
  }

  /** The pending changes of a file, to be decided together. */
  whole(uri: vscode.Uri): { proposalId: string; select: Select } | undefined {
    const [first] = this.#in(uri).placed;
    return first && { proposalId: first.proposalId, select: { files: [first.file.uri] } };
  }

  /** The next or the previous hunk, seen from the cursor of the active editor. */
  neighbour(to: 'next' | 'previous'): Pending | undefined {
    const editor = vscode.window.activeTextEditor;
    const from = editor && { uri: this.#forge.uri(editor.document.uri), line: editor.selection.active.line };
    return neighbour(this.#files, to, from);
  }

  dispose(): void {
    const marks = [this.#replaced, this.#added];
    vscode.Disposable.from(this.#subscriptions, this.#reminder, this.#lenses, this.#badges, ...marks).dispose();
  }

  #in(uri: vscode.Uri): InFile {
    return this.#files.get(this.#forge.uri(uri)) ?? { placed: [], lost: 0 };
  }

  #update(): void {
    const before = this.#files;
    this.#files = showInFiles() ? pendingFiles(this.#feed.runs.proposals) : new Map();
    const uris = [...new Set([...before.keys(), ...this.#files.keys()])].map((uri) => vscode.Uri.parse(uri, true));
    if (uris.length === 0) return;
    this.#lenses.fire();
    this.#reminder.start();
    this.#badges.fire(uris);
    const paths = uris.filter((uri) => this.#in(uri).placed.length > 0).map(({ fsPath }) => fsPath);
    void vscode.commands.executeCommand('setContext', 'forge.pendingFiles', paths);
    void vscode.commands.executeCommand('setContext', 'forge.pending', paths.length > 0);
    vscode.window.visibleTextEditors.forEach((editor) => {
      this.#mark(editor);
    });
  }

  #mark(editor: vscode.TextEditor): void {
    if (editor.document.uri.scheme !== 'file') return;
    const { placed: pending } = this.#in(editor.document.uri);
    const [replaced, added] = [true, false].map((removes) =>
      pending.filter(({ at }) => at.end > at.start === removes).map((one) => markOf(one, editor.document)),
    );
    editor.setDecorations(this.#replaced, replaced ?? []);
    editor.setDecorations(this.#added, added ?? []);
  }
}

function lineOf({ at }: Pending, { lineCount }: vscode.TextDocument): number {
  return Math.min(at.start, lineCount - 1);
}

// A change that has no place is in no diff either: its row in the view says what became of it.
function lostLens(lost: number): vscode.CodeLens {
  const title = `$(warning)\u00a0Forge: ${count(lost, 'change')} left out, because you changed the same lines`;
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command: 'forge.runs.focus' });
}

function lenses(one: Pending, document: vscode.TextDocument): vscode.CodeLens[] {
  const { proposalId, file, hunk, index, of } = one;
  const at = lineOf(one, document);
  const range = new vscode.Range(at, 0, at, 0);
  const target = { proposalId, select: { hunks: [hunk.id] } };
  const lens = (title: string, command: string, argument: unknown) =>
    new vscode.CodeLens(range, { title: title.replace(') ', ')\u00a0'), command, arguments: [argument] });
  const place = { proposalId, path: file.path, line: hunk.lines.start };
  return [
    lens(
      `$(diff) Forge ${index} of ${of}: ${joined(sizeText(one), noIcons(glimpse(one)))}`,
      'forge.ui.showProposal',
      place,
    ),
    lens('$(check) Accept', 'forge.ui.acceptHunk', target),
    lens('$(close) Reject', 'forge.ui.rejectHunk', target),
  ];
}

// The lines that go, or the line above which some come; all of it on hover.
function markOf(one: Pending, document: vscode.TextDocument): vscode.DecorationOptions {
  const first = lineOf(one, document);
  const last = Math.max(Math.min(one.at.end, document.lineCount) - 1, first);
  const range = document.validateRange(new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER));
  const before = one.at.end > one.at.start ? document.getText(range).split(/\r?\n/u) : [];
  return { range, hoverMessage: new vscode.MarkdownString().appendCodeblock(visible(diffText(one, before)), 'diff') };
}
