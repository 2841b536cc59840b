// Forge in the chat view: the participant @forge. A request becomes a run of the server, and its events become the response. The
// earlier turns of the conversation go with each request. Without a chat view, this file does nothing.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { AnswerStream } from './answerstream';
import { conversationOf, turnsOf } from './chathistory';
import { checksText } from './checks';
import type { Forge } from './client';
import { approve } from './config';
import { withLinks, type Conversations } from './conversation';
import type { Feed } from './feed';
import { verdictText } from './gaterows';
import type { Delta, Event, RunResult, Scope, Turn } from './protocol_gen';
import { editPlan } from './row';
import { list, type Run } from './runs';
import { checkFolder, scopeAt, scopeOf } from './scope';
import { needModel } from './setup';
import { count, inertMarkdown, line } from './text';
import { Trouble, type Way } from './trouble';

/** The id of the participant in package.json. */
const id = 'forge.chat';

/** The part of a request that matters here. */
export type Request = Pick<vscode.ChatRequest, 'command' | 'prompt' | 'references'>;

/** The part of a response that is written to. */
export type Stream = Pick<vscode.ChatResponseStream, 'markdown' | 'progress' | 'button' | 'reference'>;

/** What the participant is made of. */
export interface Parts {
  readonly forge: Forge;
  readonly feed: Feed;
  readonly threads: Conversations;
}

/** Registers the participant where the editor has a chat view, and returns it for tests. */
export function registerChat(
  parts: Parts,
  iconPath: vscode.Uri,
): { chat: Chat; registration: { dispose: () => void } } {
  const chat = new Chat(parts);
  // An editor without a chat view may lack all of it, whatever the types say.
  const api = vscode.chat as typeof vscode.chat | undefined;
  if (typeof api?.createChatParticipant !== 'function') return { chat, registration: { dispose: () => undefined } };
  const participant = api.createChatParticipant(id, (request, context, stream, token) =>
    chat.respond(request, turnsOf(context.history), stream, token, conversationOf(context.history)),
  );
  participant.iconPath = iconPath;
  participant.followupProvider = { provideFollowups: (result) => chat.followups(result) };
  return { chat, registration: participant };
}

/** Answers requests. */
export class Chat {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts the run of a request, writes what happens in it, and returns when it has ended. */
  async respond(
    request: Request,
    earlier: readonly Turn[],
    stream: Stream,
    token: vscode.CancellationToken,
    conversation?: string, // terminals can continue it, too
  ): Promise<vscode.ChatResult> {
    const { forge, feed, threads } = this.#parts;
    const kind = request.command ?? 'ask';
    const ahead: { event: Event; run: Run }[] = []; // events that overtake the answer to the command
    const spoken: Delta[] = []; // as these may
    let take = (folded: { event: Event; run: Run }) => void ahead.push(folded);
    let hear = (delta: Delta) => void spoken.push(delta);
    let look: () => void = () => undefined; // whether the server has ended, after which no event comes
    const subscription = vscode.Disposable.from(
      feed.onFolded((folded) => {
        take(folded);
      }),
      forge.onDelta((delta) => {
        hear(delta);
      }),
      feed.onChanged(() => {
        look();
      }),
    );
    try {
      checkFolder();
      stream.progress('Starting…');
      await needModel(forge);
      const { runId } = await this.#start(kind, request, earlier, conversation);
      threads.showElsewhere(runId);
      const cancelled = token.onCancellationRequested(() => void forge.send('forge.cancel', { runId }));
      const answer = new AnswerStream();
      const write = (text: string, { folder }: Run) => {
        if (text) stream.markdown(inertMarkdown(withLinks(text, folder)));
      };
      hear = (delta) => {
        const run = delta.runId === runId && delta.node === 'answer' && feed.runs.find(runId);
        if (run) write(answer.add(delta), run);
      };
      for (const delta of spoken) hear(delta);
      await new Promise<void>((resolve) => {
        look = () => {
          const run = feed.runs.find(runId);
          if (run?.status !== 'lost' && run?.status !== 'interrupted') return;
          ended(stream, runId, 'interrupted', run.reason);
          resolve();
        };
        let written = Promise.resolve(); // in the order of the events
        take = ({ event, run }) => {
          if (event.runId !== runId) return;
          written = written
            .then(async () => {
              if (event.type === 'answer') write(answer.end(event.data.text), run);
              else if (event.type === 'proposal') showProposal(stream, event.data, await checked(feed, event.data));
              else show(stream, event, run);
            })
            .catch(() => undefined) // VS Code has closed the response
            .then(() => {
              if (event.type === 'run.ended') (look = resolve)(); // once
            });
        };
        for (const folded of ahead) take(folded);
        look();
      });
      cancelled.dispose();
      threads.showElsewhere(runId, false);
      return { metadata: { kind, runId } };
    } catch (error) {
      return failed(stream, error);
    } finally {
      subscription.dispose();
    }
  }

