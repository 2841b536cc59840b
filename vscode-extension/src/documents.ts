// Forge's own documents: the language client reads them from the server; here they are opened, each in its language.
import * as vscode from 'vscode';
import { languageOf, scheme } from './address';

/** Opens a document of the server. */
export async function openDocument(address: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(address, true));
  await vscode.window.showTextDocument(document, { preview: true });
}

/** Sets the language of each of the documents when it is opened: their addresses have no file extension. */
export function setLanguages(report: (error: unknown) => void): vscode.Disposable {
  return vscode.workspace.onDidOpenTextDocument((document) => {
    const { scheme: theirs, authority, path } = document.uri;
    const language = languageOf(authority, path);
    if (theirs !== scheme || authority === 'proposal' || document.languageId === language) return;
    vscode.languages.setTextDocumentLanguage(document, language).then(undefined, report);
  });
}
