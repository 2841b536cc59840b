// Shows proposals in VS Code's own diff editors: all files side by side, or one of them.
import * as vscode from 'vscode';
import type { Feed } from './feed';
import { openHunks, selectAt } from './hunks';
import { fileOf, proposalScheme, type ProposalFiles } from './proposalfiles';
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

/** The diff editors of proposals. */
export class Changes implements vscode.Disposable {
  readonly #feed: Feed;
  readonly #files: ProposalFiles;
  readonly #titles = new Map<string, string>(); // of the tabs, by proposal
  readonly #subscriptions: vscode.Disposable;

  constructor(feed: Feed, files: ProposalFiles) {
    this.#feed = feed;
    this.#files = files;
    this.#subscriptions = vscode.Disposable.from(
      feed.onProposal((proposal) => {
        if (proposal.state === 'closed') void this.#close(proposal);
        else this.#title(proposal);
        this.#mark();
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
    const title = this.#title(proposal);
    await vscode.window.tabGroups.close(this.#tabs((tab) => tab.label === title));
    const changed = list(proposal.files).filter(({ hunks }) => list(hunks).some(({ state }) => state !== 'rejected'));
    const triples = changed.map(({ uri, base, proposed }) => [vscode.Uri.parse(uri), fileOf(base), fileOf(proposed)]);
    await vscode.commands.executeCommand('vscode.changes', title, triples);
  }

  /** The proposal that the active editor shows. */
  get active(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (!tab) return undefined;
    const [shown] = [...this.#titles].find(([, title]) => title === tab.label) ?? [];
    if (shown !== undefined) return shown;
    const { input } = tab;
    return input instanceof vscode.TabInputTextDiff
      ? this.#files.proposed(input.modified)?.proposal.proposalId
      : undefined;
  }

  /** What the cursor or the selection of the active editor stands for. */
  selected(): { proposalId: string; select: Select } | undefined {
    const editor = vscode.window.activeTextEditor;
    const at = editor && this.#files.proposed(editor.document.uri);
    if (!at) return undefined;
    const { start, end, isEmpty } = editor.selection;
    const after = end.character > 0 || isEmpty ? end.line + 1 : end.line;
    const select = selectAt(at.file, { start: start.line, end: after, empty: isEmpty });
    return select && { proposalId: at.proposal.proposalId, select };
  }

  /** Moves to the next or the previous hunk. */
  async go(to: 'next' | 'previous'): Promise<void> {
    const several = !(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
    const command = several
      ? { next: 'multiDiffEditor.goToNextChange', previous: 'multiDiffEditor.goToPreviousChange' }[to]
      : {
          next: 'workbench.action.compareEditor.nextChange',
          previous: 'workbench.action.compareEditor.previousChange',
        }[to];
    await vscode.commands.executeCommand(command);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #openFile(proposal: Proposal, { path, base, proposed }: ProposalFile, at: number): Promise<void> {
    const place = new vscode.Range(at, 0, at, 0);
    const title = `${baseName(path)} (Forge: ${line(proposal.title, 40)})`;
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

  // Nothing is left to decide.
  async #close(proposal: Proposal): Promise<void> {
    const title = this.#titles.get(proposal.proposalId);
    const mine = new Set(list(proposal.files).map(({ proposed }) => fileOf(proposed).toString()));
    const shows = ({ label, input, isDirty }: vscode.Tab) =>
      !isDirty &&
      (label === title || (input instanceof vscode.TabInputTextDiff && mine.has(input.modified.toString())));
    const tabs = this.#tabs(shows);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  }

  // For the conditions of keys and of buttons in the title of an editor.
  #mark(): void {
    void vscode.commands.executeCommand('setContext', 'forge.inProposal', this.active !== undefined);
  }
}

/** Whether a document is one side of a proposal. */
export function isOfProposal({ scheme }: vscode.Uri): boolean {
  return scheme === proposalScheme;
}
