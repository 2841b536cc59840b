// A plan that is changed in its file: with an error in it the person is asked again, with the right one it is carried out, is revised
// after its first part, and comes to one proposal.
'use strict';
const assert = require('node:assert/strict');
const { eventually } = require('../lib/eventually');
const { answerTrust, approval, nextQuestion } = require('../lib/questions');

const name = 'planfile';
const script = 'planfile';
const config = 'plan: {sanityEvery: 1}\n';
const task = 'add Twice and Thrice';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const question = (title) => wire.event('ask', ({ data }) => data.title.includes(title)).then(({ data }) => data);
  const text = (ask) => wire.text(ask.file);

  await step('the plan opens in its file', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openForge();
    await wire.request('server', 'initialized');
    await code.openFile('text/text.go');
    await code.commandWith('Forge: Run with a Plan…', 'part by part?', task);
    await answerTrust(stage);
    const ask = await nextQuestion(stage, 'approve');
    await code.pressToast(ask.title, 'Edit');
    await code.activeTab('.plan-1.json');
    await eventually('the plan in the editor', () => text(ask)?.includes('"id": "never"'));
    await code.screenshot('1-file');
  });

  await step('a plan that is half written is not carried out: its line is named', async () => {
    const ask = await question('3 parts in 2 tiers');
    const whole = text(ask);
    await code.retype(whole.slice(0, whole.indexOf('"id": "never"')));
    await code.screenshot('2-half');
    await code.pressToast(ask.title, approval(ask).title); // what is unsaved counts
    const again = await question('Your plan has an error');
    assert.match(again.detail, /\.plan-1\.json:\d+:\d+: error: the file ends here/);
    await code.pressToast(again.title, 'Details');
    await code.markdown('listitem', 'the file ends here');
    await code.screenshot('3-error');
    await code.pressToast(again.title, 'Edit');
    await code.activeTab('.plan-1.json');
    const plan = JSON.parse(whole);
    plan.parts = plan.parts.filter(({ id }) => id !== 'never');
    for (const part of plan.parts) part.doneWhen = part.doneWhen.replace('there', 'documented');
    await code.retype(JSON.stringify(plan, undefined, 2));
    await code.screenshot('4-corrected');
    await code.pressToast(again.title, approval(again).title);
  });

  await step('what is in the file is carried out, and revised after its first part', async () => {
    const ask = await question('Carry on with this revised plan?');
    assert.match(ask.detail, /Many is all of them/);
    await code.pressToast(ask.title, 'Details');
    await code.markdown('cell', 'text/many.go');
    await code.screenshot('5-revised');
    await code.pressToast(ask.title, approval(ask).title);
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await code.forgeRow('succeeded').waitFor();
    const rows = (await code.forgeRows()).map((row) => row.text);
    for (const row of ['twice done · add Twice', 'many done · add Many'])
      assert.ok(
        rows.some((found) => found.startsWith(row)),
        `no row "${row}" in:\n${rows.join('\n')}`,
      );
    assert.ok(!rows.some((found) => /never|thrice/.test(found)), rows.join('\n'));
    await code.screenshot('6-done');
  });

  await step('and comes to one proposal', async () => {
    await changes.tab(`Forge: ${task} (4 files)`).waitFor();
    await changes.press('Accept All (4 hunks)');
    await stage.textIs('text/many.go', /func Many\(/);
    await stage.textIs('text/twice.go', /func Twice\(/);
    assert.equal(stage.text('text/thrice.go'), undefined);
    await changes.tab(`Forge: ${task}`).waitFor({ state: 'hidden' });
    await code.screenshot('7-accepted');
  });
}

module.exports = { name, script, config, play };
