// The entry point of the extension: wires its parts. The parts show what the server sends and make no decisions.
import * as vscode from 'vscode';
import { Forge } from './client';
import { registerCommands } from './commands';
import { onServerSettings } from './config';
import { setLanguages } from './documents';
import { Changes } from './changes';
import { Feed } from './feed';
import { Lenses } from './lenses';
import { Notices } from './notices';
import { Problems } from './problems';
import { ProposalFiles } from './proposalfiles';
import { Proposals } from './proposals';
import { Questions } from './questions';
import { RunActions } from './runactions';
import { Status } from './status';
import { Texts } from './texts';
import { Spoken } from './spoken';
import { RunsView } from './view';
import { registerViewCommands } from './viewcommands';

let forge: Forge | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Forge', { log: true });
  const texts = new Texts();
  const problems = new Problems(output, texts);
  const report = (error: unknown) => {
    problems.show(error);
  };
  forge = new Forge(context.extensionPath, output);
  const feed = new Feed(forge, report);
  const model = vscode.window.createOutputChannel('Forge: Model');
  const spoken = new Spoken();
  const questions = new Questions(forge, feed, texts, report);
  const files = new ProposalFiles(forge, feed);
  const changes = new Changes(feed, files);
  const proposals = new Proposals(forge, feed, changes, files, texts);
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
    files,
    changes,
    new Lenses(feed, files),
    new Notices(feed, proposals, problems, texts),
    new RunsView(feed, report),
    new Status(forge, feed),
    registerCommands({ forge, feed, questions, texts, output, report }),
    registerViewCommands({ proposals, changes, runs: new RunActions(forge, feed, texts), feed, output, report }),
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
