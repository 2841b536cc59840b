// The runs and proposals that the view shows: of this window, of earlier sessions, and of other windows on the folder. Pure.
import type { Event, Gate, Proposal, RunInfo } from './protocol_gen';
import { alive, emptyRun, fold, type Run } from './runs';

/** What became of an event: folded, known already, or one before it is missing. */
export type Received = 'folded' | 'old' | 'gap';

/** The last reports of gates on a folder as it is, from validating it. */
export interface Validated {
  readonly folder: string;
  readonly gates: readonly Gate[];
}

/** All that the view shows. */
export class Runs {
  #runs: readonly Run[] = [];
  #proposals: readonly Proposal[] = [];
  #validated: Validated | undefined;

  /** The runs, the one that was started last first. */
  get all(): readonly Run[] {
    return this.#runs;
  }

  /** The proposals, newest first. */
  get proposals(): readonly Proposal[] {
    return this.#proposals;
  }

  get validated(): Validated | undefined {
    return this.#validated;
  }

  find(runId: string): Run | undefined {
    return this.#runs.find((run) => run.runId === runId);
  }

  findProposal(proposalId: string): Proposal | undefined {
    return this.#proposals.find((proposal) => proposal.proposalId === proposalId);
  }

  /** Takes the next event of its run; rejects any other, so that the caller can ask for what is missing. */
  receive(event: Event): Received {
    const known = this.find(event.runId);
    const run = known?.summary ? emptyRun(event.runId) : (known ?? emptyRun(event.runId));
    if (event.seq <= run.seq) return 'old';
    if (event.seq > run.seq + 1) return 'gap';
    this.#put(fold(run, event));
    return 'folded';
  }

  /** Takes all events of a stored run, and keeps the state that the server reports: its last process may have been killed. */
  load(runId: string, events: readonly Event[]): void {
    const known = this.find(runId) ?? emptyRun(runId);
    const run = events.reduce(fold, emptyRun(runId));
    const { status, reason, proposalId = run.proposalId, elsewhere } = known;
    this.#put({
      ...run,
      status,
      reason,
      asks: [],
      ...(proposalId === undefined ? {} : { proposalId }),
      ...(elsewhere === undefined ? {} : { elsewhere }),
    });
  }

  /** Takes the summary of a stored run that is not of this session. */
  summarize(info: RunInfo): void {
    const known = this.find(info.runId);
    if (known && alive(known)) return;
    const { state: status, reason = '', proposalId } = info;
    const same = known?.status === status && known.proposalId === proposalId;
    if (same) return;
    this.#put({
      ...(known ?? emptyRun(info.runId)),
      task: info.task,
      folder: info.folder,
      way: [info.recipe, info.mode, info.profile].filter((part) => part !== undefined),
      status,
      reason,
      started: info.started ?? known?.started ?? '',
      elsewhere: status === 'running' || status === 'waiting',
      summary: true,
      ...(info.ended === undefined ? {} : { ended: info.ended }),
      ...(proposalId === undefined ? {} : { proposalId }),
    });
  }

  /** The proposals that are open as far as is known, and not among those that the server lists as open: they were decided elsewhere. */
  decidedElsewhere(listed: readonly Pick<Proposal, 'proposalId'>[]): readonly Proposal[] {
    const open = new Set(listed.map(({ proposalId }) => proposalId));
    return this.#proposals.filter(({ state, proposalId }) => state === 'open' && !open.has(proposalId));
  }

  /** Takes a proposal as the server reports it now. A new one becomes the newest. */
  setProposal(proposal: Proposal): void {
    const known = this.findProposal(proposal.proposalId);
    this.#proposals = known
      ? this.#proposals.map((other) => (other === known ? proposal : other))
      : [proposal, ...this.#proposals];
  }

  setValidated(validated: Validated): void {
    const before = this.#validated?.folder === validated.folder ? this.#validated.gates : [];
    const names = new Set(validated.gates.map(({ name }) => name));
    const gates = [...before.filter(({ name }) => !names.has(name)), ...validated.gates];
    this.#validated = { folder: validated.folder, gates };
  }

  /** The server is gone: what was alive is not any more, and no question can be answered. */
  lose(reason: string): void {
    this.#runs = this.#runs.map((run) => (alive(run) ? { ...run, status: 'lost', reason, asks: [] } : run));
  }

  // A run that was started or resumed just now comes first; one that changes stays where it is.
  #put(run: Run): void {
    const known = this.find(run.runId);
    if (known?.started === run.started) {
      this.#runs = this.#runs.map((other) => (other === known ? run : other));
      return;
    }
    const others = this.#runs.filter((other) => other !== known);
    const place = others.findIndex((other) => other.started <= run.started);
    this.#runs = place < 0 ? [...others, run] : others.toSpliced(place, 0, run);
  }
}
