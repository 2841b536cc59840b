// The state of the runs, folded from their events. Pure: no editor, no server, no clock.
import type {
  AnswerReady,
  Ask,
  BatchWaiting,
  Class,
  Edge,
  Event,
  Gate,
  ModelCalled,
  Node,
  PlannedPart,
  ProposalReady,
  SecretsRedacted,
  WorkIncluded,
  Spent,
  StateResult,
} from './protocol_gen';
import { called, turned, type Try } from './tries';

/** A gate that runs or has run. `report` is absent while it runs. */
export interface GateState {
  readonly name: string;
  readonly attempt: number;
  readonly report?: Gate;
}

/** A node, its attempts, and the gates that ran for it, in the order they started. */
export interface NodeState {
  readonly node: Node;
  readonly tries: readonly Try[];
  readonly gates: readonly GateState[];
}

/** How a run stands. `lost`: the server ended while the run was alive. */
export type RunStatus = StateResult['state'] | 'lost';

/** Everything known of one run. */
export interface Run {
  readonly runId: string;
  /** Sequence number of the last event that was folded; 0 before the first. */
  readonly seq: number;
  readonly task: string;
  readonly folder: string;
  readonly model: string;
  /** The kind of work, by rules; absent in runs of older servers. */
  readonly kind?: Class;
  /** How it works: its recipe, mode and profile, as far as the server says so. */
  readonly way: readonly string[];
  readonly status: RunStatus;
  readonly reason: string;
  readonly nodes: readonly NodeState[];
  /** The edges that were added to its graph. */
  readonly edges: readonly Edge[];
  /** The parts of its plan; none before there is one. */
  readonly parts: readonly PlannedPart[];
  /** How often a node may be started; 0 before the graph is known. */
  readonly attempts: number;
  /** Open questions, oldest first. */
  readonly asks: readonly Ask[];
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What the ledger says, which knows of calls that failed too; absent until it has said something. */
  readonly spent?: Spent;
  /** The batch that is waited for. */
  readonly batch?: BatchWaiting;
  /** What was replaced by marks before a model saw it. */
  readonly redacted?: SecretsRedacted;
  readonly included?: WorkIncluded;
  /** The latest proposal that was announced. */
  readonly proposalId?: string;
  /** Its size, once the events of the run were read. */
  readonly ready?: ProposalReady;
  /** The answer to a question. */
  readonly answer?: AnswerReady;
  /** When it was last started or resumed: RFC 3339. */
  readonly started: string;
  readonly ended?: string;
  /** Another process executes it. */
  readonly elsewhere?: boolean;
  /** Only the summary is known; its events are read when its row is unfolded. */
  readonly summary?: boolean;
}

/** A run nothing is known of yet. */
export function emptyRun(runId: string): Run {
  return {
    runId,
    seq: 0,
    started: '',
    task: '',
    folder: '',
    model: '',
    way: [],
    status: 'running',
    reason: '',
    nodes: [],
    edges: [],
    parts: [],
    attempts: 0,
    asks: [],
    calls: 0,
    inputTokens: 0,
    outputTokens: 0,
  };
}

/** Whether the run is under way in this window. */
export function alive(run: Run): boolean {
  return !run.elsewhere && (run.status === 'running' || run.status === 'waiting');
}

/** Whether the run has ended with something that the user can act on. */
export function stuck({ status }: Pick<Run, 'status'>): boolean {
  return ['failed', 'blocked', 'interrupted', 'lost'].includes(status);
}

/** Whether the run changes nothing: it answers, reviews, or writes a specification. */
export function reads(run: Run): boolean {
  return run.nodes.some(({ node }) => node.kind.startsWith('only '));
}

/** The run after one more event. The caller sees to the order; an unknown type only moves `seq`. */
export function fold(run: Run, event: Event): Run {
  try {
    return { ...payload(run, event), seq: event.seq };
  } catch {
    return { ...run, seq: event.seq }; // a server of another version speaks otherwise: as an event of an unknown type, it says nothing
  }
}

