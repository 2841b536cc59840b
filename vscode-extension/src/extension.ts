// The entry point of the extension: wires its parts. The parts show what the server sends and make no decisions.
import * as vscode from 'vscode';
import { registerChat, type Chat } from './chat';
import { Forge, Lost } from './client';
import { registerCommands } from './commands';
import { onServerSettings } from './config';
import { Conversations } from './conversation';
import { Demo } from './demo';
import { setLanguages } from './documents';
import { Feed } from './feed';
import { Keys } from './keys';
import { Notices } from './notices';
import { Proposals } from './proposals';
import { Questions } from './questions';
import { RunBox } from './runbox';
import { Status } from './status';
import { Texts } from './texts';
import { Spoken } from './spoken';
import { showError } from './trouble';
import { RunsView } from './view';

let forge: Forge | undefined;

/** What the extension offers to its tests. */
export interface Exports {
  readonly chat: Chat;
}

// No server is started here: a window that does not use Forge has no process of it.
export async function activate(context: vscode.ExtensionContext): Promise<Exports> {
  const output = vscode.window.createOutputChannel('Forge', { log: true });
  const report = (error: unknown) => {
    output.error(error instanceof Error ? error.message : String(error));
    if (!(error instanceof Lost)) void showError(error); // the connection shows what becomes of the server
  };
  const keys = new Keys(context);
  const demo = new Demo(context);
  const environment = async () => ({ ...(await keys.environment()), ...(await demo.environment()) });
  const connection = (forge = new Forge({ extension: context.extension, output, environment, report }));
  const feed = new Feed(forge, report);
  const model = vscode.window.createOutputChannel('Forge: Model');
  const spoken = new Spoken();
  const texts = new Texts();
  const threads = new Conversations();
  const box = new RunBox(context.workspaceState);
  const questions = new Questions(forge, feed, texts, report);
  const proposals = new Proposals(forge, feed, texts);
  const start = () => void connection.start().catch(report);
  const { chat, registration } = registerChat(
    { forge, feed, threads },
    vscode.Uri.joinPath(context.extensionUri, 'media/icon.png'),
  );
  context.subscriptions.push(
    output,
    model,
    forge,
    demo,
    registration,
    forge.onDelta((delta) => {
      model.append(spoken.add(delta));
    }),
    feed,
    texts,
    questions,
    new Notices(feed, proposals, texts, threads, report),
    new RunsView(feed, start),
    new Status(feed),
    registerCommands({ forge, proposals, questions, texts, keys, demo, box, threads, output, report }),
    setLanguages(report),
    onServerSettings(() => {
      if (connection.started) void offerRestart();
    }),
  );
  if (await usesForge()) start();
  return { chat };
}

// A folder with settings for Forge uses it: its hints and code actions are wanted from the beginning.
async function usesForge(): Promise<boolean> {
  return (await vscode.workspace.findFiles('.forge/config.yaml', undefined, 1)).length > 0;
}

export async function deactivate(): Promise<void> {
  await forge?.stop();
}

// Not automatic: a restart ends a run that is in progress.
async function offerRestart(): Promise<void> {
  const restart = 'Restart Server';
  const picked = await vscode.window.showInformationMessage(
    'Forge: restart the server to apply the new settings.',
    restart,
  );
  if (picked === restart) await vscode.commands.executeCommand('forge.ui.restart');
}
