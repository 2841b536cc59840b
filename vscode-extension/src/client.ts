// The language client: starts the server when it is first needed, announces that this editor understands forge/event, and sends commands.
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  State,
  type ClientCapabilities,
  type FeatureState,
  type LanguageClient,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { scheme } from './address';
import { askBefore } from './ask';
import { kept, serverEnv } from './config';
import {
  deltaMethod,
  eventMethod,
  proposalMethod,
  restrictMethod,
  type CommandName,
  type Commands,
  type Delta,
  type Event,
  type ProposalChanged,
  type Restriction,
} from './protocol_gen';
import { isLost, QuietClient } from './quietclient';
import { checkVersion, Ends, findServer, notRunning, notStarted } from './server';
import { isOfRun } from './spending';
import { visible } from './text';
import { checkTrust, restriction } from './trust';

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

// The code of the library for a request that is sent while no server runs.
const inactive = -32096;

/** The server ended before it answered. It is started again, and says what is left of its runs. */
export class Lost extends Error {
  constructor() {
    super('the server ended before it answered, and is started again');
  }
}

/** What the connection needs of the extension. */
export interface Setting {
  readonly extension: { readonly extensionPath: string; readonly packageJSON: { readonly version: string } };
  readonly output: vscode.LogOutputChannel;
  /** Additional variables for the server, when it starts. */
  readonly environment: () => Promise<Record<string, string>>;
  /** Shows an error that no command returns. */
  readonly report: (error: unknown) => void;
  /** Writes what the server logs into the log, unless that is closed. */
  readonly log: (text: string) => void;
}

/** The connection to the server, over all its starts. */
export class Forge implements vscode.Disposable {
  readonly #setting: Setting;
  readonly #events = new vscode.EventEmitter<Event>();
  readonly #deltas = new vscode.EventEmitter<Delta>();
  readonly #proposals = new vscode.EventEmitter<ProposalChanged>();
  readonly #running = new vscode.EventEmitter<boolean>();
  readonly #ends = new Ends();
  readonly #granted: vscode.Disposable;
  #disposed = false;
  #client: LanguageClient | undefined;
  #ready: Promise<LanguageClient> | undefined;
  #up = false; // the server has started and not ended

