// Shows proposals in VS Code's own diff editors: all files side by side, or one of them.
import * as vscode from 'vscode';
import type { Feed } from './feed';
import { neighbourOf, openHunks, selectAt } from './hunks';
import type { InPlace } from './inplace';
import { fileOf, type ProposalFiles } from './proposalfiles';
import type { Proposal, ProposalFile, Select } from './protocol_gen';
import { list } from './runs';
import { baseName, line } from './text';

/** A place in a proposal. */
export interface Place {
  readonly proposalId: string;
  /** Relative to the folder; without it all files. */
  readonly path?: string;
  /** In the proposed text, from 0. */
  readonly line?: number;
}

// How VS Code goes from change to change in its diff editors.
const commands = {
  one: { next: 'workbench.action.compareEditor.nextChange', previous: 'workbench.action.compareEditor.previousChange' },
  several: { next: 'multiDiffEditor.goToNextChange', previous: 'multiDiffEditor.goToPreviousChange' },
} as const;

/** The diff editors of proposals. */
export class Changes implements vscode.Disposable {
  readonly #feed: Feed;
  readonly #files: ProposalFiles;
  readonly #inPlace: InPlace;
  readonly #titles = new Map<string, string>(); // of the tabs, by proposal
  readonly #shown = new Map<string, number>(); // how many files the tab shows, by proposal
  readonly #subscriptions: vscode.Disposable;

