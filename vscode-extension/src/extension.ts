// The entry point of the extension: wires its parts. The parts show what the server sends and make no decisions.
import * as vscode from 'vscode';
import { registerChat, type Chat } from './chat';
import { Forge, Lost } from './client';
import { registerCommands } from './commands';
import { onServerSettings } from './config';
import { Conversations } from './conversation';
import { Demo } from './demo';
import { setLanguages } from './documents';
import { Changes } from './changes';
import { Feed } from './feed';
import { InPlace } from './inplace';
import { Keys } from './keys';
import { Lenses } from './lenses';
import { Notices } from './notices';
import { Problems } from './problems';
import { ProposalFiles } from './proposalfiles';
import { Proposals } from './proposals';
import { Questions } from './questions';
import { remember, wasOpen } from './reopening';
import { RunActions } from './runactions';
import { RunBox } from './runbox';
import { Status } from './status';
import { Texts } from './texts';
import { Spoken } from './spoken';
import { RunsView } from './view';
import { registerViewCommands } from './viewcommands';

let forge: Forge | undefined;

/** What the extension offers to its tests. */
export interface Exports {
  readonly chat: Chat;
}

// No server is started here unless the folder uses Forge: other windows have no process of it.
export async function activate(context: vscode.ExtensionContext): Promise<Exports> {
  const output = vscode.window.createOutputChannel('Forge', { log: true });
  const texts = new Texts();
  const problems = new Problems(output, texts);
  const report = (error: unknown) => {
    if (error instanceof Lost)
      problems.log(error.message); // the connection shows what becomes of the server
    else problems.show(error);
  };
  const keys = new Keys(context);
  const demo = new Demo(context);
  const environment = async () => ({ ...(await keys.environment()), ...(await demo.environment()) });
  const log = (text: string) => {
    problems.log(text);
  };
  const connection = (forge = new Forge({ extension: context.extension, output, environment, report, log }));
  const feed = new Feed(forge, report);
  const model = vscode.window.createOutputChannel('Forge: Model');
  const spoken = new Spoken();
  const threads = new Conversations();
  const box = new RunBox(context.workspaceState);
  const questions = new Questions(forge, feed, texts, (runId) => threads.isElsewhere(runId), report);
  const files = new ProposalFiles(forge, feed);
  const inPlace = new InPlace(forge, feed);
  const changes = new Changes(feed, files, inPlace);
  const proposals = new Proposals(forge, feed, changes, files, texts);
  const start = () => void connection.start().catch(report);
  const { chat, registration } = registerChat(
    { forge, feed, threads },
    vscode.Uri.joinPath(context.extensionUri, 'media/icon.png'),
  );
  context.subscriptions.push(
    problems,
    output,
    model,
    forge,
    demo,
    registration,
    forge.onDelta((delta) => {
      model.append(spoken.add(delta));
    }),
    feed,
    remember(feed, context.workspaceState),
    texts,
    questions,
    files,
    inPlace,
    changes,
    new Lenses(feed, files),
    new Notices({ feed, proposals, problems, texts, threads }),
    new RunsView(feed, start, report),
    new Status(forge, feed, (name) => {
      box.note(name);
    }),
    registerCommands({ forge, feed, questions, texts, keys, demo, box, threads, output, report }),
    registerViewCommands({ proposals, changes, runs: new RunActions(forge, feed, texts), feed, output, report }),
    setLanguages(report),
    onServerSettings(() => {
      if (connection.started) void offerRestart();
    }),
  );
  if (wasOpen(context.workspaceState) || (await usesForge())) start();
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
