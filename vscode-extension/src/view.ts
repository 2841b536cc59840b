// The Forge view: a tree of rows, and a badge with the number of open questions.
import * as vscode from 'vscode';
import type { Feed } from './feed';
import type { Action, Icon, Row } from './row';
import { rows } from './rows';
import { alive } from './runs';
import { count } from './text';

/** Shows the runs of the feed until it is disposed. */
export class RunsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #feed: Feed;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #tree: vscode.TreeView<Row>;
  readonly #subscription: vscode.Disposable;

  readonly onDidChangeTreeData = this.#changed.event;

  /** `shown` is called whenever the view becomes visible. */
  constructor(feed: Feed, shown: () => void) {
    this.#feed = feed;
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
    return [...(row ? row.children : rows(this.#feed.runs.all, this.#feed.runs.loose))];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(row.label, collapsible(row));
    // VS Code decides once per id whether a row is unfolded, and a row without children never is: with its first child
    // it is another row.
    item.id = row.children.length > 0 ? row.id : `${row.id}/`;
    item.iconPath = themeIcon(row.icon);
    if (row.description !== undefined) item.description = row.description;
    if (row.tooltip !== undefined) item.tooltip = row.tooltip;
    if (row.context !== undefined) item.contextValue = row.context;
    if (row.action) item.command = command(row.action);
    return item;
  }

  dispose(): void {
    vscode.Disposable.from(this.#subscription, this.#tree, this.#changed).dispose();
  }

  #refresh(): void {
    const runs = this.#feed.runs.all;
    const asks = runs.flatMap((run) => run.asks).length;
    this.#tree.badge = asks > 0 ? { value: asks, tooltip: `${count(asks, 'question')} waiting` } : undefined;
    void vscode.commands.executeCommand('setContext', 'forge.running', runs.some(alive));
    this.#changed.fire();
  }
}

function collapsible(row: Row): vscode.TreeItemCollapsibleState {
  if (row.children.length === 0) return vscode.TreeItemCollapsibleState.None;
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
    case 'openFinding':
      return { command: 'forge.ui.openFinding', title: 'Open Finding', arguments: [action.folder, action.finding] };
    case 'showDiff':
      return { command: 'forge.ui.showDiff', title: 'Show as Diff' };
  }
}
