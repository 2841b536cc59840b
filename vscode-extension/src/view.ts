// The Forge view: a tree of rows, and a badge with the number of open questions.
// A screen reader reads the name and the state of a row, not its tooltip.
import * as vscode from 'vscode';
import type { Feed } from './feed';
import type { Action, Icon, Row } from './row';
import { rows } from './rows';
import { alive } from './runs';
import { count, joined } from './text';

/** Shows the runs of the feed until it is disposed. */
export class RunsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #feed: Feed;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #tree: vscode.TreeView<Row>;
  readonly #subscription: vscode.Disposable;
  readonly #report: (error: unknown) => void;
  #drawing: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.#changed.event;

  /** `shown` is called whenever the view becomes visible. */
  constructor(feed: Feed, shown: () => void, report: (error: unknown) => void) {
    this.#feed = feed;
    this.#report = report;
    this.#tree = vscode.window.createTreeView('forge.runs', { treeDataProvider: this, showCollapseAll: true });
    this.#subscription = vscode.Disposable.from(
      feed.onChanged(() => {
        this.#refresh();
      }),
      this.#tree.onDidChangeVisibility(({ visible }) => {
        if (visible) shown();
      }),
    );
    if (this.#tree.visible) shown();
  }

  getChildren(row?: Row): Row[] {
    if (row?.lazy && row.runId !== undefined) this.#feed.load(row.runId).catch(this.#report); // and then draws them
    return [...(row ? row.children : rows(this.#feed.runs))];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(row.label, collapsible(row));
    // VS Code decides once per id whether a row is unfolded, and a row without children never is: with its first child
    // it is another row.
    item.id = row.children.length > 0 || row.lazy ? row.id : `${row.id}/`;
    item.accessibilityInformation = {
      label: (row.spoken ?? joined(row.label, row.description)).replaceAll(' · ', ', '),
    };
    item.iconPath = themeIcon(row.icon);
    if (row.description !== undefined) item.description = row.description;
    if (row.tooltip !== undefined) item.tooltip = row.tooltip;
    if (row.context !== undefined) item.contextValue = row.context;
    if (row.action) item.command = command(row.action);
    return item;
  }

  dispose(): void {
    clearTimeout(this.#drawing);
    vscode.Disposable.from(this.#subscription, this.#tree, this.#changed).dispose();
  }

  #refresh(): void {
    const runs = this.#feed.runs.all;
    const asks = runs.flatMap((run) => run.asks).length;
    this.#tree.badge = asks > 0 ? { value: asks, tooltip: `${count(asks, 'question')} waiting` } : undefined;
    void vscode.commands.executeCommand('setContext', 'forge.running', runs.some(alive));
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#changed.fire();
    }, 100); // events come in bursts, and rows that move cannot be clicked
  }
}

function collapsible(row: Row): vscode.TreeItemCollapsibleState {
  if (row.children.length === 0 && !row.lazy) return vscode.TreeItemCollapsibleState.None;
  return row.unfolded ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

function themeIcon({ name, color }: Icon): vscode.ThemeIcon {
  return color === undefined ? new vscode.ThemeIcon(name) : new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}

function command(action: Action): vscode.Command {
  switch (action.do) {
    case 'answer':
      return { command: 'forge.ui.answer', title: 'Answer', arguments: [action.answer] };
    case 'answerInOwnWords':
      return { command: 'forge.ui.answerInOwnWords', title: 'Answer', arguments: [action.runId, action.ask] };
    case 'showQuestion':
      return { command: 'forge.ui.showQuestion', title: 'Show Question', arguments: [action.ask] };
    case 'editQuestion':
      return { command: 'forge.ui.editQuestion', title: 'Edit Plan', arguments: [action.ask] };
    case 'openFinding':
      return { command: 'forge.ui.openFinding', title: 'Open Finding', arguments: [action.folder, action.finding] };
    case 'showReport':
      return { command: 'forge.ui.showReport', title: 'Show Report', arguments: [action.gate] };
    case 'showAnswer':
      return { command: 'forge.ui.showAnswer', title: 'Show Answer', arguments: [action] };
    case 'showLog':
      return { command: 'forge.ui.showLog', title: 'Show Log', arguments: [action] };
    case 'showProposal':
      return { command: 'forge.ui.showProposal', title: 'Show Proposal', arguments: [action] };
  }
}
