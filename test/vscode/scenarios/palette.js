// The commands of the palette that no other scenario presses: each opens what its title says.
'use strict';
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { eventually } = require('../lib/eventually');
const { answerTrust, approval, nextQuestion } = require('../lib/questions');

const name = 'palette';
const script = 'palette';
const task = 'add Twice with a test';
const demand = 'an empty text is not shouted';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const sent = (command, after) =>
    wire
      .all()
      .slice(after)
      .find(({ message }) => message.params?.command === command).message.params.arguments[0];
  const reads = (text) => eventually(`${text} in the editor`, async () => text.test(await code.visibleText()));

  await step('Run This Text runs what was written in an editor of its own', async () => {
    commit(stage.workspace);
    await code.open(stage.editor.port, stage.workspace);
    await code.openForge();
    await wire.request('server', 'initialized');
    await code.openFile('text/text.go');
    await code.command('Forge: Run…');
    await code.type('what should change?', task);
    await code.input.locator('.action-label[aria-label^="Write Several Lines"]').click();
    await reads(/add Twice with a test/);
    await code.screenshot('1-task');
    const after = wire.length;
    await code.command('Forge: Run This Text');
    await wire.command('forge.run', { after });
    assert.equal(sent('forge.run', after).task, task);
    await answerTrust(stage);
    await nextQuestion(stage, 'approve');
  });

  await step('Resume Run resumes the last one, which a reload has cut off', async () => {
    await stage.reload();
    await code.openForge();
    await code.spokenRow(`${task}, interrupted`).waitFor();
    const after = wire.length;
    await code.command('Forge: Resume Run');
    const { runId } = await wire.command('forge.resume', { after });
    const asks = () => wire.all().slice(after).some(({ message }) => message.params?.type === 'ask' && message.params.runId === runId); // prettier-ignore
    await eventually('the question again', asks);
    const ask = await nextQuestion(stage, 'approve', runId);
    await code.pressToast(ask.title, approval(ask).title);
    await code.spokenRow(`${task}, succeeded`).waitFor();
  });

  await step('Show Proposal opens it, and Show Proposal as Patch one text of it', async () => {
    await changes.tab(`Forge: ${task}`).waitFor();
    await code.closeTab();
    await changes.tab(`Forge: ${task}`).waitFor({ state: 'hidden' });
    await code.command('Forge: Show Proposal');
    await changes.tab(`Forge: ${task} (2 files)`).waitFor();
    await code.command('Forge: Show Proposal as Patch');
    await code.activeTab(`Forge ${task}.diff`);
    await reads(/\+func Twice\(s string\) string/);
    await code.screenshot('2-patch');
  });

  await step('Show Log and Show Report of Run open both of the last run', async () => {
    await code.command('Forge: Show Log');
    await code.activeTab('Forge log');
    await reads(/orchestrator/);
    await code.command('Forge: Show Report of Run');
    await reads(/add Twice with a test/);
    await code.screenshot('3-report');
  });

  await step('Show Tasks lists the task of the run, and shows it', async () => {
    await code.command('Forge: Show Tasks');
    await code.pick(task);
    await code.pick('Show');
    await code.activeTab('Forge Task');
    await reads(/add Twice with a test/);
    await code.screenshot('4-task');
  });

  await step('Explore shows what a model would get', async () => {
    await code.command('Forge: Explore…');
    await code.pick('read_file');
    await code.answerInput('Which file?', 'text/text.go');
    await code.activeTab('Forge read_file');
    await reads(/func Shout/);
  });

  await step('Show Prompt shows the first prompt of a node, and one that was sent', async () => {
    await code.command('Forge: Show Prompt…');
    await code.pick('executor');
    await code.answerInput('for which request?', 'add Thrice');
    const { prompt } = await wire.command('forge.context');
    assert.match(prompt.uri, /^forge:\/\/prompt\//);
    await code.activeTab(path.posix.basename(prompt.uri)); // an editor that opens closes a list
    const after = wire.length;
    await code.command('Forge: Show Prompt…');
    await code.pick('a prompt that a run sent');
    await code.pick(task);
    await code.pick('review, attempt 1');
    await wire.request('server', 'workspace/textDocumentContent', { after });
    await code.activeTab('1');
    await code.screenshot('5-prompt');
  });

  await step('Generate Specification writes it, and Show Specification opens it', async () => {
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.commandWith('Forge: Generate Specification…', 'what must hold?', demand);
    const { runId } = await wire.command('forge.spec.generate', { after });
    assert.equal(sent('forge.spec.generate', after).prompt, demand);
    const ask = await nextQuestion(stage, 'approve', runId);
    await code.pressToast(ask.title, approval(ask).title);
    await code.pressToast('specification version 2: Shout leaves an empty text alone.', 'Show');
    await reads(/An empty text is not shouted/);
    await code.closeTab();
    await code.command('Forge: Show Specification');
    await reads(/An empty text is not shouted/);
    await code.screenshot('6-specification');
  });

  await step('Review Uncommitted Changes reviews what git does not have', async () => {
    fs.appendFileSync(stage.file('text/runes.go'), '\nvar Loud = true\n');
    const after = wire.length;
    await code.command('Forge: Review Uncommitted Changes');
    await wire.command('forge.review', { after });
    assert.equal(sent('forge.review', after).scope, undefined);
    await code.toast('1 issue: A variable that nothing reads.').waitFor();
    await code.screenshot('7-review');
  });

  await step('Run This Gate Again runs one gate', async () => {
    await code.command('Forge: Validate Folder');
    await wire.command('forge.validate');
    await code.openForge();
    await code.spokenRow('Gates of the folder').waitFor();
    const after = wire.length;
    await code.pressRowButton('go vet', 'Run This Gate Again', () => wire.command('forge.validate', { after }));
    assert.deepEqual(sent('forge.validate', after).gates, ['go vet']);
    await code.notification('go vet: pass');
    await code.screenshot('8-gate');
  });

  await step('Choose Model offers those that answer, and keeps the choice', async () => {
    await code.command('Forge: Choose Model…');
    await code.input.filter({ hasText: 'which model for all work?' }).waitFor();
    await code.screenshot('9-models');
    await code.pick('scripted');
    await code.notification('scripted is the model for all work.');
    const settings = ['User', 'Machine'].map((place) => `${stage.folder}/state/data/${place}/settings.json`);
    const kept = (file) => /"default": "[^"]*\/scripted"/.test(fs.readFileSync(file, 'utf8'));
    await eventually('the setting', () => settings.some(kept));
  });
}

// Makes the workspace a repository of git, with all of it committed.
function commit(folder) {
  const git = (...args) => execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: folder, stdio: 'ignore' }); // prettier-ignore
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'begin');
}

module.exports = { name, script, play };
