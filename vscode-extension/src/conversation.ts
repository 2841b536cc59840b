// The turns of a conversation that is not in the chat view: Ask begins one, and a follow-up continues it. The document of an answer
// keeps the whole thread.
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { linked } from './links';
import type { Turn } from './protocol_gen';
import type { Run } from './runs';
import { line } from './text';

/** What the user asked and what was answered, in one folder. */
interface Thread {
  readonly id: string;
  readonly turns: Turn[];
}

/** Keeps the threads of this window. */
export class Conversations {
  readonly #threads = new Map<string, Thread>(); // by run
  readonly #elsewhere = new Set<string>();
  #last: Thread | undefined;

  /** The turns that a follow-up continues. */
  get earlier(): readonly Turn[] {
    return this.#last?.turns.filter((turn) => turn.answered !== undefined) ?? [];
  }

  /** The id of the conversation that a follow-up continues, which terminals can continue too. */
  get id(): string | undefined {
    return this.#last?.id;
  }

  /** Notes which thread a run continues; without `follows` it begins one. */
  begin(runId: string, asked: string, follows: boolean): void {
    const thread = (follows ? this.#last : undefined) ?? { id: runId, turns: [] };
    thread.turns.push({ asked });
    this.#threads.set(runId, thread);
    this.#last = thread;
  }

  /** Notes that the chat view shows the run, or no more. */
  showElsewhere(runId: string, shown = true): void {
    if (shown) this.#elsewhere.add(runId);
    else this.#elsewhere.delete(runId);
  }

  /** Whether the chat view shows the run. */
  isElsewhere(runId: string): boolean {
    return this.#elsewhere.has(runId);
  }

  /** The document of a thread, after the answer of one of its runs. */
  answered(run: Run, text: string): { id: string; title: string; text: string } {
    const thread = this.#threads.get(run.runId) ?? { id: run.runId, turns: [{ asked: run.task }] };
    const turn = thread.turns.at(-1);
    if (turn) turn.answered = text;
    const [first] = thread.turns;
    return {
      id: `${thread.id}/${thread.turns.length}`, // a preview that is open shows the old text of a document that changes
      title: `${line(first?.asked ?? run.task, 60).replaceAll('/', ' ')}.md`,
      text: thread.turns.length < 2 ? withLinksInDocument(text, run.folder) : all(thread.turns, run.folder),
    };
  }
}

function all(turns: readonly Turn[], folder: string): string {
  return turns
    .map(({ asked, answered }) => `> **${line(asked, 400)}**\n\n${withLinksInDocument(answered ?? '', folder)}\n`)
    .join('\n---\n\n');
}

/** The text with links to the places of files that exist in the folder. */
export function withLinks(text: string, folder: string): string {
  return places(text, folder, (uri) => uri.toString());
}

// A Markdown preview opens no file: addresses. A path from the root is one in the first folder of the window.
function withLinksInDocument(text: string, folder: string): string {
  const first = vscode.workspace.workspaceFolders?.[0]?.uri;
  const root = vscode.Uri.parse(folder);
  if (first?.path !== root.path) return text;
  return places(text, folder, ({ path, fragment }) => `${encodeURI(path.slice(root.path.length))}#${fragment}`);
}

function places(text: string, folder: string, address: (uri: vscode.Uri) => string): string {
  const root = vscode.Uri.parse(folder);
  return linked(text, ({ path, line: number }) => {
    const uri = vscode.Uri.joinPath(root, path);
    if (!uri.path.startsWith(`${root.path}/`) || !existsSync(uri.fsPath)) return undefined;
    return address(uri.with({ fragment: `L${number}` }));
  });
}
