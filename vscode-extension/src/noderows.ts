// The nodes of a run with their gates, as rows; those of a part of a plan below a row of the part. Pure.
import { gateRow, runningGateRow } from './gaterows';
import type { Node } from './protocol_gen';
import { green, grey, red, yellow, type Icon, type Row } from './row';
import { alive, list, type GateState, type NodeState, type Run } from './runs';
import { dollars, joined, line, modelName, seconds, thousands, visible } from './text';
import { elapsed, type Try } from './tries';

const nodeIcons: Record<Node['status'], Icon> = {
  PENDING: { name: 'circle-large-outline', color: grey },
  RUNNING: { name: 'loading~spin' },
  DONE: { name: 'pass-filled', color: green },
  BLOCKED: { name: 'circle-slash', color: yellow },
  FAILED: { name: 'error', color: red },
  SKIPPED: { name: 'debug-step-over', color: grey },
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

// The parts that `join-1` joins: those whose reviews it waits for.
function joining(run: Run, id: string): string {
  const waited = run.edges.filter(({ to }) => to === `${id}/explore`).map(({ from }) => placeOf(from).part);
  const parts = run.parts.filter((part) => waited.includes(part.id)).map((part) => part.id);
  return parts.length === 0 ? '' : `${parts.join(', ')} together`;
}

// The status of a part: a running node counts first, then a failed or blocked one.
function together(statuses: readonly Node['status'][]): Node['status'] {
  const first = (['RUNNING', 'FAILED', 'BLOCKED', 'PENDING'] as const).find((status) => statuses.includes(status));
  return first ?? 'DONE';
}

// label is the node's own name where its part stands above it; of says what the node is about where that is not obvious.
function nodeRow(run: Run, { node, gates, tries }: NodeState, label = node.id, of: string | false = false): Row {
  const id = `${run.runId}/node/${node.id}`;
  const attempts = [...new Set([...tries, ...gates].map(({ attempt }) => attempt))].sort((a, b) => a - b);
  const latest = attempts.at(-1);
  const last = tries.find(({ attempt }) => attempt === latest);
  const earlier = attempts.slice(0, -1).map((attempt) => attemptRow(run, id, node.id, attempt, { tries, gates }));
  const current = gates.filter((gate) => gate.attempt === latest).map((gate, index) => stateRow(run, id, gate, index));
  // A node that is done is one line once its run has ended. It has another id, because VS Code decides once per id whether to
  // unfold a row.
  const folded = node.status === 'DONE' && !alive(run);
  const waits =
    run.asks.length > 0 && run.nodes.every((other) => (other.node.status === 'RUNNING') === (other.node === node));
  return {
    id: folded ? `${id}/folded` : id,
    label: line(label),
    description: joined(
      waits ? 'waiting for your answer' : node.status.toLowerCase(),
      node.attempt > 1 && `attempt ${node.attempt}/${run.attempts}`,
      of,
      last && used(last),
      line(node.reason ?? ''),
    ),
    tooltip: joined(node.kind, node.status.toLowerCase(), visible(node.reason ?? '')),
    icon: waits ? { name: 'question', color: yellow } : nodeIcons[node.status],
    ...(node.attempt > 0 ? { action: { do: 'showLog', runId: run.runId, node: node.id } } : {}),
    runId: run.runId,
    unfolded: !folded,
    children: [...earlier, ...current],
  };
}

// "34 s · 12.3k tokens · $0.03 · gpt-x"
function used(one: Try): string {
  const time = elapsed(one);
  return joined(
    time !== undefined && time >= 50 && seconds(time),
    one.tokens > 0 && `${thousands(one.tokens)} tokens`,
    one.usd > 0 && dollars(one.usd),
    line(modelName(one.model)),
  );
}

// An earlier attempt is one folded row: it explains the latest one without crowding it out.
function attemptRow(
  run: Run,
  id: string,
  node: string,
  attempt: number,
  { tries, gates }: Pick<NodeState, 'tries' | 'gates'>,
): Row {
  const mine = gates.filter((gate) => gate.attempt === attempt);
  const one = tries.find((other) => other.attempt === attempt);
  const closed = mine.filter((gate) => gate.report?.verdict !== 'pass').map((gate) => line(gate.name));
  const outcome = closed.length > 0 ? `not passed: ${closed.join(', ')}` : mine.length > 0 && 'all gates passed';
  return {
    id: `${id}/${attempt}`,
    label: `attempt ${attempt}`,
    description: joined(outcome, !closed.length && one && line(one.reason), one && used(one)),
    tooltip: visible(one?.reason ?? ''),
    icon: { name: 'history', color: grey },
    action: { do: 'showLog', runId: run.runId, node },
    children: mine.map((gate, index) => stateRow(run, id, gate, index)),
  };
}

function stateRow(run: Run, nodeId: string, { name, attempt, report }: GateState, index: number): Row {
  const id = `${nodeId}/${attempt}/${index}/${name}`;
  return report ? gateRow(run.folder, id, report) : runningGateRow(id, name);
}
