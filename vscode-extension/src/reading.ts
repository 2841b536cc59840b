// The commands that change no code: a question, a review, a specification. Their results arrive as events.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { specAddress } from './address';
import type { Forge } from './client';
import { openDocument } from './documents';
import { pickFolder, whereOf } from './scope';

/** Prompts for a question about the selection or the open file, and starts the run that answers it. */
export async function ask(forge: Forge): Promise<void> {
  const where = await whereOf(forge);
  const question = await vscode.window.showInputBox({
    prompt: 'Forge: what do you want to know?',
    placeHolder: 'where are refunds rounded? Leave empty to explain the selection or the open file',
  });
  if (question === undefined) return;
  await forge.send('forge.ask', { question: question.trim(), clientRunId: randomUUID(), ...where });
}

/** Reviews the selection, or the open file. */
export async function review(forge: Forge): Promise<void> {
  await forge.send('forge.review', { clientRunId: randomUUID(), ...(await whereOf(forge)) });
}

/** Reviews all uncommitted changes. */
export async function reviewChanges(forge: Forge): Promise<void> {
  const folder = await pickFolder(forge);
  await forge.send('forge.review', { clientRunId: randomUUID(), ...(folder === undefined ? {} : { folder }) });
}

/** Prompts for what must hold, and writes or updates the specification of the folder. */
export async function generateSpec(forge: Forge): Promise<void> {
  const { scope, folder } = await whereOf(forge);
  const prompt = await vscode.window.showInputBox({
    prompt: 'Forge: what must hold? Leave empty to use the selection or the open file.',
    placeHolder: 'refunds are rounded half to even',
  });
  if (prompt === undefined) return;
  await forge.send('forge.spec.generate', {
    clientRunId: randomUUID(),
    ...(prompt.trim() ? { prompt: prompt.trim() } : {}),
    ...(scope ? { scope } : {}),
    ...(folder === undefined ? {} : { folder }),
  });
}

/** Shows the specification of the folder. */
export async function showSpec(forge: Forge): Promise<void> {
  await openDocument(specAddress(await pickFolder(forge)));
}
