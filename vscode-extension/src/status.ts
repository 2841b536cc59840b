// The status bar while a run is alive: whether it is waiting, and its cost.
import * as vscode from 'vscode';
import type { Feed } from './feed';
import { statusText, statusTooltip } from './spending';
import { alive, type Run } from './runs';

/** Shows the newest run that is alive until it is disposed. */
export class Status implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('forge.status', vscode.StatusBarAlignment.Left);
  readonly #subscription: vscode.Disposable;

  constructor(feed: Feed) {
    this.#item.name = 'Forge';
    this.#item.command = 'forge.runs.focus';
    this.#subscription = feed.onChanged(() => {
      this.#show(feed.runs.all.find(alive));
    });
  }

  dispose(): void {
    vscode.Disposable.from(this.#subscription, this.#item).dispose();
  }

  #show(run: Run | undefined): void {
    if (!run) {
      this.#item.hide();
      return;
    }
    this.#item.text = statusText(run);
    this.#item.tooltip = statusTooltip(run);
    this.#item.show();
  }
}
