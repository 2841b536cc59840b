// The nodes of a run with their gates, as rows; those of a part of a plan below a row of the part. Pure.
import type { Finding, Gate, Node } from './protocol_gen';
import { green, grey, red, yellow, type Icon, type Row } from './row';
import { list, type GateState, type NodeState, type Run } from './runs';
import { joined, line, seconds, visible } from './text';

const nodeIcons: Record<Node['status'], Icon> = {
  PENDING: { name: 'circle-large-outline', color: grey },
  RUNNING: { name: 'loading~spin' },
  DONE: { name: 'pass-filled', color: green },
  BLOCKED: { name: 'circle-slash', color: yellow },
  FAILED: { name: 'error', color: red },
  SKIPPED: { name: 'debug-step-over', color: grey },
};

const verdictIcons: Record<Gate['verdict'], Icon> = {
  pass: { name: 'pass', color: green },
  fail: { name: 'error', color: red },
  error: { name: 'warning', color: yellow },
  'not-run': { name: 'circle-slash', color: grey },
};

/** The rows of the graph, in its order. */
export function nodeRows(run: Run): readonly Row[] {
  const parts = new Map<string, NodeState[]>();
  for (const state of run.nodes) {
    const { part } = placeOf(state.node.id);
    parts.set(part, [...(parts.get(part) ?? []), state]);
  }
  const seen = new Set<string>();
  return run.nodes.flatMap((state) => {
    const { part } = placeOf(state.node.id);
    if (part === '')
      return [nodeRow(run, state, state.node.id, seen.size > 0 && run.parts.length > 0 && 'all parts together')];
    if (seen.has(part)) return [];
    seen.add(part);
    return [partRow(run, part, parts.get(part) ?? [])];
  });
}

// `pay/review` is the review of the part pay; a node without a part is of the whole.
function placeOf(nodeId: string): { part: string; name: string } {
  const slash = nodeId.indexOf('/');
  return { part: nodeId.slice(0, Math.max(slash, 0)), name: nodeId.slice(slash + 1) };
}

function partRow(run: Run, part: string, states: readonly NodeState[]): Row {
  const status = together(states.map(({ node }) => node.status));
  const planned = run.parts.find(({ id }) => id === part);
  const title = planned?.title ?? joining(run, part);
  // A part that has not started or is done is one line, so that the running parts stay in view. It has another id, because
  // VS Code decides once per id whether to unfold a row.
  const folded = states.every(({ node }) => node.status === 'PENDING') || status === 'DONE';
  return {
    id: `${run.runId}/part/${part}${folded ? `/${status}` : ''}`,
    label: line(part),
    description: joined(status.toLowerCase(), line(title)),
    tooltip: joined(visible(title), visible(list(planned?.files).join(', '))),
    icon: nodeIcons[status],
    unfolded: !folded,
    children: states.map((state) => nodeRow(run, state, placeOf(state.node.id).name)),
  };
}

// The parts that `tier-1` joins.
function joining(run: Run, id: string): string {
  const parts = run.parts.filter(({ tier }) => id === `tier-${tier}`).map((part) => part.id);
  return parts.length === 0 ? '' : `${parts.join(', ')} together`;
}

// The status of a part: a running node counts first, then a failed or blocked one.
function together(statuses: readonly Node['status'][]): Node['status'] {
  const first = (['RUNNING', 'FAILED', 'BLOCKED', 'PENDING'] as const).find((status) => statuses.includes(status));
  return first ?? 'DONE';
}

// label is the node's own name where its part stands above it; of says what the node is about where that is not obvious.
function nodeRow(run: Run, { node, gates }: NodeState, label = node.id, of: string | false = false): Row {
  const id = `${run.runId}/node/${node.id}`;
  const attempts = [...new Set(gates.map((gate) => gate.attempt))].sort((a, b) => a - b);
  const latest = attempts.at(-1);
  const earlier = attempts.slice(0, -1).map((attempt) => attemptRow(run, id, attempt, gates));
  const current = gates.filter((gate) => gate.attempt === latest).map((gate, index) => gateRow(run, id, gate, index));
  return {
    id,
    label: line(label),
    description: joined(
      node.status.toLowerCase(),
      node.attempt > 1 && `attempt ${node.attempt}/${run.attempts}`,
      of,
      line(node.reason ?? ''),
    ),
    tooltip: joined(node.kind, node.status.toLowerCase(), visible(node.reason ?? '')),
    icon: nodeIcons[node.status],
    unfolded: true,
    children: [...earlier, ...current],
  };
}

// An earlier attempt is one folded row: it explains the latest one without crowding it out.
function attemptRow(run: Run, nodeId: string, attempt: number, gates: readonly GateState[]): Row {
  const mine = gates.filter((gate) => gate.attempt === attempt);
  const closed = mine.filter((gate) => gate.report?.verdict !== 'pass').map((gate) => line(gate.name));
  return {
    id: `${nodeId}/${attempt}`,
    label: `attempt ${attempt}`,
    description: closed.length === 0 ? 'all gates passed' : `not passed: ${closed.join(', ')}`,
    icon: { name: 'history', color: grey },
    children: mine.map((gate, index) => gateRow(run, nodeId, gate, index)),
  };
}

function gateRow(run: Run, nodeId: string, { name, attempt, report }: GateState, index: number): Row {
  const id = `${nodeId}/${attempt}/${index}/${name}`;
  if (!report) return { id, label: line(name), description: 'running', icon: { name: 'loading~spin' }, children: [] };
  return {
    id,
    label: line(name),
    description: joined(report.verdict, line(report.summary), seconds(report.elapsedMs)),
    tooltip: joined(report.verdict, visible(report.summary), `${report.passed} of ${report.executed} passed`),
    icon: verdictIcons[report.verdict],
    context: 'gate',
    gate: { name, folder: run.folder },
    unfolded: report.verdict !== 'pass',
    children: list(report.findings).map((finding, place) => findingRow(run, `${id}/${place}`, finding)),
  };
}

function findingRow(run: Run, id: string, finding: Finding): Row {
  const where = finding.path && `${line(finding.path)}${finding.line ? `:${finding.line}` : ''}`;
  return {
    id,
    label: line(finding.message),
    description: joined(where, line(finding.test ?? ''), line(finding.rule ?? '')),
    tooltip: visible(finding.message),
    icon: { name: finding.severity },
    ...(finding.path ? { action: { do: 'openFinding', folder: run.folder, finding } } : {}),
    children: [],
  };
}
