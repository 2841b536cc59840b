// Without the mouse: the view is reached and walked through, a question is answered, a proposal is opened, and its hunks are decided.
'use strict';
const assert = require('node:assert/strict');
const accessibility = require('../lib/accessibility');
const { eventually } = require('../lib/eventually');
const { nextQuestion } = require('../lib/questions');

const name = 'keyboard';
const script = 'six_hunks';
const task = 'add Whisper, Twice, Thrice and Count with tests';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const { page } = code;
  const focused = () => code.view.locator('.monaco-list-row.focused').first().getAttribute('aria-label', { timeout: 5_000 }).catch(() => ''); // prettier-ignore
  // Walks down the rows of the view to one whose name begins so. Rows that are drawn anew at that moment may take the focus back.
  const walkTo = async (beginning) => {
    await code.spokenRow(beginning).waitFor();
    await code.forgeRows(); // come to rest
    await code.command('Forge: Focus on Runs View');
    await page.keyboard.press('Home');
    await eventually(`the row "${beginning}" to have the focus`, async () => {
      if ((await focused())?.startsWith(beginning)) return true;
      await page.keyboard.press('ArrowDown');
      return false;
    }, { every: 150 }); // prettier-ignore
  };

  await step('the check fails for what the keyboard does not reach', () => {
    const button = { role: 'button', name: 'Accept', focusable: true };
    assert.equal(accessibility.unreached([{ ...button, focusable: false }, button]).length, 1);
  });

  await step('a run is started, and its questions are answered from their rows', async () => {
    await code.openAt(stage.editor.port, `folder=${encodeURI(stage.workspace)}`);
    await code.openForge();
    await wire.request('server', 'initialized');
    await page.keyboard.press('Control+Alt+F');
    await code.answerInput('what should change?', task);
    for (const kind of ['trust', 'approve']) {
      const ask = await nextQuestion(stage, kind);
      const choice = ask.choices.find(({ id }) => id !== ask.default);
      const after = wire.length;
      await walkTo(`answer: ${choice.title}`);
      if (kind === 'trust') await code.screenshot('1-question');
      await page.keyboard.press('Enter');
      await wire.command('forge.answer', { after });
    }
    await wire.event('run.ended');
  });

  await step('a file of the proposal is opened, and the focus is in its text', async () => {
    await walkTo('text/text.go');
    await page.keyboard.press('Enter');
    await code.activeTab('text.go (Forge:');
    const inside = () => page.evaluate(() => document.activeElement?.closest('.part.editor .modified') !== null);
    await eventually('the focus in the proposed text', inside);
    for (const part of ['.sidebar > .content', '.sidebar > .title', '.statusbar', '.editor'])
      await accessibility.judgeReach(page, `.part${part}`);
    await code.screenshot('2-opened');
  });

  await step('the lenses of a line are a list', async () => {
    await code.command('Show CodeLens Commands for Current Line');
    for (const lens of ['Accept', 'Reject', 'Reject with a Note…'])
      await code.input.locator('.monaco-list-row').filter({ hasText: lens }).first().waitFor();
    await page.keyboard.press('Escape');
    await code.input.waitFor({ state: 'hidden' });
  });

  await step('the next change is reached, edited and accepted, the one after it rejected', async () => {
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Alt+F5');
    await code.status('Ln 6,').waitFor();
    await page.keyboard.press('End');
    for (let line = 1; line <= 9; line++) await page.keyboard.type(`\n// low ${line}`); // to where the next change was
    await code.status('Ln 15,').waitFor();
    let after = wire.length;
    await page.keyboard.press('Control+Alt+y');
    await wire.command('forge.proposal.apply', { after });
    assert.doesNotMatch(await stage.textIs('text/text.go', /low 9\nfunc Whisper/), /func Twice/);
    await changes.lens('Accept').waitFor();
    await page.keyboard.press('Control+Home');
    after = wire.length;
    await page.keyboard.press('Control+Alt+n');
    await wire.command('forge.proposal.reject', { after });
    await code.spokenRow('line 1, rejected').waitFor();
    assert.doesNotMatch(stage.text('text/text.go'), /and words/);
    await code.screenshot('3-decided');
  });

  await step('all the rest is accepted with one key', async () => {
    await code.spokenRow('Checked as edited').waitFor(); // what is drawn anew at that moment does not hear its key
    await walkTo(`Proposal: ${task}`);
    await page.keyboard.press('Enter');
    await code.activeTab(`Forge: ${task}`);
    const after = wire.length;
    await page.keyboard.press('Control+Alt+Shift+y');
    await wire.command('forge.proposal.apply', { after });
    await stage.textIs('text/text.go', /func Thrice/);
    await stage.textIs('text/count.go', /func Count/);
    await code.screenshot('4-all');
  });
}

module.exports = { name, script, play };
