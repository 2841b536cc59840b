// The entry point of the extension: wires its parts. The parts show what the server sends and make no decisions.
import * as vscode from 'vscode';
import { Forge } from './client';
import { registerCommands } from './commands';
import { onServerSettings } from './config';
import { setLanguages } from './documents';
import { Feed } from './feed';
import { Notices } from './notices';
import { Proposals } from './proposals';
import { Questions } from './questions';
import { message } from './text';
import { Status } from './status';
import { Texts } from './texts';
import { Spoken } from './spoken';
import { RunsView } from './view';

let forge: Forge | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Forge', { log: true });
  const report = (error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    output.error(text);
    void vscode.window.showErrorMessage(message(`Forge: ${text}`));
  };
  forge = new Forge(context.extensionPath, output);
  const feed = new Feed(forge, report);
  const model = vscode.window.createOutputChannel('Forge: Model');
  const spoken = new Spoken();
  const texts = new Texts();
  const questions = new Questions(forge, feed, texts, report);
  const proposals = new Proposals(forge, feed, texts);
  context.subscriptions.push(
    output,
    model,
    forge,
    forge.onDelta((delta) => {
      model.append(spoken.add(delta));
    }),
    feed,
    texts,
    questions,
    new Notices(feed, proposals, texts, report),
    new RunsView(feed),
    new Status(feed),
    registerCommands({ forge, proposals, questions, texts, output, report }),
    setLanguages(report),
    onServerSettings(() => void offerRestart()),
  );
  await forge.start().catch(report);
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
