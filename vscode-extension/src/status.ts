// The status bar: the model and what today has cost, or how far the run is that is under way.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Feed } from './feed';
import { alive } from './runs';
import { busyText, idleText, statusTooltip } from './spending';

/** Shows one item until it is disposed, and passes on which model is in use. */
export class Status implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('forge.status', vscode.StatusBarAlignment.Left);
  readonly #forge: Forge;
  readonly #feed: Feed;
  readonly #noteModel: (model: string) => void;
  readonly #subscriptions: vscode.Disposable;
  #clock: NodeJS.Timeout | undefined;
  #idle = '';

  constructor(forge: Forge, feed: Feed, noteModel: (model: string) => void) {
    this.#forge = forge;
    this.#feed = feed;
    this.#noteModel = noteModel;
    this.#item.name = 'Forge';
    this.#item.command = 'forge.runs.focus';
    this.#subscriptions = vscode.Disposable.from(
      feed.onChanged(() => {
        this.#show();
      }),
      feed.onFolded(({ event }) => {
        if (event.type === 'run.ended') void this.refresh();
      }),
      forge.onRunning((running) => {
        if (running) void this.refresh();
        else this.#set('');
      }),
    );
  }

  /** Asks the server for the model and the cost of today. */
  async refresh(): Promise<void> {
    try {
      const { model } = await this.#forge.send('forge.status', {});
      this.#noteModel(model);
      const { rows } = await this.#forge.send('forge.cost', { since: '24h', by: 'day' });
      const day = new Date().toISOString().slice(0, 10);
      const today = rows.find(({ name }) => name === day)?.cost;
      this.#set(idleText(model, today && today.usd > 0 ? today.text : ''));
    } catch {
      this.#set(idleText('', '')); // the command that needs a model reports why there is none
    }
  }

  dispose(): void {
    clearInterval(this.#clock);
    vscode.Disposable.from(this.#subscriptions, this.#item).dispose();
  }

  #set(idle: string): void {
    this.#idle = idle;
    this.#show();
  }

  #show(): void {
    const run = this.#feed.runs.all.find(alive);
    this.#item.text = run ? busyText(run, Date.now()) : this.#idle;
    this.#item.tooltip = run ? statusTooltip(run) : 'Forge: the model, and what models have cost today';
    const spoken = this.#item.text.replace(/\$\([^)]*\) /, '').replaceAll(' · ', ', ');
    this.#item.accessibilityInformation = { label: `Forge: ${spoken}`, role: 'button' };
    if (this.#item.text) this.#item.show();
    else this.#item.hide();
    this.#tick(run !== undefined);
  }

  // The seconds of a run.
  #tick(on: boolean): void {
    if (on === (this.#clock !== undefined)) return;
    clearInterval(this.#clock);
    this.#clock = on
      ? setInterval(() => {
          this.#show();
        }, 1000)
      : undefined;
  }
}