function payload(run: Run, event: Event): Run {
  switch (event.type) {
    case 'run.started': {
      const { task, folder, model, class: kind, recipe, mode, profile } = event.data;
      const way = [recipe, mode, profile].filter((said) => said !== undefined);
      return { ...run, task, folder, model, way, status: 'running', started: event.ts, ...(kind ? { kind } : {}) };
    }
    case 'run.resumed': {
      const { model } = event.data;
      return {
        ...withoutBatch(run),
        model,
        status: 'running',
        started: event.ts,
        reason: '',
        asks: [],
        elsewhere: false,
      };
    }
    case 'graph':
      return {
        ...run,
        attempts: event.data.attempts,
        nodes: list(event.data.nodes).map((node) => withNode(run, node)),
      };
    case 'planned':
      return { ...run, parts: list(event.data.parts) };
    case 'graph.grown':
      return {
        ...run,
        nodes: [...run.nodes, ...list(event.data.nodes).map((node) => withNode(run, node))],
        edges: [...run.edges, ...list(event.data.edges)],
      };
    case 'node':
      return foldNode(run, event.data, event.ts);
    case 'model':
      return foldCall(run, event.data);
    case 'batch':
      return { ...run, batch: event.data };
    case 'spent':
      return { ...run, spent: event.data };
    case 'included':
      return { ...run, included: event.data };
    case 'redacted':
      return { ...run, redacted: event.data };
    case 'gate.started': {
      const { node, attempt, gate } = event.data;
      return foldGate(run, node, { name: gate, attempt });
    }
    case 'gate.finished': {
      const { node, attempt, gate } = event.data;
      return foldGate(run, node, { name: gate.name, attempt, report: gate });
    }
    case 'review': {
      const { node, attempt, review } = event.data;
      return foldGate(run, node, { name: review.name, attempt, report: review });
    }
    case 'ask':
      return withAsks(run, [...run.asks, event.data]);
    case 'answered': {
      const { askId } = event.data;
      const open = run.asks.filter((ask) => ask.askId !== askId);
      return withAsks(run, open);
    }
    case 'answer':
      return { ...run, answer: event.data };
    case 'proposal':
      return { ...run, ready: event.data, proposalId: event.data.proposalId };
    case 'run.ended': {
      const { state, reason } = event.data;
      return { ...withoutBatch(run), status: state, reason: reason ?? '', asks: [], ended: event.ts };
    }
    default:
      return run;
  }
}

/** Go writes an empty list as null. */
export function list<T>(items: readonly T[] | null | undefined): readonly T[] {
  return items ?? [];
}

function withNode(run: Run, node: Node): NodeState {
  const known = run.nodes.find((state) => state.node.id === node.id);
  return { node, tries: known?.tries ?? [], gates: known?.gates ?? [] };
}

function foldNode(run: Run, node: Node, ts: string): Run {
  const known = run.nodes.some((state) => state.node.id === node.id);
  const state = withNode(run, node);
  const changed = { ...state, tries: turned(state.tries, node, ts) };
  const nodes = known
    ? run.nodes.map((state) => (state.node.id === node.id ? changed : state))
    : [...run.nodes, changed];
  return { ...run, nodes };
}

function foldCall(run: Run, call: ModelCalled): Run {
  return {
    ...withoutBatch(run), // its answer has come
    calls: run.calls + 1,
    inputTokens: run.inputTokens + call.inputTokens,
    outputTokens: run.outputTokens + call.outputTokens,
    nodes: run.nodes.map((state) =>
      state.node.id === call.node ? { ...state, tries: called(state.tries, call) } : state,
    ),
  };
}

function withoutBatch(run: Run): Run {
  const rest: Mutable<Run> = { ...run };
  delete rest.batch;
  return rest;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

// A finished gate takes the place of the one that was started; a gate of a later attempt is another one.
function foldGate(run: Run, nodeId: string, gate: GateState): Run {
  const same = (other: GateState) => other.name === gate.name && other.attempt === gate.attempt && !other.report;
  const place = (gates: readonly GateState[]) =>
    gates.some(same) ? gates.map((other) => (same(other) ? gate : other)) : [...gates, gate];
  const nodes = run.nodes.map((state) => (state.node.id === nodeId ? { ...state, gates: place(state.gates) } : state));
  return { ...run, nodes };
}

function withAsks(run: Run, asks: readonly Ask[]): Run {
  if (!alive(run)) return { ...run, asks };
  return { ...run, asks, status: asks.length > 0 ? 'waiting' : 'running' };
}
