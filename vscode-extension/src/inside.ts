// Looking at what runs work with: skills, what a provider says of the folder, the prompt of a node. No model is asked.
import * as vscode from 'vscode';
import { sentPlaces } from './address';
import type { Forge } from './client';
import { openDocument } from './documents';
import type { ExploreArgs } from './protocol_gen';
import { inFolder } from './scope';
import { line } from './text';
import type { Texts } from './texts';

/** Lists the skills that runs in the folder know, and opens the one that is picked. */
export async function skills(forge: Forge): Promise<void> {
  const result = await forge.send('forge.skills', await inFolder(forge));
  const bad = result.problems.map(({ source, reason }) => `${line(source)}: ${line(reason)}`);
  if (bad.length > 0) void vscode.window.showWarningMessage(`Forge: not read as skills: ${bad.join('; ')}`);
  const rows = result.skills.map(({ name, description, category, source }) => ({
    label: line(name),
    description: line(category ?? ''),
    detail: line(description ?? ''),
    source,
  }));
  if (rows.length === 0) {
    void vscode.window.showInformationMessage('Forge: there are no skills here; docs say where they are looked for.');
    return;
  }
  const picked = await vscode.window.showQuickPick(rows, { title: 'Skills', matchOnDetail: true });
  if (picked) await vscode.window.showTextDocument(vscode.Uri.file(picked.source));
}

// What each provider is asked about, and under which name it takes that.
const providers: Record<ExploreArgs['provider'], { asks?: string; as?: 'path' | 'pattern' | 'query' }> = {
  read_file: { asks: 'Which file?', as: 'path' },
  search_code: { asks: 'Which regular expression?', as: 'pattern' },
  symbol_list: { asks: 'Of which file or folder?', as: 'path' },
  import_graph: { asks: 'Of which file?', as: 'path' },
  run_tests: {},
  lint_check: {},
  git_log: {},
  git_diff: {},
  repo_map: {},
  discover_context: { asks: 'For which request?', as: 'query' },
  past_runs: {},
  playbooks: {},
};

/** Asks one of the providers that models ask before they write, and shows what a model would be told. */
export async function explore(forge: Forge, texts: Texts): Promise<void> {
  const picked = await vscode.window.showQuickPick(Object.keys(providers), { title: 'Explore' });
  if (picked === undefined) return;
  const provider = picked as ExploreArgs['provider'];
  const { asks, as } = providers[provider];
  const given = asks === undefined ? '' : await vscode.window.showInputBox({ prompt: `Forge: ${asks}` });
  if (given === undefined) return;
  const result = await forge.send('forge.explore', {
    provider,
    ...(as && given ? { [as]: given } : {}),
    ...(await inFolder(forge)),
  });
  const failed = result.failed ? 'There is no answer: ' : '';
  await texts.show('explore', `Forge ${provider}`, `${failed}${result.text}\n`, 'plaintext');
}

/** Shows what a node of a run would be sent first, byte for byte, with the tokens of each section; or what one was sent. */
export async function showPrompt(forge: Forge): Promise<void> {
  const sent = 'of a run, as it was sent';
  const node = await vscode.window.showQuickPick(['executor', 'orchestrator', 'spec', 'review', sent], {
    title: 'Prompt of which node?',
  });
  if (node === undefined) return;
  if (node === sent) {
    await showSent(forge);
    return;
  }
  const text = await vscode.window.showInputBox({ prompt: 'Forge: the prompt of which request?' });
  if (!text?.trim()) return;
  const { prompt } = await forge.send('forge.context', { text: text.trim(), node, ...(await inFolder(forge)) });
  if (prompt?.uri) await openDocument(prompt.uri);
}

async function showSent(forge: Forge): Promise<void> {
  const { runs } = await forge.send('forge.runs', { all: true, ...(await inFolder(forge)) });
  const rows = runs.map(({ runId, task, state }) => ({ label: line(task, 80), description: line(state), runId }));
  const run = await vscode.window.showQuickPick(rows, { title: 'Which run?' });
  if (run === undefined) return;
  const { events } = await forge.send('forge.events', { runId: run.runId });
  const place = await vscode.window.showQuickPick(sentPlaces(run.runId, events), { title: 'Sent where?' });
  if (place) await openDocument(place.address);
}
