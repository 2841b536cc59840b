// Keeps the runs up to date: takes events as they come, and asks the server for those that are missing.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Event, Proposal } from './protocol_gen';
import { list, Runs, type Run } from './runs';

/** The runs of this window, and what changes in them. */
export class Feed implements vscode.Disposable {
  readonly runs = new Runs();
  readonly #forge: Forge;
  readonly #report: (error: unknown) => void;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #folded = new vscode.EventEmitter<{ event: Event; run: Run }>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #early = new Map<string, Event[]>(); // per run whose replay is under way: what came ahead of it

  /** Something in the runs has changed. */
  readonly onChanged = this.#changed.event;
  /** An event was folded, in its order; `run` is how the run stands after it. */
  readonly onFolded = this.#folded.event;

  constructor(forge: Forge, report: (error: unknown) => void) {
    this.#forge = forge;
    this.#report = report;
    this.#subscriptions = [
      forge.onEvent((event) => {
        this.#receive(event);
      }),
      forge.onRunning((running) => {
        if (running) void this.#catchUp();
        else this.#lose();
      }),
    ];
  }

  /** Fetches a proposal anew, because what a person did may have changed it. */
  async refreshProposal(proposalId: string): Promise<void> {
    this.show(await this.#forge.send('forge.proposal.get', { proposalId }));
  }

  /** Takes a proposal as the server tells it now. */
  show(proposal: Proposal): void {
    this.runs.setProposal(proposal);
    this.#changed.fire();
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions, this.#changed, this.#folded).dispose();
  }

  #receive(event: Event): void {
    const received = this.runs.receive(event);
    if (received === 'gap') {
      const early = this.#early.get(event.runId);
      if (early) early.push(event);
      else void this.#replay(event.runId);
    }
    const run = this.runs.find(event.runId);
    if (received !== 'folded' || !run) return;
    this.#changed.fire();
    this.#folded.fire({ event, run });
    if (event.type === 'proposal') this.refreshProposal(event.data.proposalId).catch(this.#report);
  }

  // A server that restarts may know runs of before; one that is new knows none.
  async #catchUp(): Promise<void> {
    try {
      const { runs } = await this.#forge.send('forge.runs', {});
      for (const { runId } of [...list(runs)].reverse()) await this.#replay(runId);
    } catch (error) {
      this.#report(error);
    }
  }

  // One replay per run at a time. Events that overtake its answer wait for it; if it brought nothing new, what is
  // missing will not come, and the run stays as it is.
  async #replay(runId: string): Promise<void> {
    if (this.#early.has(runId)) return;
    const early: Event[] = [];
    this.#early.set(runId, early);
    const sinceSeq = this.runs.find(runId)?.seq ?? 0;
    try {
      const { events } = await this.#forge.send('forge.events', { runId, sinceSeq });
      for (const event of list(events)) this.#receive(event);
    } catch (error) {
      this.#report(error);
    }
    const progressed = (this.runs.find(runId)?.seq ?? 0) > sinceSeq;
    if (progressed) this.#early.delete(runId);
    for (const event of early) this.#receive(event);
    this.#early.delete(runId);
  }

  #lose(): void {
    this.runs.lose('the server ended');
    this.#changed.fire();
  }
}
