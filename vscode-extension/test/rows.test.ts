import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '../src/protocol_gen';
import { busyText, idleText, isOfRun, statusTooltip } from '../src/spending';
import { fileOf, folded, gate, hunkOf, node, proposalOf, started } from './events';
import { all, shown, rowsOf } from './rowtree';

const cost = { usd: 0, text: '$0.00' };

const proposal = proposalOf('p1', fileOf('a.go', 'update', hunkOf('f1h1', 'pending')));

test('blocked first, then green: the earlier attempt is below the node, the latest gates are in sight', () => {
  const finding = {
    path: 'rev_test.go',
    line: 7,
    severity: 'error' as const,
    message: 'got ab, want ba',
    test: 'TestReverse',
  };
  const run = folded(
    started,
    ['graph', { base: 'b1', nodes: [node('executor', 'PENDING')], edges: [], attempts: 3 }],
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('go test', 'fail', [finding]) }],
    ['node', node('executor', 'BLOCKED', 1, 'go test fails')],
    ['node', node('executor', 'RUNNING', 2)],
    ['gate.finished', { node: 'executor', attempt: 2, gate: gate('go vet', 'pass') }],
    ['gate.started', { node: 'executor', attempt: 2, gate: 'go test', index: 2, of: 2 }],
  );
  assert.deepEqual(shown(run), [
    'loading~spin add Reverse (running)',
    '  loading~spin executor (running · attempt 2/3)',
    '    history attempt 1 (not passed: go test)',
    '      error go test (fail · go test fail · 1.2 s)',
    '        error got ab, want ba (rev_test.go:7 · TestReverse)',
    '    pass go vet (pass · go vet pass · 1.2 s)',
    '    loading~spin go test (running)',
  ]);
});

test('the kind of work stands in the row of a run, and how sure that is behind it', () => {
  const kind = {
    kind: 'bugfix',
    confidence: 0.6,
    certainty: 'sure',
    scope: 'pay',
    requiresTests: true,
    requiresReview: true,
  };
  const run = folded(['run.started', { task: 'fix it', folder: 'file:///w', model: 'm', class: kind }]);
  const [row] = rowsOf([run]);
  assert.equal(row?.description, 'running · bugfix');
  assert.equal(row.tooltip, 'fix it · bugfix in pay (sure) · model m');
  assert.equal(rowsOf([folded(started)])[0]?.description, 'running', 'the twin: an older server does not say');
});

test('how a run works stands behind its row, and behind the status bar', () => {
  const way = { recipe: 'fix', mode: 'debug', profile: 'tooluse' };
  const run = folded(['run.started', { task: 'fix it', folder: 'file:///w', model: 'm', ...way }]);
  assert.equal(rowsOf([run])[0]?.tooltip, 'fix it · fix · debug · tooluse · model m');
  assert.equal(statusTooltip(run), 'Forge: fix it (fix · debug · tooluse)');
  const asked = folded(['run.started', { task: 'why?', folder: 'file:///w', model: 'm', recipe: 'ask', mode: 'plan' }]);
  assert.equal(statusTooltip(asked), 'Forge: why? (ask · plan)', 'a run without a profile');
  assert.equal(statusTooltip(folded(started)), 'Forge: add Reverse', 'the twin: an older server does not say');
});

test('every verdict has its own icon: nothing that did not run looks green', () => {
  const verdicts = ['pass', 'fail', 'error', 'not-run'] as const;
  const gates = verdicts.map((verdict): [string, unknown] => [
    'gate.finished',
    { node: 'executor', attempt: 1, gate: gate(verdict, verdict) },
  ]);
  const run = folded(['node', node('executor', 'DONE', 1)], ...gates);
  const icons = rowsOf([run])[0]?.children[0]?.children.map((row) => row.icon);
  assert.deepEqual(
    icons?.map((icon) => icon.name),
    ['pass', 'error', 'warning', 'circle-slash'],
  );
  assert.equal(icons.filter((icon) => icon.color === 'testing.iconPassed').length, 1);
});

test('an open question shows its choices, each of which answers it', () => {
  const choices = [
    { id: 'approve', title: 'Approve' },
    { id: 'stop', title: 'Stop' },
  ];
  const ask = { askId: 'q1', kind: 'approve', title: 'Is this right?', detail: '# Spec', choices, default: 'stop' };
  const row = rowsOf([folded(started, ['ask', ask])])[0];
  assert.equal(row?.label, 'Is this right?');
  assert.deepEqual(row.action, { do: 'showQuestion', runId: 'r1', ask }, 'each run has a question q1');
  assert.deepEqual(
    row.children.map((child) => child.action),
    choices.map(({ id }) => ({ do: 'answer', answer: { runId: 'r1', askId: 'q1', choice: id } })),
    'and nothing else: this question takes no text',
  );
});