  constructor(feed: Feed, files: ProposalFiles, inPlace: InPlace) {
    this.#feed = feed;
    this.#files = files;
    this.#inPlace = inPlace;
    this.#subscriptions = vscode.Disposable.from(
      feed.onProposal((proposal) => {
        void this.#follow(proposal);
        this.#mark();
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (files.proposed(uri)) void this.#tidy(uri);
      }),
      vscode.window.tabGroups.onDidChangeTabs(() => {
        this.#mark();
      }),
      vscode.window.tabGroups.onDidChangeTabGroups(() => {
        this.#mark();
      }),
    );
  }

  /** Opens the diff of all files of a proposal, or of the one that `place` names, at its line. */
  async open({ proposalId, path, line: at }: Place): Promise<void> {
    const proposal = await this.#feed.refreshProposal(proposalId);
    const file = list(proposal.files).find((one) => one.path === path);
    if (file) {
      await this.#openFile(proposal, file, at ?? openHunks(file)[0]?.lines.start ?? 0);
      return;
    }
    await this.#openAll(proposal);
  }

  async #openAll(proposal: Proposal): Promise<void> {
    const title = this.#title(proposal);
    await vscode.window.tabGroups.close(this.#tabs((tab) => named(tab, title)));
    const open = list(proposal.files).filter((one) => openHunks(one).length > 0);
    const shown = open.length > 0 ? open : list(proposal.files);
    this.#shown.set(proposal.proposalId, open.length);
    const triples = shown.map(({ uri, base, proposed, kind }) => [
      vscode.Uri.parse(uri),
      kind === 'create' ? undefined : fileOf(base),
      fileOf(proposed),
    ]);
    await vscode.commands.executeCommand('vscode.changes', title, triples);
  }

  /** The proposal that the active editor shows. */
  get active(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (!tab) return undefined;
    const [shown] = [...this.#titles].find(([, title]) => named(tab, title)) ?? [];
    if (shown !== undefined) return shown;
    const { input } = tab;
    return input instanceof vscode.TabInputTextDiff
      ? this.#files.proposed(input.modified)?.proposal.proposalId
      : undefined;
  }

  /** What the cursor or the selection of the active editor stands for, by where the hunks are after all that was typed. */
  async selected(): Promise<{ proposalId: string; select: Select } | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return undefined;
    const { document, selection } = editor; // the cursor may move while the server answers
    const { start, end, isEmpty: empty } = selection;
    const lines = { start: start.line, end: end.character > 0 || empty ? end.line + 1 : end.line, empty };
    const shown = this.#files.proposed(document.uri)?.proposal;
    const own = this.#inPlace.whole(document.uri);
    if (shown) await this.#files.save(shown);
    else if (own) await this.#files.save(await this.#feed.refreshProposal(own.proposalId));
    const at = this.#files.proposed(document.uri);
    if (!at) return this.#inPlace.selected(document, lines);
    const select = selectAt(at.file, lines, this.#files.digest(document.uri));
    return select && { proposalId: at.proposal.proposalId, select };
  }

  /** The pending changes of the file that an editor shows: the user's own file, or its proposed text. */
  ofFile(uri = vscode.window.activeTextEditor?.document.uri): { proposalId: string; select: Select } {
    const pending = uri && (this.#wholeOf(uri) ?? this.#inPlace.whole(uri));
    if (!pending) throw new Error('No change of this file is pending.');
    return pending;
  }

  /** Moves to the next or the previous hunk: of the proposal in front, else in the user's files. */
  async go(to: 'next' | 'previous'): Promise<void> {
    const { active } = this;
    if (active === undefined) {
      await this.#goInFiles(to);
      return;
    }
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const one = tab instanceof vscode.TabInputTextDiff ? tab : undefined;
    const command = commands[one ? 'one' : 'several'][to];
    const proposal = this.#feed.runs.findProposal(active);
    const hunk = proposal && neighbourOf(proposal, to, this.#cursor(one));
    // The oldest VS Code cannot go from change to change in the diffs of several files.
    const known = !one && (await vscode.commands.getCommands(true)).includes(command);
    if (proposal && hunk && !known) await this.#openFile(proposal, hunk.file, hunk.hunk.lines.start);
    else await vscode.commands.executeCommand(command);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #wholeOf(uri: vscode.Uri): { proposalId: string; select: Select } | undefined {
    const at = this.#files.proposed(uri);
    if (!at || openHunks(at.file).length === 0) return undefined;
    return { proposalId: at.proposal.proposalId, select: { files: [at.file.uri] } };
  }

  // Where the user is in the proposed texts. A diff of one file has a cursor there, even while the other side has the keyboard; an editor without
  // a column is one of several diffs, which can show the same text behind it.
  #cursor(one: vscode.TabInputTextDiff | undefined): { path: string; line: number } | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const beside = visibleTextEditors.find(
      ({ document, viewColumn }) => viewColumn !== undefined && document.uri.toString() === one?.modified.toString(),
    );
    const at = (editor?: vscode.TextEditor) => {
      const file = editor && this.#files.proposed(editor.document.uri)?.file;
      return file && { path: file.path, line: editor.selection.active.line };
    };
    return at(activeTextEditor) ?? at(beside);
  }

  async #goInFiles(to: 'next' | 'previous'): Promise<void> {
    const next = this.#inPlace.neighbour(to);
    if (!next) throw new Error('No change is pending.');
    const { proposalId, file, at } = next;
    if (file.kind === 'create' || file.kind === 'move') {
      await this.open({ proposalId, path: file.path }); // there is no such file yet
      return;
    }
    const place = new vscode.Range(at.start, 0, at.start, 0);
    await vscode.window.showTextDocument(vscode.Uri.parse(file.uri, true), { selection: place });
  }

  async #openFile(proposal: Proposal, { path, base, proposed }: ProposalFile, at: number): Promise<void> {
    const place = new vscode.Range(at, 0, at, 0);
    const title = `${line(baseName(path), 80)} (Forge: ${line(proposal.title, 40)})`;
    await vscode.commands.executeCommand('vscode.diff', fileOf(base), fileOf(proposed), title, {
      preview: true,
      selection: place,
    });
  }

  // The tab of a proposal. Two proposals with one title differ by their ids.
  #title({ proposalId, title }: Proposal): string {
    const known = this.#titles.get(proposalId);
    if (known !== undefined) return known;
    const plain = `Forge: ${line(title, 60)}`;
    const taken = [...this.#titles.values()].includes(plain);
    const own = taken ? `${plain} (${proposalId})` : plain;
    this.#titles.set(proposalId, own);
    return own;
  }

  #tabs(matches: (tab: vscode.Tab) => boolean): vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(matches);
  }

  // A file about which everything is decided leaves the tab; when nothing is left to decide, the tab closes.
  async #follow(proposal: Proposal): Promise<void> {
    const { proposalId, files } = proposal;
    const title = this.#title(proposal);
    const mine = new Set(list(files).map(({ proposed }) => fileOf(proposed).toString()));
    const tabs = this.#tabs(
      (tab) =>
        !tab.isDirty &&
        (named(tab, title) ||
          (tab.input instanceof vscode.TabInputTextDiff && mine.has(tab.input.modified.toString()))),
    );
    const open = list(files).filter((one) => openHunks(one).length > 0).length;
    if (open === 0 && this.#shown.get(proposalId) !== 0) await vscode.window.tabGroups.close(tabs);
    else if (open < (this.#shown.get(proposalId) ?? 0) && tabs.some((tab) => tab.isActive && named(tab, title)))
      await this.#openAll(proposal);
  }

  // VS Code opens a tab of its own for a text that was typed into one of several diffs.
  async #tidy(uri: vscode.Uri): Promise<void> {
    const own = ({ input }: vscode.Tab) =>
      input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
    if (this.active !== undefined) await vscode.window.tabGroups.close(this.#tabs(own), true);
  }

  // For the conditions of keys and of buttons in the title of an editor.
  #mark(): void {
    void vscode.commands.executeCommand('setContext', 'forge.inProposal', this.active !== undefined);
  }
}

// VS Code adds the number of files to the title.
function named({ label }: vscode.Tab, title: string | undefined): boolean {
  return title !== undefined && (label === title || label.startsWith(`${title} (`));
}
