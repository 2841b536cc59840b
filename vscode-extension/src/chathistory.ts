// What was said in the chat view before a request.
import * as vscode from 'vscode';
import type { Turn } from './protocol_gen';

/** The turns of a history, as the server takes them. */
export function turnsOf(history: readonly (vscode.ChatRequestTurn | vscode.ChatResponseTurn)[]): Turn[] {
  const turns: { asked: string; answered?: string }[] = [];
  for (const turn of history) {
    if ('prompt' in turn) turns.push({ asked: turn.prompt || `/${turn.command ?? 'ask'}` });
    else {
      const last = turns.at(-1);
      if (last) last.answered = turn.response.map(textOf).join('').trim();
    }
  }
  return turns.filter((turn) => turn.answered);
}

/** The conversation of a history, which has the id of its first run. */
export function conversationOf(history: vscode.ChatContext['history']): string | undefined {
  for (const turn of history) {
    const runId: unknown = 'result' in turn ? turn.result.metadata?.runId : undefined;
    if (typeof runId === 'string') return runId;
  }
  return undefined;
}

function textOf(part: vscode.ChatResponseTurn['response'][number]): string {
  return 'value' in part && part.value instanceof vscode.MarkdownString ? part.value.value : '';
}
