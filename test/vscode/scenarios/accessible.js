// Everything that the user can act on has a name, every row of the view has a name and a state, and both can be reached: as Chromium's
// accessibility tree has them, in every state of every view.
'use strict';
const assert = require('node:assert/strict');
const accessibility = require('../lib/accessibility');
const { answerTrust, approval, nextQuestion } = require('../lib/questions');

const name = 'accessible';
const script = 'accessible';
const question = 'what is shouting?';
const task = 'add Twice with a test';
const planned = 'add Thrice and Never';

async function play(stage, step) {
  const { changes, code, preview, wire } = stage;
  const seen = new Set(); // the states of the rows that were judged
  // Judges a part of the window; returns the names, of which there are some. VS Code names texts when they are entered.
  const judge = (selector) =>
    accessibility.judge(code.page, selector, { but: selector === '.part.editor' ? ['textbox'] : [] });
  // The rows of the panel are VS Code's own, and the ticks of Refactor Preview have no name.
  const judgePanel = () =>
    accessibility.judge(code.page, '.part.panel > .content', { but: ['checkbox'], theirs: true });
  const rows = async () => {
    await code.forgeRows();
    for (const row of await judge('.part.sidebar .monaco-list')) seen.add(row);
  };

  await step('the check fails for a row without a name, without a state, and with code', () => {
    const row = (name) => ({ role: 'treeitem', name });
    assert.deepEqual(
      [row(''), row('text/text.go'), row('line 1, func Twice'), row('line 1, pending')].map(
        (one) => accessibility.faults([one]).length,
      ),
      [1, 1, 1, 0],
    );
  });

  await step('the walkthrough and the empty view', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openForge();
    await wire.request('server', 'initialized');
    await judge('.part.sidebar .welcome-view');
    await judge('.part.sidebar .composite.title');
    await code.command('Forge: Get Started');
    await code.page.locator('.getting-started-step').first().waitFor();
    await judge('.part.editor .gettingStartedDetailsContent');
  });

  await step('a run that is blocked, its notification, and an answer', async () => {
    await code.openFile('text/text.go');
    await code.command('Forge: Ask…');
    await code.field('what do you want to know?').waitFor();
    await judge('.quick-input-widget'); // the run box
    await code.answerInput('what do you want to know?', question);
    await nextQuestion(stage, 'trust');
    await code.spokenRow('question, ').waitFor();
    await rows();
    await answerTrust(stage);
    await wire.event('run.ended');
    await code.toast(question).waitFor();
    const buttons = await judge('.notifications-toasts');
    assert.ok(buttons.includes('Resume'), buttons.join(' | '));
    await code.openForge();
    await rows();
    await code.pressRowButton(question, 'Resume', () => code.spokenRow(`${question}, succeeded`).waitFor());
    await rows();
  });

  await step('a run with its question, nodes, attempts, gates, findings and tokens', async () => {
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.commandWith('Forge: Run…', 'what should change?', task);
    const { runId } = await wire.command('forge.run', { after });
    await wire.event('ask', (event) => event.runId === runId && event.data.kind === 'trust').then(({ data }) => code.pressToast(data.title, approval(data).title)); // prettier-ignore
    const ask = await nextQuestion(stage, 'approve', runId);
    await code.spokenRow('question, ').waitFor();
    await rows();
    await code.pressToast(ask.title, approval(ask).title);
    await wire.event('node', ({ data }) => data.status === 'RUNNING' && data.id === 'executor');
    await judge('.part.sidebar .monaco-list');
    const bar = await judge('.part.statusbar');
    assert.ok(
      bar.some((item) => item.startsWith('Forge: ')),
      bar.join(' | '),
    );
    const ended = await wire.event('run.ended', (event) => event.runId === runId);
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await code.spokenRow(`${task}, succeeded`).waitFor();
    await code.toggleRow('review, done', 'go vet', 'visible');
    await code.toggleRow('attempt 1, not passed', 'TestTwice', 'visible');
    await rows();
    await code.screenshot('1-rows');
  });

  await step('the proposal: its rows, its lenses, and its decided hunks', async () => {
    await changes.lens('Reject with a Note…').waitFor();
    const lenses = await judge('.part.editor');
    assert.ok(lenses.some((lens) => lens.endsWith('Accept')), lenses.join(' | ')); // prettier-ignore
    const after = wire.length;
    await code.pressRowButton('text/twice_test.go', 'Accept', () => wire.command('forge.proposal.apply', { after }));
    await code.spokenRow('text/twice_test.go, create').filter({ hasText: 'accepted' }).waitFor();
    await code.toast('not saved yet').waitFor();
    await code.closeToast('not saved yet');
    await code.forgeRows(); // come to rest: rows that move cannot be clicked
    await code.pressRowButton(/^line 1/, 'Reject', () => wire.command('forge.proposal.reject', { after }));
    await code.spokenRow('line 1, rejected').waitFor();
    await rows();
  });

  await step('a plan waits, older runs are folded, and the gates of the folder have run', async () => {
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.commandWith('Forge: Run with a Plan…', 'part by part?', planned);
    const { runId } = await wire.command('forge.run', { after });
    await nextQuestion(stage, 'approve', runId);
    await code.spokenRow('question, ').waitFor();
    await rows();
    await code.command('Forge: Cancel Run');
    await wire.event('run.ended', (event) => event.runId === runId);
    await code.command('Forge: Validate Folder');
    await wire.command('forge.validate', { after });
    await code.spokenRow('Gates of the folder').waitFor();
    await code.toggleRow('Older runs', question, 'visible');
    await rows();
    await code.screenshot('2-all');
  });

  await step('the panel: Refactor Preview, and the findings of a review', async () => {
    await code.command('Forge: Show Proposal in Refactor Preview');
    await preview.rows();
    await judgePanel();
    await preview.discard();
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.command('Forge: Review Selection or File');
    await wire.command('forge.review', { after });
    await code.toast('1 issue').waitFor();
    await judge('.notifications-toasts');
    await code.pressToast('1 issue', 'Show Problems');
    await code.page.locator('.part.panel .monaco-list-row').filter({ hasText: 'shouts too' }).first().waitFor();
    const panel = await judgePanel();
    assert.ok(panel.some((name) => name.includes('An empty string shouts too.')), panel.join(' | ')); // prettier-ignore
    await code.screenshot('3-panel');
  });

  await step('rows of every kind were among them', () => {
    const all = [...seen].join('\n');
    for (const kind of [
      /^question, .*waiting for an answer$/m,
      /^answer: /m,
      /^Proposal: .*pending$/m,
      /^text\/twice_test\.go, create, \d+ lines added, 0 removed, accepted$/m,
      /^line 1, rejected/m,
      /^(Checked|Not checked)/m,
      /, blocked/m,
      /, succeeded/m,
      /, cancelled/m,
      /^executor, (running|done)/m,
      /^attempt 1, not passed/m,
      /^go vet, pass/m,
      /^error, .*TestTwice/m,
      /^Tokens, /m,
      /^Answer, open it$/m,
      /^Older runs, 2$/m,
      /^Gates of the folder, /m,
    ])
      assert.match(all, kind);
  });
}

module.exports = { name, script, play };
