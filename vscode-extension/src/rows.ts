// What the Forge view shows, as plain rows. Pure: the view turns them into tree items.
import type { Ask, Class, Finding, Gate, Hunk, Node, Proposal, ProposalFile } from './protocol_gen';
import type { Icon, Row } from './row';
import { alive, list, type GateState, type NodeState, type Run, type RunStatus } from './runs';
import { batchRow, secretsRow, tokensRow } from './spending';
import { count, joined, line, seconds, visible } from './text';

const red = 'testing.iconFailed';
const green = 'testing.iconPassed';
const yellow = 'list.warningForeground';
const grey = 'disabledForeground';

const statusIcons: Record<RunStatus, Icon> = {
  running: { name: 'loading~spin' },
  waiting: { name: 'question', color: yellow },
  succeeded: { name: 'pass-filled', color: green },
  blocked: { name: 'circle-slash', color: yellow },
  failed: { name: 'error', color: red },
  cancelled: { name: 'debug-stop', color: grey },
  paused: { name: 'debug-pause', color: yellow },
  interrupted: { name: 'debug-disconnect', color: yellow },
  lost: { name: 'debug-disconnect', color: red },
};

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

const hunkIcons: Record<Hunk['state'], Icon> = {
  pending: { name: 'diff-modified' },
  accepted: { name: 'check', color: green },
  rejected: { name: 'close', color: grey },
  conflict: { name: 'warning', color: yellow },
};

const fileIcons: Record<ProposalFile['kind'], Icon> = {
  create: { name: 'diff-added' },
  update: { name: 'diff-modified' },
  delete: { name: 'diff-removed' },
  move: { name: 'diff-renamed' },
};

/** The rows of the view: proposals of their own first, then one row per run, the newest of them unfolded. */
export function rows(runs: readonly Run[], loose: readonly Proposal[] = []): readonly Row[] {
  const proposals = loose.map((proposal, index) => ({
    ...proposalRow(proposal),
    label: line(proposal.title) || 'Proposal',
    unfolded: index === 0 && proposal.state === 'open',
  }));
  return [...proposals, ...runs.map((run, index) => runRow(run, index === 0))];
}

function runRow(run: Run, unfolded: boolean): Row {
  return {
    id: run.runId,
    label: line(run.task) || 'Run',
    description: joined(run.status, run.kind && line(run.kind.kind), line(run.reason)),
    tooltip: joined(
      visible(run.task),
      run.kind && kindText(run.kind),
      run.model && `model ${visible(run.model)}`,
      visible(run.reason),
    ),
    icon: statusIcons[run.status],
    context: alive(run) ? 'run.alive' : 'run.ended',
    runId: run.runId,
    unfolded,
    children: [
      ...run.asks.map((ask) => askRow(run, ask)),
      ...run.nodes.map((state) => nodeRow(run, state)),
      ...(run.proposal ? [proposalRow(run.proposal)] : []),
      ...(run.batch ? [batchRow(run.runId, run.batch)] : []),
      ...(run.calls > 0 || run.spent ? [tokensRow(run)] : []),
      ...(run.redacted ? [secretsRow(run.runId, run.redacted)] : []),
    ],
  };
}

// "bugfix in pay, 60 % sure"
function kindText({ kind, scope, confidence }: Class): string {
  const where = scope === '.' ? '' : ` in ${line(scope)}`;
  return `${line(kind)}${where}, ${Math.round(100 * confidence)} % sure`;
}

function askRow(run: Run, ask: Ask): Row {
  const id = `${run.runId}/ask/${ask.askId}`;
  return {
    id,
    label: line(ask.title),
    description: 'waits for an answer',
    tooltip: visible(ask.title),
    icon: { name: 'question', color: yellow },
    ...(ask.detail ? { action: { do: 'showQuestion', ask } } : {}),
    unfolded: true,
    children: list(ask.choices).map((choice) => ({
      id: `${id}/${choice.id}`,
      label: line(choice.title),
      icon: { name: 'arrow-right' },
      action: { do: 'answer', runId: run.runId, askId: ask.askId, choice: choice.id },
      children: [],
    })),
  };
}

function nodeRow(run: Run, { node, gates }: NodeState): Row {
  const id = `${run.runId}/node/${node.id}`;
  const attempts = [...new Set(gates.map((gate) => gate.attempt))].sort((a, b) => a - b);
  const latest = attempts.at(-1);
  const earlier = attempts.slice(0, -1).map((attempt) => attemptRow(run, id, attempt, gates));
  const current = gates.filter((gate) => gate.attempt === latest).map((gate, index) => gateRow(run, id, gate, index));
  return {
    id,
    label: line(node.id),
    description: joined(
      node.status.toLowerCase(),
      node.attempt > 1 && `attempt ${node.attempt}/${run.attempts}`,
      line(node.reason ?? ''),
    ),
    tooltip: joined(node.kind, node.status.toLowerCase(), visible(node.reason ?? '')),
    icon: nodeIcons[node.status],
    unfolded: true,
    children: [...earlier, ...current],
  };
}

// An earlier try is one row that can be unfolded: it explains the latest, but must not crowd it out.
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

function proposalRow(proposal: Proposal): Row {
  const files = list(proposal.files);
  const pending = files.flatMap((file) => list(file.hunks)).filter((hunk) => hunk.state === 'pending').length;
  const { proposalId } = proposal;
  return {
    id: `proposal/${proposalId}`,
    label: 'Proposal',
    description: joined(count(files.length, 'file'), pending > 0 ? `${pending} pending` : proposal.state),
    tooltip: visible(proposal.title),
    icon: { name: 'git-pull-request' },
    action: { do: 'showDiff' },
    context: proposal.state === 'open' ? 'proposal.open' : 'proposal.closed',
    proposalId,
    unfolded: true,
    children: files.map((file) => fileRow(proposalId, file)),
  };
}

function fileRow(proposalId: string, file: ProposalFile): Row {
  const hunks = list(file.hunks);
  const states = [...new Set(hunks.map((hunk) => hunk.state))];
  return {
    id: `proposal/${proposalId}/${file.path}`,
    label: line(file.path),
    description: joined(file.kind, states.join(', ')),
    icon: fileIcons[file.kind],
    context: states.includes('pending') ? 'file.open' : 'file.closed',
    proposalId,
    select: { files: [file.uri] },
    unfolded: true,
    children: hunks.map((hunk) => hunkRow(proposalId, hunk)),
  };
}

function hunkRow(proposalId: string, hunk: Hunk): Row {
  const { start, end } = hunk.range;
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return {
    id: `proposal/${proposalId}/hunk/${hunk.id}`,
    label: last > start.line + 1 ? `lines ${start.line + 1}–${last}` : `line ${start.line + 1}`,
    description: joined(
      hunk.state,
      hunk.level !== 'exact' && `matched by ${hunk.level}`,
      hunk.risk && `risk: ${hunk.risk}`,
    ),
    tooltip: visible(hunk.newText),
    icon: hunkIcons[hunk.state],
    context: hunk.state === 'pending' ? 'hunk.open' : 'hunk.closed',
    proposalId,
    select: { hunks: [hunk.id] },
    children: [],
  };
}
