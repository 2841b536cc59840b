// A proposal as rows: what was checked of it, its files, their hunks. Pure.
import { checksText } from './checks';
import { gateRow } from './gaterows';
import { openCount } from './hunks';
import type { Hunk, Proposal, ProposalFile } from './protocol_gen';
import { green, grey, red, yellow, type Icon, type Row } from './row';
import { list } from './runs';
import { count, joined, line, visible } from './text';

const hunkIcons: Record<Hunk['state'], Icon> = {
  pending: { name: 'diff-modified' },
  accepted: { name: 'check', color: green },
  rejected: { name: 'close', color: grey },
  conflict: { name: 'warning', color: yellow },
};

const pendingIcons: Record<ProposalFile['kind'], Icon> = {
  create: { name: 'diff-added' },
  update: { name: 'diff-modified' },
  delete: { name: 'diff-removed' },
  move: { name: 'diff-renamed' },
};

const fileIcons: Record<Exclude<ProposalFile['state'], 'pending'>, Icon> = {
  accepted: { name: 'check', color: green },
  partial: { name: 'diff-modified', color: green },
  rejected: { name: 'close', color: grey },
  conflict: { name: 'warning', color: yellow },
};

const standing: Readonly<Record<Proposal['state'], string>> = { open: 'open', closed: 'decided' };

// Why a hunk deserves a second look, besides how exactly it was matched.
const risks: Readonly<Record<NonNullable<Hunk['risk']>, string>> = {
  inexact: '',
  delete: 'deletes the file',
  move: 'moves the file',
  scope: 'outside the task',
  rebased: 'merged with your edits',
  look: 'runs when the project is built or tested',
  control: 'acts by itself, and needs a separate confirmation',
};

const levels: Readonly<Record<Hunk['level'], string>> = {
  exact: '',
  'trailing-space': 'matched, but for spaces at ends of lines',
  unicode: 'matched, but for similar characters',
  indentation: 'matched, but for indentation',
  'context-subset': 'matched, but for some lines around it',
  likeness: 'matched by similar lines',
};

const checkColors: Record<string, string> = { pass: green, error: red, warning: yellow };

/** The row of a proposal. `label` is what it is called where it stands. */
export function proposalRow(proposal: Proposal, label: string, unfolded: boolean): Row {
  const { proposalId, title, unverified } = proposal;
  const files = list(proposal.files);
  const open = openCount(proposal);
  return {
    id: `proposal/${proposalId}`,
    label,
    description: joined(count(files.length, 'file'), open > 0 ? `${open} pending` : standing[proposal.state]),
    tooltip: visible(unverified ? `${title}\nNot verified:\n${unverified}` : title),
    icon: unverified ? { name: 'warning', color: yellow } : { name: 'git-pull-request' },
    action: { do: 'showProposal', proposalId },
    context: proposal.state === 'open' ? 'proposal.open' : 'proposal.closed',
    proposalId,
    runId: proposal.runId,
    unfolded,
    children: [...explanationRows(proposal), checksRow(proposal), ...files.map((file) => fileRow(proposalId, file))],
  };
}

// What the model says of its change stands above what was checked, as the model's own words.
function explanationRows({ proposalId, explanation }: Proposal): readonly Row[] {
  if (!explanation) return [];
  return [
    {
      id: `proposal/${proposalId}/explanation`,
      label: `The model says: ${line(explanation)}`,
      tooltip: visible(`The model says:\n${explanation}`),
      icon: { name: 'comment' },
      proposalId,
      children: [],
    },
  ];
}

function checksRow(proposal: Proposal): Row {
  const { proposalId, checks, folder } = proposal;
  const { text, icon, check } = checksText(proposal);
  const color = checkColors[icon];
  const id = `proposal/${proposalId}/checks`;
  return {
    id,
    label: text,
    ...(checks.note === undefined ? {} : { tooltip: visible(checks.note) }),
    icon: color === undefined ? { name: icon } : { name: icon, color },
    context: check ? 'checks.open' : 'checks.closed',
    proposalId,
    children: list(checks.gates).map((gate, index) => gateRow(folder, `${id}/${index}`, gate)),
  };
}

function fileRow(proposalId: string, file: ProposalFile): Row {
  const { path, state, kind, adds, removes } = file;
  const hunks = list(file.hunks);
  return {
    id: `proposal/${proposalId}/${path}`,
    label: line(path),
    description: joined(`+${adds} −${removes}`, kind !== 'update' && kind, state, file.amended && 'edited by you'),
    spoken: joined(
      line(path),
      kind,
      `${count(adds, 'line')} added`,
      `${removes} removed`,
      state,
      file.amended && 'edited by you',
    ),
    icon: state === 'pending' ? pendingIcons[kind] : fileIcons[state],
    action: { do: 'showProposal', proposalId, path },
    context: hunks.some((hunk) => hunk.state === 'pending') ? 'file.open' : 'file.closed',
    proposalId,
    path,
    select: { files: [file.uri] },
    unfolded: hunks.length > 1,
    children: hunks.map((hunk) => hunkRow(proposalId, path, hunk)),
  };
}

function hunkRow(proposalId: string, path: string, hunk: Hunk): Row {
  const at = hunk.lines ?? { start: hunk.range.start.line, end: hunk.range.end.line };
  return {
    id: `proposal/${proposalId}/hunk/${hunk.id}`,
    label: at.end > at.start + 1 ? `lines ${at.start + 1}–${at.end}` : `line ${at.start + 1}`,
    description: joined(
      hunk.state,
      levels[hunk.level],
      hunk.risk && risks[hunk.risk],
      hunk.note !== undefined && `“${line(hunk.note)}”`,
    ),
    tooltip: visible(hunk.newText),
    icon: hunkIcons[hunk.state],
    action: { do: 'showProposal', proposalId, path, line: at.start },
    context: hunk.state === 'pending' ? 'hunk.open' : 'hunk.closed',
    proposalId,
    path,
    select: { hunks: [hunk.id] },
    children: [],
  };
}
