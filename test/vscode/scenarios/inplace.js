// Pending changes are in sight where people look: a badge on their files in the Explorer and in tabs, and in the files a lens and a mark at each
// of them. They are decided there, with lenses, keys and buttons, also after typing and a reload.
'use strict';
const assert = require('node:assert/strict');
const { eventually } = require('../lib/eventually');
const { startRun } = require('../lib/startrun');

const name = 'in place';
const script = 'pieces';
const task = 'add Count, Twice and Thrice with tests';
const left = 'Forge 1 of 1: +1 −1 · // Package text has small functions on strings and words.';
const badge = 'Forge: 2 changes to decide';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const { page } = code;
  const explorer = (file) => page.locator('.explorer-folders-view .monaco-icon-label').filter({ hasText: file }).first(); // prettier-ignore
  const tab = (file) => page.locator('.part.editor .tab .monaco-icon-label').filter({ hasText: file }).first();
  // The letter that VS Code draws behind a name, and what it says on hover and to a screen reader.
  const badgeOf = (label) =>
    label.evaluate((node) => [node, ...node.querySelectorAll('*')].map((one) => getComputedStyle(one, '::after').content).find((text) => /^"[A-Z]/.test(text)) ?? ''); // prettier-ignore
  const cursor = () => page.locator('.part.statusbar [aria-label^="Ln "]').first().innerText();
  const at = (line) => eventually(`the cursor to be in line ${line}`, async () => (await cursor()).startsWith(`Ln ${line},`)); // prettier-ignore

  await step('a proposal is put aside', async () => {
    await startRun(stage, task);
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await changes.tab(`Forge: ${task} (3 files)`).waitFor();
    await changes.lens('Accept').waitFor(); // it has come to rest, and takes no key that is meant for another file
    await code.spokenRow(`${task}, succeeded`).waitFor();
    await code.forgeRows();
  });

  await step('its files have a badge in the Explorer and in tabs, with a tooltip', async () => {
    await code.openFile('text/text.go');
    await code.command('File: Focus on Files Explorer');
    await explorer('text.go').waitFor();
    await eventually('the badge in the Explorer', async () => (await badgeOf(explorer('text.go'))) === '"F"');
    await eventually('the badge in the tab', async () => (await badgeOf(tab('text.go'))) === '"F"');
    assert.equal(await badgeOf(explorer('runes.go')), '', 'nothing is pending there');
    for (const label of [explorer('text.go'), tab('text.go')]) {
      const spoken = await label.getAttribute('aria-label');
      assert.ok(spoken.endsWith(`text.go • ${badge}`), spoken);
    }
    await code.screenshot('1-badge');
  });

  await step('in the file, each change has a lens, and its lines are marked', async () => {
    await changes.lens('Forge 1 of 2: +1 −1 · // Package text has small functions on strings and words.').waitFor();
    await changes.lens('Forge 2 of 2: +6 · // Twice returns s two times. … 3 more lines').waitFor();
    await code.screenshot('2-in-place');
  });

  await step('keys go to the next and the previous change', async () => {
    await page.locator('.part.editor .view-line').nth(3).click();
    await page.keyboard.press('Alt+F5');
    await at(10);
    await page.keyboard.press('Shift+Alt+F5');
    await at(1);
  });

  await step('typing moves the changes, and the one at the cursor is accepted with a key', async () => {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('// typed\n');
    const after = wire.length;
    await wire.command('forge.proposal.get', { after });
    await page.keyboard.press('Alt+F5');
    await at(11);
    await page.keyboard.press('Control+Alt+y');
    const { files } = await wire.command('forge.proposal.apply', { after });
    assert.deepEqual(files.map(({ state }) => state), ['applied']); // prettier-ignore
    const text = await stage.textIs('text/text.go', /func Thrice/);
    assert.match(text, /^\/\/ Package text has small functions on strings\.\npackage text\n\/\/ typed\n/);
    await changes.lens(left).waitFor();
    await code.screenshot('3-accepted');
  });

  await step('a line that is typed directly above or below a change leaves it in sight', async () => {
    const typed = async (line) => {
      await page.keyboard.type('// mine\n');
      const after = wire.length;
      const { files } = await wire.command('forge.proposal.get', { after });
      const file = files.find(({ path }) => path === 'text/text.go');
      const [hunk] = file.hunks.filter(({ state }) => state === 'pending');
      assert.deepEqual(hunk?.at, { start: line, end: line + 1 });
      await changes.lens(left).waitFor();
    };
    await page.keyboard.press('Control+Home');
    await typed(1);
    await page.keyboard.press('ArrowDown');
    await typed(1);
    await code.screenshot('4-beside');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Delete');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Delete');
    await changes.lens(left).waitFor();
  });

  await step('a change whose lines the user changes is said to be left out, and comes back with them', async () => {
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('/');
    await changes.lens('Forge: 1 change left out, because you changed the same lines').waitFor();
    await eventually('the badge to stay', async () => (await badgeOf(tab('text.go'))) === '"F"');
    await code.screenshot('5-left-out');
    await page.keyboard.press('Backspace');
    await changes.lens(left).waitFor();
  });

  await step('after a reload what is pending is in sight again', async () => {
    await code.saveAll();
    await stage.reload();
    await eventually('the badge', async () => (await badgeOf(tab('text.go'))) === '"F"'); // nothing was pressed for it
    await code.openFile('text/text.go');
    await changes.lens(left).waitFor();
  });

  await step(
    'the buttons of the editor go to a change and reject what is left of the file; its badge goes',
    async () => {
      const button = (label) => page.locator(`.part.editor .editor-actions [aria-label^="${label}"]`).first();
      await page.locator('.part.editor .view-line').nth(5).click();
      await button('Previous Change').click();
      await at(1);
      const after = wire.length;
      await button('Reject Changes of This File').click();
      await wire.command('forge.proposal.reject', { after });
      await changes.lens(left).waitFor({ state: 'hidden' });
      await eventually('the badge to go', async () => (await badgeOf(tab('text.go'))) === '');
      await button('Previous Change').waitFor({ state: 'hidden' });
      await code.screenshot('6-rejected');
    },
  );
}

module.exports = { name, script, play };
