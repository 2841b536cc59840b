// Shows a question of a run as a notification with its choices as buttons. Closing the notification is no answer: the
// question stays in the view, and the run waits.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Forge } from './client';
import { write } from './draft';
import type { Feed } from './feed';
import type { AnswerArgs, Ask, Choice } from './protocol_gen';
import { ownWords } from './row';
import { list } from './runs';
import { line, message } from './text';
import type { Texts } from './texts';

const detailsTitle = 'Forge question.md';

interface Button extends vscode.MessageItem {
  readonly choice?: Choice;
}

/** Asks questions and sends answers. */
export class Questions implements vscode.Disposable {
  readonly #forge: Forge;
  readonly #feed: Feed;
  readonly #texts: Texts;
  readonly #subscription: vscode.Disposable;
  #shown: string | undefined; // the question whose details were opened last
  readonly #drafts = new Map<string, string>(); // by question: text that was typed and not sent

  /** A question of a run that `isElsewhere`, in the chat view, gets no notification. */
  constructor(
    forge: Forge,
    feed: Feed,
    texts: Texts,
    isElsewhere: (runId: string) => boolean,
    report: (error: unknown) => void,
  ) {
    this.#forge = forge;
    this.#feed = feed;
    this.#texts = texts;
    this.#subscription = vscode.Disposable.from(
      feed.onFolded(({ event }) => {
        if (event.type === 'ask' && !isElsewhere(event.runId) && this.#open(event.runId, event.data.askId))
          this.#put(event.runId, event.data).catch(report); // one that was answered before the events arrived never returns
      }),
      feed.onChanged(() => {
        this.#tidy().catch(report);
      }),
    );
  }

  /** Answers a question, with what is unsaved in its file; notifies the user if it is already closed. */
  async answer(args: AnswerArgs): Promise<void> {
    await this.#save(args);
    const { accepted } = await this.#forge.send('forge.answer', args);
    if (!accepted) notifyClosed();
  }

  /** Answers a question with a text, and returns whether it was sent. A closed box keeps its text for the next time. */
  async answerInOwnWords(runId: string, ask: Ask): Promise<boolean> {
    const { askId } = ask;
    const key = keyOf(runId, askId);
    const draft = this.#drafts.get(key) ?? '';
    const { text, sent } = await write(line(ask.title), `Forge: ${line(ask.freeText ?? '')}`, draft);
    this.#drafts.set(key, text);
    if (!sent || !text.trim()) return false;
    await this.answer({ runId, askId, text: text.trim() });
    this.#drafts.delete(key);
    return true;
  }

  /** Opens the file that a question is about, in which the user may change what they are asked about. */
  async edit({ file }: Ask): Promise<void> {
    if (file) await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  }

  /** Opens the details of a question. */
  async show(runId: string, { askId, title, detail = '', file }: Ask): Promise<void> {
    const key = keyOf(runId, askId);
    this.#shown = key;
    const text = file ? detail.replaceAll(file, `\`${basename(file)}\``) : detail; // Edit opens it, and its tab has this name
    await this.#texts.show(key, detailsTitle, `# ${line(title)}\n\n${text}\n`, 'markdown');
  }

  // The details of a question close with it, however it is answered; another text that the tab shows by now stays.
  async #tidy(): Promise<void> {
    const shown = this.#shown;
    if (shown === undefined) return;
    if (this.#feed.runs.all.some(({ runId, asks }) => asks.some(({ askId }) => keyOf(runId, askId) === shown))) return;
    this.#shown = undefined;
    const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
    const details = tabs.filter(
      ({ input, label }) => input instanceof vscode.TabInputWebview && label.endsWith(detailsTitle),
    );
    await vscode.window.tabGroups.close(details, true);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #put(runId: string, ask: Ask): Promise<void> {
    const { askId } = ask;
    const choices: Button[] = list(ask.choices).map((choice) => ({ title: message(choice.title, 60), choice }));
    const own: Button = { title: ownWords };
    // Five buttons are cut off in a notification unless they are short.
    const edit: Button = { title: 'Edit' };
    const details: Button = { title: 'Details' };
    const buttons = [
      ...choices,
      ...(ask.freeText ? [own] : []),
      ...(ask.file ? [edit] : []),
      ...(ask.detail ? [details] : []),
    ];
    for (;;) {
      const picked = await vscode.window.showInformationMessage<Button>(message(`Forge: ${ask.title}`), ...buttons);
      if (picked === undefined) return;
      if (!this.#open(runId, askId)) {
        notifyClosed(); // VS Code cannot withdraw a notification, so it is still open after an answer in the view
        return;
      }
      if (picked.choice) {
        await this.answer({ runId, askId, choice: picked.choice.id });
        return;
      }
      if (picked === details) await this.show(runId, ask);
      else if (picked === edit) await this.edit(ask);
      else if (await this.answerInOwnWords(runId, ask)) return;
    } // ask again
  }

  async #save({ runId, askId }: AnswerArgs): Promise<void> {
    const file = this.#find(runId, askId)?.file;
    if (file)
      await vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === vscode.Uri.file(file).fsPath)?.save();
  }

  #open(runId: string, askId: string): boolean {
    return this.#find(runId, askId) !== undefined;
  }

  #find(runId: string, askId: string): Ask | undefined {
    return this.#feed.runs.find(runId)?.asks.find((ask) => ask.askId === askId);
  }
}

// The ids of questions count from 1 in each run.
function keyOf(runId: string, askId: string): string {
  return `${runId}/${askId}`;
}

function notifyClosed(): void {
  void vscode.window.showInformationMessage('Forge: the question is already closed.');
}
