// The commands that change no code: a question, a review, a specification. Their results arrive as events.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { specAddress } from './address';
import type { Forge } from './client';
import type { Conversations } from './conversation';
import { openDocument } from './documents';
import type { RunBox } from './runbox';
import { pickFolder, whereOf } from './scope';
import { needModel } from './setup';

/** Asks a question about the selection or the open file, or with `follows` one that continues the last conversation. */
export async function ask(forge: Forge, box: RunBox, threads: Conversations, follows = false): Promise<void> {
  const where = await whereOf(forge);
  const earlier = follows ? threads.earlier : [];
  const written = await box.write({
    title: earlier.length > 0 ? 'Forge: what else do you want to know?' : 'Forge: what do you want to know?',
    verb: 'Ask',
    placeHolder: 'where are refunds rounded? @ names a file',
    empty: 'explain the selection or the open file',
  });
  if (written === undefined) return;
  box.note(await needModel(forge));
  const { scope, folder } = where;
  const { runId } = await forge.send('forge.ask', {
    question: written.text,
    clientRunId: randomUUID(),
    ...(scope && !written.wholeFolder ? { scope } : {}),
    ...(folder === undefined ? {} : { folder }),
    ...(earlier.length > 0 ? { earlier: [...earlier], ...(threads.id ? { conversation: threads.id } : {}) } : {}),
  });
  threads.begin(runId, written.text || 'Explain it.', earlier.length > 0);
}

/** Reviews the selection, or the open file. */
export async function review(forge: Forge): Promise<void> {
  const where = await whereOf(forge);
  await needModel(forge);
  await forge.send('forge.review', { clientRunId: randomUUID(), ...where });
}

/** Reviews all uncommitted changes. */
export async function reviewChanges(forge: Forge): Promise<void> {
  const folder = await pickFolder(forge);
  await needModel(forge);
  await forge.send('forge.review', { clientRunId: randomUUID(), ...(folder === undefined ? {} : { folder }) });
}

/** Prompts for what must hold, and writes or updates the specification of the folder. */
export async function generateSpec(forge: Forge): Promise<void> {
  const where = await whereOf(forge);
  const prompt = await vscode.window.showInputBox({
    prompt: 'Forge: what must hold? Leave empty to use the selection or the open file.',
    placeHolder: 'refunds are rounded half to even',
  });
  if (prompt === undefined) return;
  await needModel(forge);
  await forge.send('forge.spec.generate', {
    clientRunId: randomUUID(),
    ...(prompt.trim() ? { prompt: prompt.trim() } : {}),
    ...where,
  });
}

/** Shows the specification of the folder. */
export async function showSpec(forge: Forge): Promise<void> {
  await openDocument(specAddress(await pickFolder(forge)));
}
