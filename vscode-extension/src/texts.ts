// Read-only documents for texts that are too long for a message: a question's details, a proposal as a diff.
import * as vscode from 'vscode';
import { inertMarkdown, visible } from './text';

const scheme = 'forge-text';

/** Opens texts in the editor: plain text or a diff, or Markdown as VS Code shows it, without scripts, commands and anything remote. */
export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #contents = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  readonly onDidChange = this.#changed.event;

  /** Opens `text` under a title; the same id shows in the same tab. */
  async show(id: string, title: string, text: string, language: 'plaintext' | 'diff' | 'markdown'): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${title}`, query: id });
    this.#contents.set(uri.toString(), language === 'markdown' ? inertMarkdown(text) : visible(text));
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, language);
    if (language === 'markdown') {
      await vscode.commands.executeCommand('markdown.showPreview', uri);
      return;
    }
    await vscode.window.showTextDocument(document, { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#contents.get(uri.toString()) ?? '';
  }

  dispose(): void {
    vscode.Disposable.from(this.#registration, this.#changed).dispose();
  }
}
