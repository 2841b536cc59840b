// The lines above the hunks of a proposal, in its proposed text: what was checked, and Accept and Reject.
import * as vscode from 'vscode';
import type { Feed } from './feed';
import { checksText, type Checked } from './checks';
import { openCount, openHunks, type OpenHunk } from './hunks';
import { proposalScheme, type ProposalFiles } from './proposalfiles';
import type { Proposal, ProposalFile } from './protocol_gen';
import type { Target } from './proposals';
import { Reminder } from './reminder';
import { list } from './runs';
import { count, noIcons } from './text';

/** Shows lenses on proposals until it is disposed. */
export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #files: ProposalFiles;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;
  readonly #reminder = new Reminder(() => {
    this.#changed.fire();
  });

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(feed: Feed, files: ProposalFiles) {
    this.#files = files;
    this.#subscriptions = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider({ scheme: proposalScheme }, this),
      feed.onProposal(() => {
        this.#changed.fire();
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        if (editors.some(({ document }) => document.uri.scheme === proposalScheme)) this.#reminder.start();
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === proposalScheme) this.#changed.fire(); // the lens about typed text goes
      }),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const at = this.#files.proposed(document.uri);
    if (!at) return [];
    const { proposal, file } = at;
    if (document.isDirty)
      return [lens(0, '$(edit) Edited: save it to make it a part of the proposal', 'workbench.action.files.save')];
    const hunks = openHunks(file);
    const [first] = hunks;
    if (!first) return [];
    const above = first.lines.start > 0 ? first.lines.start - 1 : Math.min(1, document.lineCount - 1);
    // On one line, what decides about it comes first.
    return [...hunks.flatMap((hunk) => decisions(proposal, hunk)), ...this.#head(proposal, file, above, hunks.length)];
  }

  dispose(): void {
    vscode.Disposable.from(this.#subscriptions, this.#reminder, this.#changed).dispose();
  }

  // Stands above the line before the first hunk: other lines may be hidden as unchanged. Where the file begins with the hunk, it stands below its
  // first line: on one line all of this would be wider than half an editor.
  #head(proposal: Proposal, file: ProposalFile, at: number, hunks: number): vscode.CodeLens[] {
    const { proposalId } = proposal;
    const checked = checksText(proposal);
    const all = openCount(proposal);
    const isFirst = list(proposal.files).find((other) => openHunks(other).length > 0) === file;
    return [
      checksLens(at, proposal, checked),
      ...(isFirst && all > hunks
        ? [lens(at, `$(check-all) Accept All (${count(all, 'hunk')})`, 'forge.ui.acceptProposal', { proposalId })]
        : []),
      ...(hunks > 1
        ? [
            lens(at, '$(check) Accept File', 'forge.ui.acceptProposal', { proposalId, select: { files: [file.uri] } }),
            lens(at, '$(close) Reject File', 'forge.ui.rejectProposal', { proposalId, select: { files: [file.uri] } }),
          ]
        : []),
    ];
  }
}

function checksLens(at: number, { proposalId }: Proposal, checked: Checked): vscode.CodeLens {
  const target: Target = { proposalId };
  const { icon, check } = checked;
  const text = noIcons(checked.text);
  return check
    ? lens(at, `$(${icon}) ${text} — Check Now`, 'forge.ui.checkProposal', target)
    : lens(at, `$(${icon}) ${text}`, 'forge.ui.showChecks', target);
}

function decisions({ proposalId }: Proposal, { id, lines }: OpenHunk): vscode.CodeLens[] {
  const target: Target = { proposalId, select: { hunks: [id] } };
  return [
    lens(lines.start, '$(check) Accept', 'forge.ui.acceptHunk', target),
    lens(lines.start, '$(close) Reject', 'forge.ui.rejectHunk', target),
    lens(lines.start, '$(comment) Reject with a Note…', 'forge.ui.rejectWithNote', target),
  ];
}

function lens(line: number, text: string, command: string, ...args: unknown[]): vscode.CodeLens {
  const title = text.replace(') ', ')\u00a0'); // VS Code drops a plain space behind an icon
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: args });
}