test('a question that takes a text offers to write one, and says about what', () => {
  const choices = [{ id: 'reject', title: 'Reject' }];
  const ask = { askId: 'q1', kind: 'approve', title: 'Right?', choices, default: 'reject', freeText: 'what is wrong' };
  const row = rowsOf([folded(started, ['ask', ask])])[0];
  const [, own] = row?.children ?? [];
  assert.equal(own?.label, 'Other answer…');
  assert.equal(own.description, 'what is wrong');
  assert.deepEqual(own.action, { do: 'answerInOwnWords', runId: 'r1', ask });
});

test('older runs are one folded row; each of them opens from its summary', () => {
  const runs = ['r3', 'r2', 'r1'].map((runId) => ({ ...folded(started), runId, status: 'failed' as const }));
  const [newest, older] = rowsOf(runs.map((run) => ({ ...run, summary: true })));
  assert.equal(newest?.runId, 'r3');
  assert.deepEqual([older?.label, older?.description, older?.unfolded], ['Older runs', '2', undefined]);
  assert.deepEqual(
    older?.children.map(({ runId, lazy }) => [runId, lazy]),
    [
      ['r2', true],
      ['r1', true],
    ],
  );
});

test('a run that failed, was blocked or cut off offers what can be done about it', () => {
  const context = (status: string) =>
    rowsOf([{ ...folded(started), status: status as 'failed' }]).map((row) => row.context)[0];
  assert.deepEqual(['failed', 'blocked'].map(context), ['run.failed', 'run.failed']);
  assert.deepEqual(['interrupted', 'lost'].map(context), ['run.cut', 'run.cut']);
  assert.deepEqual(['succeeded', 'cancelled'].map(context), ['run.ended', 'run.ended']);
});

test('every row that stands for something opens it', () => {
  const answer = { text: 'because' };
  const run = folded(
    started,
    ['node', node('executor', 'BLOCKED', 1)],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('go test', 'fail') }],
    ['node', node('executor', 'RUNNING', 2)],
    ['gate.finished', { node: 'executor', attempt: 2, gate: gate('go vet', 'pass') }],
    ['answer', answer],
  );
  const opens = rowsOf([run])
    .flatMap(all)
    .map((row) => [row.label, row.action?.do]);
  assert.deepEqual(opens, [
    ['add Reverse', undefined],
    ['Answer', 'showAnswer'],
    ['executor', 'showLog'],
    ['attempt 1', 'showLog'],
    ['go test', 'showReport'],
    ['go vet', 'showReport'],
  ]);
});

test('an attempt without a gate is a row too, with its reason', () => {
  const run = folded(
    started,
    ['node', node('executor', 'RUNNING', 1)],
    ['node', node('executor', 'BLOCKED', 1, 'the patch does not match')],
    ['node', node('executor', 'RUNNING', 2)],
  );
  assert.equal(shown(run)[2], '    history attempt 1 (the patch does not match)');
});

test('lists that Go wrote as null show as nothing', () => {
  const report = { ...gate('go vet', 'pass'), findings: null };
  const run = folded(
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.finished', { node: 'executor', attempt: 1, gate: report }],
    ['ask', { askId: 'q1', kind: 'trust', title: 'Trust?', choices: null, default: '' }],
  );
  const none = { ...proposal, files: null, checks: { ...proposal.checks, gates: null } } as unknown as Proposal;
  assert.deepEqual(shown(run, none), [
    'git-pull-request Proposal: add Reverse (0 files · open)',
    '  warning Not checked: no gate ran',
    'question Trust? (waiting for an answer)',
    'question Run (waiting)',
    '  git-pull-request Proposal (open, above)',
    '  question executor (waiting for your answer)',
    '    pass go vet (pass · go vet pass · 1.2 s)',
  ]);
});

test('the file of a question is a row below it', () => {
  const choices = [{ id: 'approve', title: 'Carry it out' }];
  const ask = { askId: 'q1', kind: 'approve', title: 'Carry out this plan?', choices, default: 'reject' };
  assert.deepEqual(
    shown(folded(['ask', { ...ask, freeText: 'what should be different', file: '/plan.json' }])).slice(0, 4),
    [
      'question Carry out this plan? (waiting for an answer)',
      '  arrow-right Carry it out',
      '  edit Other answer… (what should be different)',
      '  go-to-file Edit Plan (what it says when you agree is carried out)',
    ],
  );
  assert.equal(shown(folded(['ask', ask]))[2], 'question Run (waiting)', 'without a file there is none');
});

test('all ids of a view differ', () => {
  const run = folded(
    ['node', node('executor', 'RUNNING', 1)],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('go test', 'fail') }],
    ['gate.finished', { node: 'executor', attempt: 1, gate: gate('go test', 'pass') }],
    ['node', node('review', 'RUNNING', 1)],
    ['gate.finished', { node: 'review', attempt: 1, gate: gate('go test', 'pass') }],
  );
  const ids = rowsOf([{ ...run, proposalId: 'p1' }], [proposal, { ...proposal, proposalId: 'p2', state: 'closed' }])
    .flatMap(all)
    .map((row) => row.id);
  assert.equal(new Set(ids).size, ids.length);
});

