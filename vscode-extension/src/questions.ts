// A question of a run, as a notification with its choices as buttons. Closing it answers nothing: the question stays in
// the view, and the run waits.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Feed } from './feed';
import type { Ask, Choice } from './protocol_gen';
import { list } from './runs';
import { message } from './text';
import type { Texts } from './texts';

interface Button extends vscode.MessageItem {
  readonly choice?: Choice;
}

/** Puts questions and sends answers. */
export class Questions implements vscode.Disposable {
  readonly #forge: Forge;
  readonly #feed: Feed;
  readonly #texts: Texts;
  readonly #subscription: vscode.Disposable;

  constructor(forge: Forge, feed: Feed, texts: Texts, report: (error: unknown) => void) {
    this.#forge = forge;
    this.#feed = feed;
    this.#texts = texts;
    this.#subscription = feed.onFolded(({ event }) => {
      if (event.type === 'ask') this.#put(event.runId, event.data).catch(report);
    });
  }

  /** Answers a question; tells so when somebody else was faster. */
  async answer(runId: string, askId: string, choice: string): Promise<void> {
    const { accepted } = await this.#forge.send('forge.answer', { runId, askId, choice });
    if (!accepted) void vscode.window.showInformationMessage('Forge: that question was closed already.');
  }

  /** Opens the details of a question. */
  async show(ask: Ask): Promise<void> {
    await this.#texts.show(ask.askId, 'Forge question.txt', `${ask.title}\n\n${ask.detail ?? ''}\n`, 'plaintext');
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #put(runId: string, ask: Ask): Promise<void> {
    const choices: Button[] = list(ask.choices).map((choice) => ({ title: message(choice.title, 60), choice }));
    const details: Button = { title: 'Show Details' };
    const buttons = ask.detail ? [...choices, details] : choices;
    while (this.#open(runId, ask.askId)) {
      const picked = await vscode.window.showInformationMessage<Button>(message(`Forge: ${ask.title}`), ...buttons);
      if (picked === undefined) return;
      if (picked.choice) {
        await this.answer(runId, ask.askId, picked.choice.id);
        return;
      }
      await this.show(ask); // and the question again, now that it can be answered
    }
  }

  #open(runId: string, askId: string): boolean {
    return this.#feed.runs.find(runId)?.asks.some((ask) => ask.askId === askId) ?? false;
  }
}
