// The contents of the Forge view as plain rows. Pure: the view turns them into tree items.
import { nodeRows } from './noderows';
import type { Ask, Choice, Class, Hunk, Proposal, ProposalFile } from './protocol_gen';
import { green, grey, ownWords, red, yellow, type Icon, type Row } from './row';
import { alive, list, type Run, type RunStatus } from './runs';
import { batchRow, secretsRow, tokensRow } from './spending';
import { count, joined, line, visible } from './text';

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
      line(run.way.join(' · ')),
      run.model && `model ${visible(run.model)}`,
      visible(run.reason),
    ),
    icon: statusIcons[run.status],
    context: alive(run) ? 'run.alive' : 'run.ended',
    runId: run.runId,
    unfolded,
    children: [
      ...run.asks.map((ask) => askRow(run, ask)),
      ...nodeRows(run),
      ...(run.proposal ? [proposalRow(run.proposal)] : []),
      ...(run.batch ? [batchRow(run.runId, run.batch)] : []),
      ...(run.calls > 0 || run.spent ? [tokensRow(run)] : []),
      ...(run.redacted ? [secretsRow(run.runId, run.redacted)] : []),
    ],
  };
}

// "bugfix in pay (sure)"
function kindText({ kind, scope, certainty }: Class): string {
  const where = scope === '.' ? '' : ` in ${line(scope)}`;
  return `${line(kind)}${where}${certainty ? ` (${certainty})` : ''}`;
}

function askRow(run: Run, ask: Ask): Row {
  const id = `${run.runId}/ask/${ask.askId}`;
  return {
    id,
    label: line(ask.title),
    description: 'waiting for an answer',
    tooltip: visible(ask.title),
    icon: { name: 'question', color: yellow },
    ...(ask.detail ? { action: { do: 'showQuestion', ask } } : {}),
    unfolded: true,
    children: [
      ...list(ask.choices).map((choice) => choiceRow(run, ask, choice)),
      ...(ask.freeText ? [ownRow(run, ask)] : []),
    ],
  };
}

function choiceRow({ runId }: Run, { askId }: Ask, choice: Choice): Row {
  return {
    id: `${runId}/ask/${askId}/${choice.id}`,
    label: line(choice.title),
    icon: { name: 'arrow-right' },
    action: { do: 'answer', answer: { runId, askId, choice: choice.id } },
    children: [],
  };
}

// No choice has an empty id, so this id is unique.
function ownRow({ runId }: Run, ask: Ask): Row {
  return {
    id: `${runId}/ask/${ask.askId}/`,
    label: ownWords,
    description: line(ask.freeText ?? ''),
    icon: { name: 'edit' },
    action: { do: 'answerInOwnWords', runId, ask },
    children: [],
  };
}

function proposalRow(proposal: Proposal): Row {
  const files = list(proposal.files);
  const pending = files.flatMap((file) => list(file.hunks)).filter((hunk) => hunk.state === 'pending').length;
  const { proposalId } = proposal;
  return {
    id: `proposal/${proposalId}`,
    label: proposal.unverified ? 'Proposal, not verified' : 'Proposal',
    description: joined(count(files.length, 'file'), pending > 0 ? `${pending} pending` : proposal.state),
    tooltip: visible(proposal.unverified ? `${proposal.title}\nNot verified:\n${proposal.unverified}` : proposal.title),
    icon: { name: proposal.unverified ? 'warning' : 'git-pull-request' },
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