  /** An event of a run. */
  readonly onEvent = this.#events.event;
  /** The output of a model, as it arrives. */
  readonly onDelta = this.#deltas.event;
  /** A proposal has changed by itself: what the user made of it was checked. */
  readonly onProposal = this.#proposals.event;
  /** The server is running (true), or has stopped (false). */
  readonly onRunning = this.#running.event;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#granted = vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#unrestrict());
  }

  /** Whether the server was started, and not stopped since. */
  get started(): boolean {
    return this.#ready !== undefined;
  }

  /** Starts the server, unless it runs. Fails with a way out if there is none that fits. */
  async start(): Promise<void> {
    await this.#connected();
  }

  /** Restarts the server. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Stops the server. */
  async stop(): Promise<void> {
    const [starting, known] = [this.#ready, this.#client];
    this.#client = this.#ready = undefined;
    this.#up = false;
    const late = new Promise((resolve) => setTimeout(resolve, 5000)); // one that starts cannot be stopped yet: it stops itself once it can
    await Promise.race([starting?.catch(() => undefined), late]);
    if (known && known.state !== State.Starting) await end(known);
  }

  /** Sends one of the server's commands, and starts the server for it. The message of its error is for the user. */
  async send<C extends CommandName>(command: C, args: Commands[C]['args']): Promise<Commands[C]['result']> {
    checkTrust(command, args);
    const client = await this.#connected();
    const params = { command, arguments: [args] };
    try {
      return await client.sendRequest<Commands[C]['result']>('workspace/executeCommand', params);
    } catch (error) {
      if ((error as { code?: unknown }).code === inactive) throw notRunning();
      throw isLost(error) ? new Lost() : error;
    }
  }

  /** Whether the server answers commands. */
  get running(): boolean {
    return this.#client?.isRunning() ?? false;
  }

  /** The text of one of the server's own documents, byte for byte. */
  async content(uri: string): Promise<string> {
    const client = await this.#connected();
    const { text } = await client.sendRequest<{ text: string }>('workspace/textDocumentContent', { uri });
    return text;
  }

  /** A document's URI as the server knows it. */
  uri(uri: vscode.Uri): string {
    return this.#client?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  }

  dispose(): void {
    this.#disposed = true;
    this.#granted.dispose();
    this.#events.dispose();
    this.#deltas.dispose();
    this.#proposals.dispose();
    this.#running.dispose();
  }

  // A server that has started, or is about to, hears that the user trusts the workspace now.
  async #unrestrict(): Promise<void> {
    try {
      await (await this.#ready)?.sendNotification(restrictMethod, restriction());
    } catch (error) {
      this.#setting.log(String(error)); // it has ended: the next one gets this when it starts
    }
  }

  // One start at a time; one that failed is forgotten, so that the next command tries again.
  async #connected(): Promise<LanguageClient> {
    const starting = (this.#ready ??= this.#launch());
    try {
      return await starting;
    } catch (error) {
      if (this.#ready === starting) this.stop().catch(() => undefined); // a client that did not start may not stop either
      throw error;
    }
  }

  async #launch(): Promise<LanguageClient> {
    const { extension, environment } = this.#setting;
    const command = await findServer(extension.extensionPath);
    const env = { ...process.env, ...(await environment()), ...serverEnv() };
    const server = { command, args: ['lsp'], options: { env } };
    const client: QuietClient = new QuietClient(
      'forge',
      'Forge',
      server,
      this.#options(() => this.#client === client),
    );
    client.closed = () => this.#disposed;
    this.#client = client;
    client.registerFeature(new ForgeCapability());
    client.onNotification(eventMethod, (event: Event) => {
      this.#events.fire(event);
    });
    client.onNotification(deltaMethod, (delta: Delta) => {
      this.#deltas.fire(delta);
    });
    client.onNotification(proposalMethod, (changed: ProposalChanged) => {
      this.#proposals.fire(changed);
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped && !this.#up) this.#running.fire(false); // else another server runs by now
    });
    await client.start().catch((error: unknown) => {
      throw notStarted(command, error);
    });
    if (this.#client !== client) {
      await end(client); // it was stopped while it started
      throw notRunning();
    }
    checkVersion(extension.packageJSON.version, client.initializeResult?.serverInfo?.version);
    this.#up = true;
    this.#running.fire(true); // not before: who hears of it sends commands, which would start the wrong server again and again
    return client;
  }

  #options(isCurrent: () => boolean): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file' }, { scheme }],
      outputChannel: this.#setting.output,
      initializationOptions: (): Restriction => restriction(),
      stdioOptions: {
        stdout: () => undefined, // it has the protocol's messages
        // By default the client would fail here: the server may write a last line when the window closes, and with it the log.
        stderr: (lines) => createInterface({ input: lines }).on('line', this.#setting.log),
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => {
          if (isCurrent()) this.#closed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      middleware: {
        provideTextDocumentContent: async (uri, token, next) => visible((await next(uri, token)) ?? ''),
        workspace: {
          configuration: async (params, token, next) => {
            const values = await next(params, token);
            return Array.isArray(values) ? params.items.map(({ section }, i) => kept(section, values[i])) : values;
          },
        },
        executeCommand: (command, args: unknown[], next) => this.#execute(command, args, next),
        handleWorkDoneProgress: (token, params, next) => {
          if (!isOfRun(token)) next(token, params);
        },
      },
    };
  }

  // A command that the server registered, such as that of a code action.
  async #execute(
    command: string,
    args: unknown[],
    next: (command: string, args: unknown[]) => unknown,
  ): Promise<unknown> {
    try {
      checkTrust(command, args[0] as object);
    } catch (error) {
      this.#setting.report(error);
      return undefined;
    }
    return await askBefore(args, (all): unknown => next(command, all));
  }

  // The server ended without being asked to. It is started again, but not without end. While it starts, the start fails.
  #closed(): void {
    if (!this.#up) return;
    this.#up = false;
    this.#client = this.#ready = undefined;
    const { report } = this.#setting;
    if (this.#ends.tooMany()) report(this.#ends.trouble());
    else {
      vscode.window.setStatusBarMessage('Forge: the server ended and is started again', 10_000);
      this.start().catch(report);
    }
  }
}

async function end(client: LanguageClient): Promise<void> {
  if (client.needsStop()) await client.stop();
  await client.dispose();
}