test('tokens are summed up below the run', () => {
  const call = {
    node: 'spec',
    attempt: 1,
    round: 0,
    model: 'm',
    inputTokens: 18_400,
    outputTokens: 950,
    elapsedMs: 5,
    cost,
  };
  assert.equal(shown(folded(started, ['model', call])).at(-1), '  dashboard Tokens (18.4k in, 950 out · 1 call)');
});

const spent = {
  tokens: 20_000,
  inputTokens: 6_400,
  outputTokens: 950,
  cacheReadTokens: 12_000,
  cacheWriteTokens: 0,
  heldTokens: 650,
  cost: { usd: 0.07, text: '$0.07' },
  limitTokens: 1_000_000,
};

test('what the ledger says of tokens and money counts', () => {
  const call = { node: 'spec', attempt: 1, round: 0, model: 'm', inputTokens: 1, outputTokens: 1, elapsedMs: 5, cost };
  const row = rowsOf([folded(started, ['model', call], ['spent', spent])])[0]?.children.at(-1);
  assert.ok(row);
  assert.equal(row.description, '18.4k in (12.0k cached), 950 out · 1 call · $0.07');
  assert.match(row.tooltip ?? '', /20.0k tokens charged · 650 reserved .* · limit 1\.0M tokens/);
});

test('a batch that is waited for stands there until its answer has come', () => {
  const batch = { node: 'spec', attempt: 1, model: 'm', provider: 'openai', state: 'submitted', items: 2 };
  assert.equal(
    shown(folded(started, ['batch', batch])).at(-1),
    '  watch Waiting for a batch of openai (submitted · 2 requests)',
  );
  const call = { node: 'spec', attempt: 1, round: 0, model: 'm', inputTokens: 1, outputTokens: 1, elapsedMs: 5, cost };
  assert.doesNotMatch(shown(folded(started, ['batch', batch], ['model', call])).join('\n'), /batch/);
});

test('secrets are counted and never shown', () => {
  const redacted = { count: 3, secrets: [{ name: 'API_TOKEN', count: 3 }] };
  assert.equal(shown(folded(started, ['redacted', redacted])).at(-1), '  shield 3 secrets redacted');
});

test('uncommitted and unsaved work that a run sees is counted', () => {
  const included = { base: 'b', from: 'working', uncommitted: ['a.go', 'b.go'], unsaved: ['c.go'] };
  assert.equal(
    shown(folded(started, ['included', included])).at(-1),
    '  git-commit Sees 2 uncommitted files · 1 unsaved document',
  );
  const head = { base: 'b', from: 'head', uncommitted: ['a.go'], unsaved: [] };
  assert.equal(shown(folded(started, ['included', head])).at(-1), '  git-commit Works without 1 uncommitted file');
});

test('the status bar shows the stage, seconds, tokens and cost of a run, and the model and the cost of today without one', () => {
  const at = Date.parse('2026-01-02T03:04:05.678Z'); // of the events
  assert.equal(busyText(folded(started), at), '$(sync~spin) Forge');
  const run = folded(started, ['node', node('executor', 'RUNNING', 1)], ['spent', spent]);
  assert.equal(busyText(run, at + 34_000), '$(sync~spin) executor · 34 s · 20.0k tokens · $0.07');
  const ask = { askId: 'q', kind: 'clarify', title: 't', choices: [] };
  assert.equal(busyText(folded(started, ['ask', ask]), at), '$(question) Forge waits for you');
  assert.equal(busyText(folded(started, ['batch', { node: 'n', attempt: 1 }]), at), '$(watch) Forge');
  assert.equal(idleText('gpt-x', '$0.12'), '$(sparkle) gpt-x · $0.12 today');
  assert.equal(idleText('', ''), '$(sparkle) Forge: no model');
});

test('the progress of a run is shown once; that of its tests in the background, and of checks, by themselves', () => {
  assert.deepEqual(['forge/r-1a2b', 'forge/r-1a2b/2'].map(isOfRun), [true, true]);
  assert.deepEqual(['forge/r-1a2b/suite', 'forge/r-1a2b/2/suite', 'forge/check/p-1', 7].map(isOfRun), [
    false,
    false,
    false,
    false,
  ]);
});

test('what a model wrote stays one inert line', () => {
  const reason = 'first\nsecond \u202egpj.exe\u0007';
  const label = rowsOf([folded(['node', node('spec', 'FAILED', 1, reason)])])[0]?.children[0]?.description;
  assert.equal(label, 'failed · first second [U+202E]gpj.exe[U+0007]');
});
