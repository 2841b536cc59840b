// Errors as users see them: a sentence, a button for what it advises, and the whole text one click away.
import * as vscode from 'vscode';
import type { Run } from './runs';
import { advice, remedyOf, saysAll, sentence, type Remedy } from './advice';
import { line, message } from './text';
import type { Texts } from './texts';
import { Trouble, way, type Way } from './trouble';

/** Shows errors until it is disposed: then the window closes, and its log is closed. */
export class Problems implements vscode.Disposable {
  #closed = false;
  readonly #output: vscode.LogOutputChannel;
  readonly #texts: Texts;

  constructor(output: vscode.LogOutputChannel, texts: Texts) {
    this.#output = output;
    this.#texts = texts;
  }

  dispose(): void {
    this.#closed = true;
  }

  /** Writes an error into the log only. */
  log(text: string): void {
    if (!this.#closed) this.#output.error(text);
  }

  /** Shows the error of a command, unless the user has cancelled it. */
  show(error: unknown): void {
    if (this.#closed || error instanceof vscode.CancellationError) return;
    const text = error instanceof Error ? error.message : String(error);
    this.#output.error(text);
    const said = message(`Forge: ${sentence(text)}`);
    const ways = error instanceof Trouble ? error.ways : advised(remedyOf(error));
    void this.#offer(said, saysAll(text, 380) ? ways : [...ways, this.#details(text)], 'error');
  }

  /** Shows why a run did not succeed, with a button for what helps. */
  showRun({ runId, task, status, reason }: Run, remedy: Remedy | undefined): void {
    if (this.#closed) return;
    this.#output.warn(`${task}: ${status}: ${reason}`);
    const why = reason ? `: ${sentence(reason)}` : '';
    const run = (title: string, name: string) => way(title, `forge.ui.${name}`, { runId });
    const [first] = advised(remedy); // one: VS Code cuts the titles of more than four buttons
    const buttons = [...(first ? [first] : []), run('Resume', 'resume'), run('Show Log', 'showLog')];
    void this.#offer(message(`Forge: ${line(task, 60)} — ${status}${why}`), buttons, 'warning');
  }

  #details(text: string): Way {
    return {
      title: 'Show Details',
      act: () => this.#texts.show('error', 'Forge error.txt', `${text}\n`, 'plaintext'),
    };
  }

  async #offer(text: string, buttons: readonly Way[], how: 'error' | 'warning'): Promise<void> {
    const show = how === 'error' ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const picked = await show<Way>(text, ...buttons);
    await picked?.act();
  }
}

function advised(remedy: Remedy | undefined): Way[] {
  return advice(remedy).map(({ title, command, args }) => way(title, command, ...args));
}
