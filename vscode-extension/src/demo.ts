// The demo: a sample workspace in the extension's own folder, and a model whose answers were written beforehand. Compilers and
// tests are real. The window of the sample is known by its folder.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { findServer } from './server';

/** The task that the scripted model knows. */
export const demoTask =
  'Add a Discount method to Cart: the total less a percentage, rounded to the nearest cent. A percentage outside of 0 to 100 is an error.';

/** Opens the sample, and serves its model in the window that has it open. */
export class Demo implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  #model: ChildProcess | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  /** Whether this window has the sample open. */
  get open(): boolean {
    return vscode.workspace.workspaceFolders?.some(({ uri }) => uri.fsPath === this.#folder) ?? false;
  }

  /** Opens the sample in a new window, fresh the first time. */
  async show(): Promise<void> {
    if (!(await stat(this.#folder).catch(() => undefined))) await this.#write();
    await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(this.#folder), { forceNewWindow: true });
  }

  /** What the server gets in its environment here: in the window of the sample, the scripted model and a state of its own. */
  async environment(): Promise<Record<string, string>> {
    if (!this.open) return {};
    return {
      FORGE_BASE_URL: await this.#serve(),
      FORGE_MODEL: 'scripted',
      FORGE_API_KEY: '',
      FORGE_TAG_REQUESTS: '1',
      FORGE_HOME: join(this.#home, 'state'),
    };
  }

  dispose(): void {
    this.#model?.kill();
  }

  get #home(): string {
    return this.#context.globalStorageUri.fsPath;
  }

  get #folder(): string {
    return join(this.#home, 'demo', 'cart');
  }

  async #write(): Promise<void> {
    await mkdir(join(this.#home, 'demo'), { recursive: true });
    const forge = await findServer(this.#context.extensionPath);
    try {
      await promisify(execFile)(forge, ['dev', 'sample', this.#folder]);
    } catch (error) {
      await rm(this.#folder, { recursive: true, force: true });
      throw error;
    }
  }

  // The script is played once from its beginning, so each start of the server gets a new one.
  async #serve(): Promise<string> {
    this.#model?.kill();
    const forge = await findServer(this.#context.extensionPath);
    const model = spawn(forge, ['dev', 'model'], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#model = model;
    return new Promise((resolve, reject) => {
      let text = '';
      model.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const address = /https?:\/\/\S+(?=\n)/.exec(text)?.[0];
        if (address) resolve(address);
      });
      model.on('error', reject);
      model.on('exit', () => {
        reject(new Error('the scripted model of the demo did not start; forge dev model, in a terminal, says why'));
      });
    });
  }
}
