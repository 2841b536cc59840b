// Events as the server would send them, numbered as they are written down.
import type { Event, Gate, Node } from '../src/protocol_gen';
import { emptyRun, fold, type Run } from '../src/runs';

type Payload = [type: string, data: unknown];

/** The events of one run, from sequence number 1. */
export function events(runId: string, ...payloads: Payload[]): Event[] {
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
export function folded(...payloads: Payload[]): Run {
  return events('r1', ...payloads).reduce(fold, emptyRun('r1'));
}

export const started: Payload = [
  'run.started',
  { task: 'add Reverse', folder: 'file:///w', base: 'b1', model: 'scripted' },
];

export function node(id: string, status: Node['status'], attempt = 0, reason?: string): Node {
  return { id, kind: id, status, attempt, ...(reason === undefined ? {} : { reason }) };
}

export function gate(name: string, verdict: Gate['verdict'], findings: Gate['findings'] = []): Gate {
  return { name, verdict, summary: `${name} ${verdict}`, findings, executed: 3, passed: 2, elapsedMs: 1234 };
}
