// Starts runs: from the run box, or from the text of an editor.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Forge } from './client';
import { approve } from './config';
import { demoTask, type Demo } from './demo';
import type { RunArgs } from './protocol_gen';
import type { Purpose, RunBox } from './runbox';
import { checkFolder, pickFolder, scopeOf, type Where } from './scope';
import { needModel } from './setup';
import { checkTrust } from './trust';

/** The kinds of runs that the palette offers. */
export type Kind = 'run' | 'selection' | 'plan';

const titles: Record<Kind, string> = {
  run: 'Forge: what should change?',
  selection: 'Forge: what should change in the selection?',
  plan: 'Forge: what should change, part by part?',
};

/** Starts runs. */
export class Starting {
  readonly #forge: Forge;
  readonly #box: RunBox;
  readonly #demo: Demo;
  #before: Where = {}; // where the user was when the text moved to an editor

  constructor(forge: Forge, box: RunBox, demo: Demo) {
    this.#forge = forge;
    this.#box = box;
    this.#demo = demo;
  }

  /** Asks for the task, and starts the run. */
  async fromBox(kind: Kind): Promise<void> {
    const editor = vscode.window.activeTextEditor; // before the box, which takes the focus
    checkTrust('forge.run');
    checkFolder(editor);
    const scope = editor && scopeOf(this.#forge, editor);
    this.#before = scope ? { scope } : {};
    const purpose: Purpose = {
      title: titles[kind],
      verb: 'Run',
      placeHolder: 'add a Reverse function with tests. @ names a file',
      empty: 'what a // forge: comment in the open file says',
      plan: kind === 'plan',
      ...(this.#demo.open ? { value: demoTask } : {}),
    };
    const written = await this.#box.write(purpose);
    if (!written) return;
    const { text: task, mode, plan, wholeFolder } = written;
    const how = { ...(plan ? { plan } : {}), ...(mode ? { mode: mode as NonNullable<RunArgs['mode']> } : {}) };
    await this.#start({ ...how, ...(task ? { task } : {}), ...(scope && !wholeFolder ? { scope } : {}) });
  }

  /** Starts a run with the text of the editor in front. */
  async fromEditor(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'forge-task') return;
    await this.#start({ task: document.getText().trim(), ...this.#before });
  }

  async #start(args: RunArgs): Promise<void> {
    const folder = args.scope ? undefined : await pickFolder(this.#forge);
    this.#box.note(await needModel(this.#forge));
    await this.#forge.send('forge.run', {
      ...args, // without a task the server takes the `// forge:` comment
      approve: approve(),
      clientRunId: randomUUID(),
      ...(folder === undefined ? {} : { folder }),
    });
    await vscode.commands.executeCommand('forge.runs.focus');
  }
}
