// Errors as users see them: a sentence, a button for what it advises, and the whole text one click away.
import * as vscode from 'vscode';
import type { Run } from './runs';
import { advice, sentence } from './advice';
import { line, message } from './text';
import type { Texts } from './texts';

interface Button extends vscode.MessageItem {
  readonly act: () => Thenable<unknown>;
}

/** Shows errors. */
export class Problems {
  readonly #output: vscode.LogOutputChannel;
  readonly #texts: Texts;

  constructor(output: vscode.LogOutputChannel, texts: Texts) {
    this.#output = output;
    this.#texts = texts;
  }

  /** Shows the error of a command. */
  show(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#output.error(text);
    const said = message(`Forge: ${sentence(text)}`);
    void this.#offer(said, this.#buttons(text), 'error');
  }

  /** Shows why a run did not succeed. */
  showRun({ runId, task, status, reason }: Run): void {
    this.#output.warn(`${task}: ${status}: ${reason}`);
    const why = reason ? `: ${sentence(reason)}` : '';
    const run = (title: string, name: string): Button => ({
      title,
      act: () => vscode.commands.executeCommand(`forge.ui.${name}`, { runId }),
    });
    const buttons = [...this.#buttons(reason), run('Resume', 'resume'), run('Show Log', 'showLog')];
    void this.#offer(message(`Forge: ${line(task, 60)} ${status}${why}`), buttons, 'warning');
  }

  // What the error advises, and its whole text if the sentence leaves some of it out.
  #buttons(text: string): Button[] {
    const buttons: Button[] = advice(text).map(({ title, command, args }) => ({
      title,
      act: () => vscode.commands.executeCommand(command, ...args),
    }));
    const whole = text.trim() === sentence(text);
    const details: Button = {
      title: 'Show Details',
      act: () => this.#texts.show('error', 'Forge error.txt', `${text}\n`, 'plaintext'),
    };
    return whole ? buttons : [...buttons, details];
  }

  async #offer(text: string, buttons: readonly Button[], how: 'error' | 'warning'): Promise<void> {
    const show = how === 'error' ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const picked = await show<Button>(text, ...buttons);
    await picked?.act();
  }
}
