// Keeps runs and proposals up to date: takes events as they arrive, and asks the server for those that are missing, for the
// runs of earlier sessions, and for those of other windows.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Event, Proposal } from './protocol_gen';
import { Runs } from './runlist';
import { alive, list, type Run } from './runs';

// How many runs of a folder the view lists.
const listed = 50;

/** The runs of the folders that are open, and what changes in them. */
export class Feed implements vscode.Disposable {
  readonly runs = new Runs();
  readonly #forge: Forge;
  readonly #report: (error: unknown) => void;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #folded = new vscode.EventEmitter<{ event: Event; run: Run }>();
  readonly #proposed = new vscode.EventEmitter<Proposal>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #early = new Map<string, Event[]>(); // per run whose replay is under way: events that arrived before its answer
  readonly #loading = new Map<string, Promise<void>>();
  #complete = false;

  /** Something in the runs has changed. */
  readonly onChanged = this.#changed.event;
  /** An event was folded, in its order; `run` is the run after it and after all that arrived together with it. */
  readonly onFolded = this.#folded.event;
  /** A proposal was made, or has changed. */
  readonly onProposal = this.#proposed.event;

  constructor(forge: Forge, report: (error: unknown) => void) {
    this.#forge = forge;
    this.#report = report;
    this.#subscriptions = [
      forge.onEvent((event) => {
        this.#receive(event);
      }),
      forge.onProposal(({ proposalId }) => {
        this.refreshProposal(proposalId).catch(() => undefined); // it can be gone by now
      }),
      forge.onRunning((running) => {
        if (running) void this.#catchUp();
        else this.#lose();
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && forge.running) void this.refresh();
      }),
    ];
  }

  /** Whether the stored runs and the open proposals of the folders have been read. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Asks for the stored runs and the open proposals of the folders: other windows may have made some. */
  async refresh(): Promise<void> {
    const stillOpen: Proposal[] = [];
    try {
      for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
        const folder = this.#forge.uri(uri);
        const { runs } = await this.#forge.send('forge.runs', { all: true, limit: listed, folder });
        for (const info of [...list(runs)].reverse()) this.runs.summarize(info);
        const { proposals } = await this.#forge.send('forge.proposal.list', { all: true, folder });
        for (const proposal of [...list(proposals)].reverse()) this.#take(proposal);
        stillOpen.push(...list(proposals));
      }
      for (const proposal of this.runs.decidedElsewhere(stillOpen)) await this.#settle(proposal);
      this.#complete = true;
    } catch (error) {
      this.#report(error);
    }
    this.#changed.fire();
  }

  /** Reads the events of a run of which only the summary is known. */
  load(runId: string): Promise<void> {
    const load = async () => {
      const { events } = await this.#forge.send('forge.events', { runId });
      if (this.runs.find(runId)?.summary) this.runs.load(runId, list(events));
      this.#changed.fire();
    };
    const loading = this.#loading.get(runId) ?? load().finally(() => this.#loading.delete(runId));
    this.#loading.set(runId, loading);
    return loading;
  }

  /** Fetches a proposal again, because the user may have changed it. */
  async refreshProposal(proposalId: string): Promise<Proposal> {
    const proposal = await this.#forge.send('forge.proposal.get', { proposalId });
    this.show(proposal);
    return proposal;
  }

  /** Takes a proposal as the server reports it now. */
  show(proposal: Proposal): void {
    this.#take(proposal);
    this.#changed.fire();
  }

  /** Takes the reports of gates on a folder as it is. */
  validated(...args: Parameters<Runs['setValidated']>): void {
    this.runs.setValidated(...args);
    this.#changed.fire();
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions, this.#changed, this.#folded, this.#proposed).dispose();
  }

  // Another window has decided about it, or a server that ended before it could say so; one that is gone is decided, too.
  async #settle(proposal: Proposal): Promise<void> {
    const { proposalId } = proposal;
    const now = await this.#forge.send('forge.proposal.get', { proposalId }).catch(() => undefined);
    this.#take(now ?? { ...proposal, state: 'closed' });
  }

  #take(proposal: Proposal): void {
    this.runs.setProposal(proposal);
    this.#proposed.fire(proposal);
  }

  // Folds an event, and returns whether it was the next one.
  #fold(event: Event): boolean {
    const received = this.runs.receive(event);
    if (received === 'gap') {
      const early = this.#early.get(event.runId);
      if (early) early.push(event);
      else void this.#replay(event.runId);
    }
    return received === 'folded';
  }

  #receive(...events: readonly Event[]): void {
    const folded = events.filter((event) => this.#fold(event));
    if (folded.length === 0) return;
    this.#changed.fire();
    for (const event of folded) {
      const run = this.runs.find(event.runId);
      if (run) this.#folded.fire({ event, run });
    }
  }

  // A server that restarts may know runs of before; a new one reads them from the folder.
  async #catchUp(): Promise<void> {
    try {
      const { runs } = await this.#forge.send('forge.runs', {});
      for (const { runId } of [...list(runs)].reverse()) await this.#replay(runId);
    } catch (error) {
      this.#report(error);
    }
    if (this.#forge.running) await this.refresh(); // a command would start a server that has just ended
  }

  // One replay per run at a time. Events that overtake its answer wait for it; if it brought nothing new, what is
  // missing will not come, and the run stays as it is.
  async #replay(runId: string): Promise<void> {
    if (this.#early.has(runId)) return;
    const early: Event[] = [];
    this.#early.set(runId, early);
    const sinceSeq = this.#seq(runId);
    try {
      const { events } = await this.#forge.send('forge.events', { runId, sinceSeq });
      this.#receive(...list(events));
    } catch (error) {
      this.#report(error);
    }
    if (this.#seq(runId) > sinceSeq) this.#early.delete(runId);
    this.#receive(...early);
    this.#early.delete(runId);
  }

  #seq(runId: string): number {
    return this.runs.find(runId)?.seq ?? 0;
  }

  #lose(): void {
    if (!this.runs.all.some(alive)) return;
    this.runs.lose('The server has ended.');
    this.#changed.fire();
  }
}
