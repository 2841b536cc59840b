// The contents of the Forge view as plain rows: proposals first, then questions, runs and gates. Pure: the view turns them
// into tree items.
import { gateRow } from './gaterows';
import { nodeRows } from './noderows';
import { proposalRow } from './proposalrows';
import type { Ask, Choice, Class, Proposal } from './protocol_gen';
import { editPlan, green, grey, ownWords, red, yellow, type Icon, type Row } from './row';
import type { Runs, Validated } from './runlist';
import { alive, list, stuck, type Run, type RunStatus } from './runs';
import { batchRow, includedRow, secretsRow, tokensRow } from './spending';
import { count, joined, line, seconds, visible } from './text';
import { elapsed } from './tries';

const statusIcons: Record<RunStatus, Icon> = {
  running: { name: 'loading~spin' },
  waiting: { name: 'question', color: yellow },
  succeeded: { name: 'pass-filled', color: green },
  blocked: { name: 'circle-slash', color: yellow },
  failed: { name: 'error', color: red },
  cancelled: { name: 'debug-stop', color: grey },
  interrupted: { name: 'debug-disconnect', color: yellow },
  lost: { name: 'debug-disconnect', color: red },
};

/** What the view shows. */
export type Shown = Pick<Runs, 'all' | 'proposals' | 'validated'>;

/** The rows of the view. */
export function rows({ all, proposals, validated }: Shown): readonly Row[] {
  const open = proposals.filter(({ state }) => state === 'open');
  const recent = all.filter((run, index) => index === 0 || alive(run));
  const older = all.filter((run) => !recent.includes(run));
  return [
    ...open.map((proposal, index) =>
      drawn(`proposal/${proposal.proposalId}`, () =>
        proposalRow(proposal, `Proposal: ${line(proposal.title)}`, index === 0),
      ),
    ),
    ...all.flatMap((run) => run.asks.map((ask) => drawn(askId(run, ask), () => askRow(run, ask)))),
    ...recent.map((run, index) => drawn(run.runId, () => runRow(run, proposals, index === 0))),
    ...(older.length > 0 ? [olderRow(older, proposals)] : []),
    ...(validated ? [gatesRow(validated)] : []),
  ];
}

function olderRow(runs: readonly Run[], proposals: readonly Proposal[]): Row {
  return {
    id: 'older',
    label: 'Older runs',
    description: String(runs.length),
    icon: { name: 'history' },
    children: runs.map((run) => drawn(run.runId, () => runRow(run, proposals, false))),
  };
}

// What a server of another version says otherwise than expected leaves the rows around it in sight.
function drawn(id: string, draw: () => Row): Row {
  try {
    return draw();
  } catch {
    const icon: Icon = { name: 'warning', color: yellow };
    return { id, label: 'Cannot be shown', description: 'the server may be of another version', icon, children: [] };
  }
}

function gatesRow({ folder, gates }: Validated): Row {
  const bad = gates.filter(({ verdict }) => verdict === 'fail' || verdict === 'error').length;
  return {
    id: 'gates',
    label: 'Gates of the folder',
    description: bad > 0 ? `${bad} of ${gates.length} not passed` : `${count(gates.length, 'gate')} without findings`,
    icon: bad > 0 ? { name: 'error', color: red } : { name: 'pass', color: green },
    unfolded: true,
    children: gates.map((gate, index) => gateRow(folder, `gates/${index}`, gate)),
  };
}

// The part of the context after "run.", for the buttons.
function contextOf(run: Run): string {
  if (alive(run)) return 'run.alive';
  if (run.elsewhere) return 'run.elsewhere';
  if (run.status === 'failed' || run.status === 'blocked') return 'run.failed';
  return stuck(run) ? 'run.cut' : 'run.ended';
}

