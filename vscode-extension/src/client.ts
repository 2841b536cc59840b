// The language client: starts the server, announces that this editor understands forge/event, and sends commands.
import * as vscode from 'vscode';
import {
  ExecuteCommandRequest,
  LanguageClient,
  State,
  type ClientCapabilities,
  type FeatureState,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { scheme } from './address';
import { askBefore } from './ask';
import { serverEnv } from './config';
import { deltaMethod, eventMethod, type CommandName, type Commands, type Delta, type Event } from './protocol_gen';
import { findServer, reportMissingServer } from './server';
import { visible } from './text';

/** Announces `capabilities.experimental.forge`: the server then sends events and leaves questions to the view. */
class ForgeCapability implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const others = capabilities.experimental as object | undefined;
    capabilities.experimental = { ...others, forge: true };
  }
  getState(): FeatureState {
    return { kind: 'static' };
  }
  initialize(): void {
    // The server's answer does not matter here.
  }
  clear(): void {
    // There is no state.
  }
}

/** The connection to the server, over all its starts. */
export class Forge implements vscode.Disposable {
  readonly #extensionPath: string;
  readonly #output: vscode.LogOutputChannel;
  readonly #events = new vscode.EventEmitter<Event>();
  readonly #deltas = new vscode.EventEmitter<Delta>();
  readonly #running = new vscode.EventEmitter<boolean>();
  #client: LanguageClient | undefined;

  /** An event of a run. */
  readonly onEvent = this.#events.event;
  /** The output of a model, as it arrives. */
  readonly onDelta = this.#deltas.event;
  /** The server is running (true), or has stopped (false). */
  readonly onRunning = this.#running.event;

  constructor(extensionPath: string, output: vscode.LogOutputChannel) {
    this.#extensionPath = extensionPath;
    this.#output = output;
  }

  /** Starts the server. If the binary is missing, it only notifies the user. */
  async start(): Promise<void> {
    const command = await findServer(this.#extensionPath);
    if (command === undefined) {
      void reportMissingServer();
      return;
    }
    const env = { ...process.env, ...serverEnv() };
    this.#client = new LanguageClient(
      'forge',
      'Forge',
      { command, args: ['lsp'], options: { env } },
      {
        documentSelector: [{ scheme: 'file' }, { scheme }],
        outputChannel: this.#output,
        middleware: {
          provideTextDocumentContent: async (uri, token, next) => visible((await next(uri, token)) ?? ''),
          executeCommand: (command, args: unknown[], next) => askBefore(args, (all): unknown => next(command, all)),
        },
      },
    );
    this.#client.registerFeature(new ForgeCapability());
    this.#client.onNotification(eventMethod, (event: Event) => {
      this.#events.fire(event);
    });
    this.#client.onNotification(deltaMethod, (delta: Delta) => {
      this.#deltas.fire(delta);
    });
    this.#client.onDidChangeState(({ newState }) => {
      if (newState !== State.Starting) this.#running.fire(newState === State.Running);
    });
    await this.#client.start();
  }

  /** Restarts the server. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Stops the server. */
  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client?.needsStop()) await client.stop();
    await client?.dispose();
  }

  /** Sends one of the server's commands. The message of its error is for the user. */
  async send<C extends CommandName>(command: C, args: Commands[C]['args']): Promise<Commands[C]['result']> {
    const params = { command, arguments: [args] };
    return (await this.#answering().sendRequest(ExecuteCommandRequest.type, params)) as Commands[C]['result'];
  }

  /** Whether the server answers commands. */
  get running(): boolean {
    return this.#client?.isRunning() ?? false;
  }

  /** The text of one of the server's own documents, byte for byte. */
  async content(uri: string): Promise<string> {
    const { text } = await this.#answering().sendRequest<{ text: string }>('workspace/textDocumentContent', { uri });
    return text;
  }

  /** A document's URI as the server knows it. */
  uri(uri: vscode.Uri): string {
    return this.#client?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  }

  #answering(): LanguageClient {
    if (!this.#client?.isRunning()) throw new Error('The server is not running.');
    return this.#client;
  }

  dispose(): void {
    this.#events.dispose();
    this.#deltas.dispose();
    this.#running.dispose();
  }
}
