// A question of a run, as a notification with its choices as buttons. Closing it answers nothing: the question stays in
// the view, and the run waits.
import * as vscode from 'vscode';
import type { Forge } from './client';
import { write } from './draft';
import type { Feed } from './feed';
import type { AnswerArgs, Ask, Choice } from './protocol_gen';
import { ownWords } from './row';
import { list } from './runs';
import { line, message } from './text';
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
  readonly #drafts = new Map<string, string>(); // by question: what was typed and not sent

  constructor(forge: Forge, feed: Feed, texts: Texts, report: (error: unknown) => void) {
    this.#forge = forge;
    this.#feed = feed;
    this.#texts = texts;
    this.#subscription = feed.onFolded(({ event }) => {
      if (event.type === 'ask') this.#put(event.runId, event.data).catch(report);
    });
  }

  /** Answers a question; tells so when somebody else was faster. */
  async answer(args: AnswerArgs): Promise<void> {
    const { accepted } = await this.#forge.send('forge.answer', args);
    if (!accepted) tellClosed();
  }

  /** Answers a question with what the person writes, and tells whether it was. Who closes the box finds the text there again. */
  async answerInOwnWords(runId: string, ask: Ask): Promise<boolean> {
    const { askId } = ask;
    const key = `${runId}/${askId}`;
    const draft = this.#drafts.get(key) ?? '';
    const { text, sent } = await write(line(ask.title), `Forge: ${line(ask.freeText ?? '')}`, draft);
    this.#drafts.set(key, text);
    if (!sent || !text.trim()) return false;
    await this.answer({ runId, askId, text: text.trim() });
    this.#drafts.delete(key);
    return true;
  }

  /** Opens the details of a question. */
  async show(ask: Ask): Promise<void> {
    await this.#texts.show(ask.askId, 'Forge question.md', `# ${line(ask.title)}\n\n${ask.detail ?? ''}\n`, 'markdown');
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #put(runId: string, ask: Ask): Promise<void> {
    const { askId } = ask;
    const choices: Button[] = list(ask.choices).map((choice) => ({ title: message(choice.title, 60), choice }));
    const own: Button = { title: ownWords };
    const details: Button = { title: 'Show Details' };
    const buttons = [...choices, ...(ask.freeText ? [own] : []), ...(ask.detail ? [details] : [])];
    for (;;) {
      const picked = await vscode.window.showInformationMessage<Button>(message(`Forge: ${ask.title}`), ...buttons);
      if (picked === undefined) return;
      if (!this.#open(runId, askId)) {
        tellClosed(); // no notification can be taken back, so it is there still when the answer was given in the view
        return;
      }
      if (picked.choice) {
        await this.answer({ runId, askId, choice: picked.choice.id });
        return;
      }
      if (picked === details) await this.show(ask);
      else if (await this.answerInOwnWords(runId, ask)) return;
    } // and the question again
  }

  #open(runId: string, askId: string): boolean {
    return this.#feed.runs.find(runId)?.asks.some((ask) => ask.askId === askId) ?? false;
  }
}

function tellClosed(): void {
  void vscode.window.showInformationMessage('Forge: that question was closed already.');
}
