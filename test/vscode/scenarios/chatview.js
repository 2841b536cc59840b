// The participant in VS Code's own chat view: a question and one that follows it, a link to a line, and a review of the open file.
'use strict';
const assert = require('node:assert/strict');
const { judge } = require('../lib/accessibility');
const { eventually } = require('../lib/eventually');

const name = 'chat view';
const script = 'chat';
const chat = true;

async function play(stage, step) {
  const { code, wire } = stage;
  const view = code.page.locator('.part.auxiliarybar');
  const response = () => view.locator('.interactive-response').last();
  const send = async (text) => {
    await view.locator('.interactive-input-part .monaco-editor').first().click();
    await code.page.keyboard.type(text);
    await view
      .locator('.interactive-input-part .view-line')
      .filter({ hasText: text.split(' ').at(-1) })
      .waitFor();
    await code.page.keyboard.press('Enter');
  };
  // Everything in the view to act on has a name; items of a list in Markdown are not acted on.
  const named = () => judge(code.page, '.part.auxiliarybar > .content', { but: ['textbox', 'listitem'], theirs: true });
  const asked = (command, after) =>
    wire
      .all()
      .slice(after)
      .find(({ message }) => message.params?.command === command).message.params.arguments[0];

  await step('the chat view knows @forge', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openForge();
    await wire.request('server', 'initialized');
    await code.openFile('text/text.go');
    await code.command('Chat: Open Chat');
    await view.getByText('Unused').first().waitFor(); // the model of the window, without which VS Code sends nothing
    const offered = code.page.locator('.suggest-widget .monaco-list-row').filter({ hasText: '@forge' }).first();
    await eventually('@forge in the list', async () => {
      await view.locator('.interactive-input-part .monaco-editor').first().click();
      await code.page.keyboard.press('Control+A'); // a list that closed while it was filled opens again with what is typed anew
      await code.page.keyboard.type('@forge');
      return offered.waitFor({ timeout: 20_000 }).then(
        () => true,
        () => false,
      );
    });
    await code.screenshot('1-offered');
    await code.page.keyboard.press('Escape'); // closes the list
  });

  await step('a question of the run is a button in the response, and the answer has a link to the line', async () => {
    await send(' who shouts?');
    const yes = view.locator('.monaco-button').filter({ hasText: 'Yes, it may read them' }).first();
    await yes.waitFor();
    assert.equal(await code.toast('May a model read').count(), 0, 'the chat view asks, and nothing else');
    const buttons = await named();
    assert.ok(buttons.includes('Yes, it may read them'), buttons.join(' | '));
    await yes.click();
    await wire.event('answer');
    await response().getByText('Shout does, at').waitFor();
    const link = response().locator('a').filter({ hasText: 'text.go:7' }).first();
    await link.waitFor();
    await code.screenshot('2-answer');
    await link.click();
    await code.activeTab('text.go');
    await code.status('Ln 7').waitFor();
  });

  await step('a follow-up is sent with the conversation', async () => {
    const after = wire.length;
    await send('and in which file?');
    const { runId } = await wire.command('forge.ask', { after });
    const [turn] = asked('forge.ask', after).earlier;
    assert.equal(turn.asked, 'who shouts?');
    assert.match(turn.answered, /Shout does/);
    await wire.event('answer', (event) => event.runId === runId);
    await response().locator('a').filter({ hasText: 'text.go:7' }).first().waitFor();
  });

  await step('/review reviews the open file', async () => {
    const after = wire.length;
    await send('/review this file');
    await wire.command('forge.review', { after });
    assert.match(asked('forge.review', after).scope.uri, /text\/text\.go$/);
    await response().getByText('An empty string becomes an exclamation mark.').waitFor();
    await response().locator('a').filter({ hasText: 'text.go:7' }).first().waitFor();
    await named();
    await code.screenshot('3-review');
  });
}

module.exports = { name, script, chat, play };
