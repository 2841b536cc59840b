// Shows the inputs of runs: skills, the answers of a provider, the prompt of a node. Asks no model.
import * as vscode from 'vscode';
import { sentPlaces } from './address';
import type { Forge } from './client';
import { openDocument } from './documents';
import type { ExploreArgs } from './protocol_gen';
import { inFolder } from './scope';
import { line, message } from './text';
import type { Texts } from './texts';

/** Lists the skills that runs in the folder know, and opens the one that is picked. */
export async function skills(forge: Forge): Promise<void> {
  const result = await forge.send('forge.skills', await inFolder(forge));
  const bad = result.problems.map(({ source, reason }) => `${line(source)}: ${line(reason)}`);
  if (bad.length > 0)
    void vscode.window.showWarningMessage(
      message(`Forge: left out, because they are not valid skills: ${bad.join('; ')}`),
    );
  const rows = result.skills.map(({ name, description, category, source }) => ({
    label: line(name),
    description: line(category ?? ''),
    detail: line(description ?? ''),
    source,
  }));
  if (rows.length === 0) {
    void vscode.window.showInformationMessage(
      'Forge: no skills found; docs/prompts.md lists the folders that Forge searches.',
    );
    return;
  }
  const picked = await vscode.window.showQuickPick(rows, { title: 'Skills', matchOnDetail: true });
  if (picked) await vscode.window.showTextDocument(vscode.Uri.file(picked.source));
}

// The question that the user answers for each provider, and the argument that takes the answer.
const providers: Record<ExploreArgs['provider'], { asks?: string; as?: 'path' | 'pattern' | 'query' }> = {
  read_file: { asks: 'Which file?', as: 'path' },
  search_code: { asks: 'Which regular expression?', as: 'pattern' },
  symbol_list: { asks: 'Which file or folder?', as: 'path' },
  import_graph: { asks: 'Which file?', as: 'path' },
  run_tests: {},
  lint_check: {},
  git_log: {},
  git_diff: {},
  repo_map: {},
  discover_context: { asks: 'Which request?', as: 'query' },
  past_runs: {},
  playbooks: {},
};

/** Asks one of the providers that models use before they write, and shows the answer that a model would get. */
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
  const failed = result.failed ? 'Failed: ' : '';
  await texts.show('explore', `Forge ${provider}`, `${failed}${result.text}\n`, 'plaintext');
}

/** Shows the first prompt of a node, byte for byte, with the tokens of each section, or a prompt that a run has sent. */
export async function showPrompt(forge: Forge): Promise<void> {
  const sent = 'a prompt that a run sent';
  const node = await vscode.window.showQuickPick(['executor', 'orchestrator', 'spec', 'review', sent], {
    title: 'Show the prompt of which node?',
  });
  if (node === undefined) return;
  if (node === sent) {
    await showSent(forge);
    return;
  }
  const text = await vscode.window.showInputBox({ prompt: 'Forge: show the prompt for which request?' });
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
  const place = await vscode.window.showQuickPick(sentPlaces(run.runId, events), { title: 'Which prompt?' });
  if (place) await openDocument(place.address);
}
