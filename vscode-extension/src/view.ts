// The Forge view: a tree of rows, and a badge with the number of open questions.
// A screen reader reads the name and the state of a row, not its tooltip.
import * as vscode from 'vscode';
import type { Feed } from './feed';
import type { Action, Icon } from './row';
import { rows } from './rows';
import { itemId, RowTree, type Kept } from './rowtree';
import { alive } from './runs';
import { count, joined } from './text';

// Events come in bursts, and rows that move cannot be clicked. VS Code reads the rows level by level, and logs an error when it asks for one that
// was drawn again in between.
const quiet = 100; // ms

/** Shows the runs of the feed until it is disposed. */
export class RunsView implements vscode.TreeDataProvider<Kept>, vscode.Disposable {
  readonly #feed: Feed;
  readonly #rows = new RowTree();
  readonly #changed = new vscode.EventEmitter<Kept[] | undefined>();
  readonly #tree: vscode.TreeView<Kept>;
  readonly #subscription: vscode.Disposable;
  readonly #report: (error: unknown) => void;
  #drawing: NodeJS.Timeout | undefined;
  #asked = 0; // when VS Code last asked for rows: ms

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

  getChildren(row?: Kept): Kept[] {
    this.#asked = Date.now();
    if (row?.lazy && row.runId !== undefined) this.#feed.load(row.runId).catch(this.#report); // and then draws them
    return [...(row ?? { children: this.#rows.roots }).children];
  }

  getTreeItem(row: Kept): vscode.TreeItem {
    const item = new vscode.TreeItem(row.label, collapsible(row));
    item.id = itemId(row);
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
      this.#draw();
    }, quiet);
  }

  #draw(): void {
    const since = Date.now() - this.#asked;
    if (since < quiet) {
      this.#drawing = setTimeout(() => {
        this.#draw();
      }, quiet - since);
      return;
    }
    this.#drawing = undefined;
    const changed = this.#rows.update(rows(this.#feed.runs));
    if (changed === 'all') this.#changed.fire(undefined);
    else if (changed.length > 0) this.#changed.fire([...changed]);
  }
}

function collapsible(row: Kept): vscode.TreeItemCollapsibleState {
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
      return { command: 'forge.ui.showQuestion', title: 'Show Question', arguments: [action.runId, action.ask] };
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
