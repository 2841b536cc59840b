// Searching the workspace and looking at a context, without a model.
'use strict';
const assert = require('node:assert/strict');
const { eventually } = require('../lib/eventually');

const name = 'search';

async function play(stage, step) {
  const { code, wire } = stage;

  await step('open a file and type what nobody has saved', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openFile('text/text.go');
    await code.prependToFile('// The walrus is not saved.\n');
  });

  await step('a search lists files with the reason, and opens one at its lines', async () => {
    await search(code, 'counts the characters of a string');
    await stage.textIs('text/text.go', /^\/\/ The walrus/); // also what was typed before the server ran
    const row = code.input.locator('.monaco-list-row').filter({ hasText: 'text/runes.go' }).first();
    await row.waitFor();
    await code.screenshot('1-hits');
    await row.click();
    await code.page.locator('.tab.active').filter({ hasText: 'runes.go' }).waitFor();
    assert.match(await code.visibleText(), /Len counts the characters/);
  });

  await step('the result that has the focus is shown behind the list, and Escape goes back', async () => {
    await code.openFile('text/text.go');
    await code.command('View: Close Other Editors in Group');
    const tab = (title) => code.page.locator('.part.editor .tab').filter({ hasText: title });
    await tab('runes.go').waitFor({ state: 'hidden' });
    await search(code, 'counts the characters of a string');
    const row = code.input.locator('.monaco-list-row').filter({ hasText: 'text/runes.go' }).first();
    await row.waitFor();
    const focused = code.input.locator('.monaco-list-row.focused').filter({ hasText: 'text/runes.go' });
    await eventually('the row to have the focus', async () => {
      if ((await focused.count()) > 0) return true;
      await code.page.keyboard.press('ArrowDown');
      return false;
    });
    await code.activeTab('runes.go');
    await code.editor.locator('.view-line').filter({ hasText: 'Len counts the characters' }).first().waitFor();
    assert.ok(await code.input.isVisible());
    await code.screenshot('1b-glance');
    await code.page.keyboard.press('Escape');
    await code.activeTab('text.go');
    await tab('runes.go').waitFor({ state: 'hidden' });
  });

  await step('the menu of an editor has what Forge does there, under its name', async () => {
    const entries = await code.editorMenu('Forge', 'Search Workspace');
    assert.deepEqual(entries.filter(Boolean), [
      ...['Run…', 'Run with a Plan…', 'Ask…', 'Review Selection or File', 'Generate Specification…'],
      ...['Search Workspace', 'Show Context'],
    ]);
    await code.field('what are you looking for').waitFor();
    await code.page.keyboard.press('Escape');
  });

  await step('what is typed and not saved is found', async () => {
    const after = wire.length;
    await search(code, 'walrus');
    const { hits } = await wire.command('forge.search', { after });
    assert.deepEqual(
      hits.map(({ path }) => path),
      ['text/text.go'],
    );
    await code.input.locator('.monaco-list-row').filter({ hasText: 'text/text.go' }).first().waitFor();
    await code.page.keyboard.press('Escape');
  });

  await step('nothing found is said', async () => {
    await search(code, 'zeppelin');
    await code.toast('no results').first().waitFor();
  });

  await step('the context of a request is a document with the tokens of each part', async () => {
    await code.commandWith('Forge: Show Context', 'the context of which request', 'Shout');
    await code.page.locator('.tab.active').filter({ hasText: 'Forge Context' }).waitFor();
    const text = await code.visibleText();
    assert.match(text, /^What a model would see for "Shout": \S+ of 8\.0k tokens/);
    assert.match(text, /== text\/\S+\.go: .*tokens ==/);
    await code.screenshot('2-context');
  });
}

async function search(code, text) {
  await code.commandWith('Forge: Search Workspace', 'what are you looking for', text);
}

module.exports = { name, play };
