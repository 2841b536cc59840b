// Events as the server would send them, numbered as they are written down.
import type { Event, Gate, Hunk, Node, Proposal, ProposalFile } from '../src/protocol_gen';
import { emptyRun, fold, type Run } from '../src/runs';

/** What an event says. */
export type Told = [type: string, data: unknown];

/** The events of one run, from sequence number 1. */
export function events(runId: string, ...payloads: Told[]): Event[] {
  const wire = payloads.map(([type, data], index) => ({
    runId,
    seq: index + 1,
    ts: '2026-01-02T03:04:05.678Z',
    type,
    data,
  }));
  return wire as Event[]; // what is not of the vocabulary is tested too
}

/** The run after these events. */
export function folded(...payloads: Told[]): Run {
  return events('r1', ...payloads).reduce(fold, emptyRun('r1'));
}

export const started: Told = [
  'run.started',
  { task: 'add Reverse', folder: 'file:///w', base: 'b1', model: 'scripted' },
];

export function node(id: string, status: Node['status'], attempt = 0, reason?: string): Node {
  return { id, kind: id, status, attempt, ...(reason === undefined ? {} : { reason }) };
}

export function gate(name: string, verdict: Gate['verdict'], findings: Gate['findings'] = []): Gate {
  return { name, verdict, summary: `${name} ${verdict}`, findings, executed: 3, passed: 2, elapsedMs: 1234 };
}

/** A hunk of two lines. */
export function hunkOf(id: string, state: Hunk['state'], lines: Hunk['lines'] = { start: 2, end: 4 }): Hunk {
  const range = { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } };
  return { id, range, lines, newText: 'x\ny\n', level: 'exact', state };
}

/** A file of a proposal, with these hunks. */
export function fileOf(path: string, kind: ProposalFile['kind'], ...hunks: Hunk[]): ProposalFile {
  const [state = 'pending', ...others] = [...new Set(hunks.map((hunk) => hunk.state))];
  return {
    uri: `file:///w/${path}`,
    path,
    kind,
    state: others.length > 0 ? 'partial' : state,
    adds: 2 * hunks.length,
    removes: 0,
    base: `forge://proposal/p1/base/${path}`,
    proposed: `forge://proposal/p1/proposed/${path}`,
    hunks,
  };
}

/** An open proposal of the run r1 that was checked as a whole. */
export function proposalOf(proposalId: string, ...files: ProposalFile[]): Proposal {
  return {
    proposalId,
    runId: 'r1',
    title: 'add Reverse',
    folder: 'file:///w',
    state: 'open',
    files,
    gates: [],
    checks: { of: 'whole', state: 'checked', gates: [gate('go test', 'pass')] },
    diff: '',
  };
}