  /** What the user may want to send next. */
  followups({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
    return followups(metadata?.kind);
  }

  #start(
    kind: string,
    { prompt, references }: Request,
    earlier: readonly Turn[],
    conversation?: string,
  ): Promise<RunResult> {
    const { forge } = this.#parts;
    const scope = this.#scope(references);
    const text = [prompt.trim(), ...named(references)].filter(Boolean).join('\n\n');
    const common = { clientRunId: randomUUID(), ...(scope ? { scope } : {}) };
    const thread = earlier.length > 0 ? { earlier: [...earlier], ...(conversation ? { conversation } : {}) } : {};
    switch (kind) {
      case 'run':
        return forge.send('forge.run', { ...common, ...thread, ...(text ? { task: text } : {}), approve: approve() });
      case 'plan':
        return forge.send('forge.run', { ...common, ...thread, task: text, plan: true, approve: approve() });
      case 'review':
        return forge.send('forge.review', common);
      case 'spec':
        return forge.send('forge.spec.generate', { ...common, ...(text ? { prompt: text } : {}) });
      default:
        return forge.send('forge.ask', { ...common, ...thread, question: text });
    }
  }

  // The first place that the user attached, else the open file with its selection.
  #scope(references: readonly vscode.ChatPromptReference[]): Scope | undefined {
    const { forge } = this.#parts;
    for (const { value } of references) {
      if (value instanceof vscode.Location) return scopeAt(forge, value.uri, value.range);
      if (value instanceof vscode.Uri && value.scheme === 'file') return scopeAt(forge, value);
    }
    const editor = vscode.window.activeTextEditor;
    return editor && scopeOf(forge, editor);
  }
}

// The names of further files that the user attached, as a task names files.
function named(references: readonly vscode.ChatPromptReference[]): string[] {
  const paths = references.slice(1).flatMap(({ value }) => {
    const uri = value instanceof vscode.Location ? value.uri : value;
    return uri instanceof vscode.Uri ? [vscode.workspace.asRelativePath(uri, false)] : [];
  });
  return paths.length > 0 ? [`See also: ${paths.join(', ')}`] : [];
}

