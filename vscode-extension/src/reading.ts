// The commands that ask and change nothing: a question, a review, a specification. What comes of them arrives as events.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { specAddress } from './address';
import type { Forge } from './client';
import { openDocument } from './documents';
import { pickFolder, whereOf } from './scope';

/** Asks for a question, about what is in front, and starts the run that answers it. */
export async function ask(forge: Forge): Promise<void> {
  const where = await whereOf(forge);
  const question = await vscode.window.showInputBox({
    prompt: 'Forge: what do you want to know?',
    placeHolder: 'where are refunds rounded? Empty: explain what is in front',
  });
  if (question === undefined) return;
  await forge.send('forge.ask', { question: question.trim(), clientRunId: randomUUID(), ...where });
}

/** Has the selection reviewed, or the document in front. */
export async function review(forge: Forge): Promise<void> {
  await forge.send('forge.review', { clientRunId: randomUUID(), ...(await whereOf(forge)) });
}

/** Has everything reviewed that is not committed yet. */
export async function reviewChanges(forge: Forge): Promise<void> {
  const folder = await pickFolder(forge);
  await forge.send('forge.review', { clientRunId: randomUUID(), ...(folder === undefined ? {} : { folder }) });
}

/** Asks what must hold, and has the specification of the folder written or brought up to date. */
export async function generateSpec(forge: Forge): Promise<void> {
  const { scope, folder } = await whereOf(forge);
  const prompt = await vscode.window.showInputBox({
    prompt: 'Forge: what must hold? Empty: what is selected, or the text in front.',
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