function runRow(run: Run, proposals: readonly Proposal[], unfolded: boolean): Row {
  const time = elapsed(run.ended === undefined ? {} : { started: run.started, ended: run.ended });
  return {
    id: run.runId,
    label: line(run.task) || 'Run',
    description: joined(
      run.elsewhere ? `${run.status} in another window` : run.status,
      run.kind && run.kind.kind !== 'conversation' && line(run.kind.kind),
      time !== undefined && seconds(time),
      run.spent?.cost.text,
      run.reason !== run.status && line(run.reason),
    ),
    tooltip: joined(
      visible(run.task),
      run.kind && kindText(run.kind),
      line(run.way.join(' · ')),
      run.model && `model ${visible(run.model)}`,
      visible(run.reason),
    ),
    icon: statusIcons[run.status],
    context: contextOf(run),
    runId: run.runId,
    unfolded,
    lazy: run.summary ?? false,
    children: [
      ...(run.answer ? [answerRow(run)] : []),
      ...proposalRows(run, proposals),
      ...nodeRows(run),
      ...(run.batch ? [batchRow(run.runId, run.batch)] : []),
      ...(run.calls > 0 || run.spent ? [tokensRow(run)] : []),
      ...(run.redacted ? [secretsRow(run.runId, run.redacted)] : []),
      ...(run.included ? [includedRow(run.runId, run.included)] : []),
    ],
  };
}

// An open proposal stands above all runs, so here is one line for it.
function proposalRows(run: Run, proposals: readonly Proposal[]): readonly Row[] {
  const mine = proposals.filter(({ runId }) => runId === run.runId);
  const known = mine.map((proposal) =>
    proposal.state === 'open'
      ? linkRow(run.runId, proposal.proposalId, 'open, above')
      : proposalRow(proposal, proposal.proposalId === run.proposalId ? 'Proposal' : line(proposal.title), false),
  );
  const { proposalId } = run;
  if (proposalId === undefined || mine.some((proposal) => proposal.proposalId === proposalId)) return known;
  return [linkRow(run.runId, proposalId, 'decided'), ...known];
}

function linkRow(runId: string, proposalId: string, description: string): Row {
  return {
    id: `${runId}/proposal/${proposalId}`,
    label: 'Proposal',
    description,
    icon: { name: 'git-pull-request' },
    action: { do: 'showProposal', proposalId },
    runId,
    proposalId,
    children: [],
  };
}

function answerRow({ runId }: Run): Row {
  return {
    id: `${runId}/answer`,
    label: 'Answer',
    description: 'open it',
    icon: { name: 'comment-discussion' },
    action: { do: 'showAnswer', runId },
    runId,
    children: [],
  };
}

// "bugfix in pay (sure)"
function kindText({ kind, scope, certainty }: Class): string {
  const where = scope === '.' ? '' : ` in ${line(scope)}`;
  return `${line(kind)}${where}${certainty ? ` (${certainty})` : ''}`;
}

function askId({ runId }: Run, { askId: id }: Ask): string {
  return `${runId}/ask/${id}`;
}

function askRow(run: Run, ask: Ask): Row {
  const id = askId(run, ask);
  return {
    id,
    label: line(ask.title),
    description: 'waiting for an answer',
    tooltip: visible(ask.title),
    spoken: `question, ${line(ask.title)}, waiting for an answer`,
    icon: { name: 'question', color: yellow },
    ...(ask.detail ? { action: { do: 'showQuestion', runId: run.runId, ask } } : {}),
    unfolded: true,
    children: [
      ...list(ask.choices).map((choice) => choiceRow(run, ask, choice)),
      ...(ask.freeText ? [ownRow(run, ask)] : []),
      ...(ask.file ? [editRow(run, ask)] : []),
    ],
  };
}

function choiceRow({ runId }: Run, { askId }: Ask, choice: Choice): Row {
  return {
    id: `${runId}/ask/${askId}/${choice.id}`,
    label: line(choice.title),
    spoken: `answer: ${line(choice.title)}`,
    icon: { name: 'arrow-right' },
    action: { do: 'answer', answer: { runId, askId, choice: choice.id } },
    children: [],
  };
}

function editRow({ runId }: Run, ask: Ask): Row {
  return {
    id: `${runId}/ask/${ask.askId}/:edit`,
    label: editPlan,
    description: 'what it says when you agree is carried out',
    icon: { name: 'go-to-file' },
    action: { do: 'editQuestion', ask },
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
