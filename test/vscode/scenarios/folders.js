// Windows that are not one folder: with several, the user says which; with none, or for a text that is in no file, Forge says what to do.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { answerTrust, nextQuestion } = require('../lib/questions');

const script = 'restricted';
const question = 'who shouts?';

const several = {
  name: 'several folders',
  script,
  async play(stage, step) {
    const { code, wire } = stage;
    const other = path.join(stage.folder, 'other');
    const sent = (command) =>
      wire.all().find(({ message }) => message.params?.command === command).message.params.arguments[0];

    await step('a question without a file asks in which folder, and is asked there', async () => {
      fs.cpSync(stage.workspace, other, { recursive: true });
      fs.writeFileSync(path.join(other, 'text/loud.go'), 'package text\n');
      const file = path.join(stage.folder, 'both.code-workspace');
      fs.writeFileSync(file, JSON.stringify({ folders: [{ path: stage.workspace }, { path: other }] }));
      await code.openAt(stage.editor.port, `workspace=${encodeURI(file)}`);
      await code.command('Forge: Ask…');
      await code.input.getByPlaceholder('Forge: in which folder?').waitFor();
      await code.screenshot('1-which');
      await code.pick('other');
      await code.answerInput('what do you want to know', question);
      const { runId } = await wire.command('forge.ask');
      assert.equal(sent('forge.ask').folder, pathToFileURL(other).href);
      await answerTrust(stage);
      await wire.event('answer', (event) => event.runId === runId);
      await code.openForge();
      await code.spokenRow(`${question}, succeeded`).waitFor();
      await code.screenshot('2-answered');
    });

    await step('with a file of a folder in front nothing is asked', async () => {
      const after = wire.length;
      await code.openFile('loud.go');
      await code.commandWith('Forge: Run…', 'what should change?', 'say it louder');
      const { runId } = await wire.command('forge.run', { after });
      const { message } = wire
        .all()
        .slice(after)
        .find((entry) => entry.message.params?.command === 'forge.run');
      assert.equal(message.params.arguments[0].scope.uri, pathToFileURL(path.join(other, 'text/loud.go')).href);
      await nextQuestion(stage, 'trust', runId);
      await code.command('Forge: Cancel Run');
      await wire.event('run.ended', (event) => event.runId === runId);
    });

    await step('an undo for which no folder is picked does nothing', async () => {
      const after = wire.length;
      const which = code.input.getByPlaceholder('Forge: in which folder?');
      await code.command('Forge: Undo Last Run');
      await which.waitFor();
      await code.page.keyboard.press('Escape');
      await which.waitFor({ state: 'hidden' });
      await code.command('Forge: Undo Last Run');
      await which.waitFor();
      await code.pick('other');
      await code.toast('nothing to undo').waitFor();
      const sent = wire.all().slice(after).filter(({ message }) => message.params?.command === 'forge.undo'); // prettier-ignore
      assert.deepEqual(
        sent.map(({ message }) => message.params.arguments[0].folder),
        [pathToFileURL(other).href],
      );
    });
  },
};

const none = {
  name: 'no folder',
  async play(stage, step) {
    const { code, wire } = stage;

    await step('a window without a folder says that it needs one', async () => {
      await code.openAt(stage.editor.port, 'ew=true');
      await code.command('Forge: Run…');
      assert.deepEqual(await code.toastButtons('Forge works on a folder, and this window has none.'), ['Open Folder…']);
      await code.screenshot('1-none');
      assert.equal(wire.length, 0, 'no server is started for that');
    });

    await step('a selection in a text that is in no file says that it is to be saved', async () => {
      await code.open(stage.editor.port, stage.workspace);
      await code.command('New Untitled Text File');
      await code.activeTab('Untitled-1');
      await code.page.keyboard.type('func Whisper() {}');
      await code.page.keyboard.press('Control+A');
      await code.command('Forge: Run…');
      assert.deepEqual(await code.toastButtons('this text is in no file yet.'), ['Save As…']);
      await code.screenshot('2-untitled');
    });
  },
};

module.exports = [several, none];