// What an event adds to the response.
function show(stream: Stream, event: Event, run: Run): void {
  switch (event.type) {
    case 'node':
      if (event.data.status === 'RUNNING') stream.progress(line(event.data.id));
      break;
    case 'gate.started':
      stream.progress(line(event.data.gate));
      break;
    case 'gate.finished':
      stream.progress(`${line(event.data.gate.name)}: ${verdictText(event.data.gate)}`);
      break;
    case 'ask':
      stream.markdown(`**${line(event.data.title)}**\n\n${inertMarkdown(event.data.detail ?? '')}\n\n`);
      for (const { id: choice, title } of list(event.data.choices)) {
        const args = { runId: event.runId, askId: event.data.askId, choice };
        stream.button({ command: 'forge.ui.answer', title, arguments: [args] });
      }
      if (event.data.freeText)
        stream.button({
          command: 'forge.ui.answerInOwnWords',
          title: 'Other answer…',
          arguments: [event.runId, event.data],
        });
      if (event.data.file)
        stream.button({ command: 'forge.ui.editQuestion', title: editPlan, arguments: [event.data] });
      break;
    case 'review':
      showReview(stream, event.data.review, run);
      break;
    case 'spec':
      stream.markdown(`Specification version ${event.data.version}: ${inertMarkdown(event.data.changelog)}\n\n`);
      stream.button({ command: 'forge.ui.showSpec', title: 'Show Specification' });
      break;
    case 'run.ended':
      if (event.data.state !== 'succeeded') ended(stream, event.runId, event.data.state, event.data.reason);
  }
}

const ends = {
  blocked: 'is blocked',
  failed: 'has failed',
  cancelled: 'was cancelled',
  interrupted: 'was interrupted',
};

function ended(stream: Stream, runId: string, state: keyof typeof ends, reason = ''): void {
  stream.markdown(`\n\nThe run ${ends[state]}${reason && `: ${inertMarkdown(reason)}`}\n`);
  if (state !== 'cancelled') stream.button({ command: 'forge.ui.resume', title: 'Resume', arguments: [{ runId }] });
}

function showReview(stream: Stream, review: (Event & { type: 'review' })['data']['review'], run: Run): void {
  stream.markdown(`${inertMarkdown(review.summary)}\n\n`);
  for (const { path, line: at, message } of review.findings) {
    const place = path === undefined ? '' : `${path}:${at ?? 1} `;
    stream.markdown(`- ${inertMarkdown(withLinks(`${place}${message}`, run.folder))}\n`);
  }
}

type Ready = (Event & { type: 'proposal' })['data'];

// What was checked of a proposal; nothing if the server does not answer.
async function checked(feed: Feed, { proposalId, unverified }: Ready): Promise<string> {
  if (unverified) return ` It is not verified: ${unverified}`;
  return feed.refreshProposal(proposalId).then(
    (proposal) => ` ${checksText(proposal).text}.`,
    () => '',
  );
}

function showProposal(stream: Stream, { proposalId, files, hunks, explanation }: Ready, verified: string): void {
  if (explanation) stream.markdown(`The model says: ${inertMarkdown(explanation)}\n\n`);
  const size = `${count(files, 'file')}, ${count(hunks, 'hunk')}`;
  stream.markdown(`A proposal is ready: ${size}.${inertMarkdown(verified)}\n\n`);
  stream.button({ command: 'forge.ui.showProposal', title: 'Show Proposal', arguments: [{ proposalId }] });
  stream.button({ command: 'forge.ui.acceptProposal', title: 'Accept Proposal', arguments: [{ proposalId }] });
}

// A button of a response executes a command, so what an error offers goes through one.
function failed(stream: Stream, error: unknown): vscode.ChatResult {
  const text = error instanceof Error ? error.message : String(error);
  stream.markdown(`Forge: ${line(text, 1000)}\n\n`);
  const ways: readonly Way[] = error instanceof Trouble ? error.ways : [];
  for (const one of ways) stream.button({ command: 'forge.ui.act', title: one.title, arguments: [one] });
  return { errorDetails: { message: line(text, 1000) } };
}

function followups(kind: unknown): vscode.ChatFollowup[] {
  switch (kind) {
    case 'ask':
      return [{ prompt: 'Make the change that follows from this.', command: 'run', label: 'Make this change' }];
    case 'review':
      return [{ prompt: 'Fix what the review has found.', command: 'run', label: 'Fix the findings' }];
    case 'run':
    case 'plan':
      return [{ prompt: 'Explain the change.', command: 'ask', label: 'Explain the change' }];
    default:
      return [];
  }
}
