// The workbench of VS Code as a person uses it: palette, editor, notifications, status bar, the Forge view.
//
// Class names repeat all over the window, so everything is looked for inside its part of it.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { eventually, settled } = require('./eventually');

class Workbench {
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
  }

  // Opens the folder and waits for its files to be listed.
  async open(port, folder) {
    await this.openAt(port, `folder=${encodeURI(folder)}`);
    await this.page.locator('.part.sidebar .explorer-folders-view .monaco-list-row').first().waitFor();
    await this.widenSideBar(120);
  }

  // Opens a window: `workspace=FILE` for several folders, `ew=true` for none.
  async openAt(port, query) {
    await this.page.goto(`http://127.0.0.1:${port}/?${query}`);
    await this.page.locator('.monaco-workbench .part.editor').waitFor();
  }

  // Rows of the Forge view are long; a person would drag the border too.
  async widenSideBar(by) {
    const { x, y, width, height } = await this.view.boundingBox();
    const border = { x: x + width, y: y + height / 2 };
    await this.page.mouse.move(border.x, border.y);
    await this.page.mouse.down();
    await this.page.mouse.move(border.x + by, border.y, { steps: 4 });
    await this.page.mouse.up();
  }

  async screenshot(name) {
    await this.album?.take(this.page, name);
    fs.mkdirSync(this.shots, { recursive: true });
    const file = path.join(this.shots, `${name}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  // ---- quick input ----

  get input() {
    return this.page.locator('.quick-input-widget:visible');
  }

  command(title) {
    return this.choose('F1', title);
  }

  // Runs a command until its effect is seen: VS Code may forget a row that was taken.
  async commandUntil(title, effect) {
    await eventually(`"${title}" to have its effect`, async () => {
      await this.command(title);
      return eventually(title, effect, { timeout: 60_000 }).catch(() => false);
    });
  }

  // Shows the Forge view, which is the only one in its container: the server starts with it. A document of Forge's that takes the focus closes the palette, so
  // the command may have to be given again.
  async openForge() {
    const shown = this.view.locator('.composite.title').filter({ hasText: /forge/i });
    await this.commandUntil('Forge: Focus on Runs View', () => shown.count());
  }

  // Opens a file by its name. VS Code may forget a row that was taken while an editor took the focus, and a document of Forge's may come to the
  // front afterwards: then the file is asked for again.
  async openFile(name) {
    const base = path.basename(name);
    const tab = this.page.locator('.tab.active').filter({ hasText: base });
    await eventually(`a tab of ${name}`, async () => {
      await this.choose('Control+P', name, base);
      const line = this.editor.locator('.view-line').first();
      const shown = async () => (await tab.count()) > 0 && (await line.isVisible());
      return eventually(base, shown, { timeout: 20_000 }).catch(() => false);
    });
  }

  // Opens the list behind `key`, types, and takes the row that shows `label`. Enter takes whichever row has the focus, and
  // the list is filled late and more than once: so wait for the right row to have it, and to keep it. The list closes when a row is taken.
  async choose(key, text, label = text) {
    const row = this.input.locator('.monaco-list-row.focused').filter({ hasText: label });
    for (let attempt = 0; attempt < 12; attempt++) {
      await this.page.keyboard.press(key);
      const field = this.input.locator('input[type="text"]').first();
      // A window that has just been loaded does not hear its keys, and a file that opens closes the list. The keyboard may be elsewhere still.
      const filled = await field.fill(key === 'F1' ? `>${text}` : text, { timeout: 15_000 }).then(
        () => true,
        () => false,
      );
      if (!filled) continue;
      const offered = () => row.count();
      if (await eventually(label, offered, { timeout: 8000 }).catch(() => 0)) {
        await settled(() => this.input.locator('.monaco-list-row.focused').allInnerTexts());
        if (await row.count()) {
          // A document that comes to the front closes the list, also between the look at it and the key.
          const pressed = await field.press('Enter', { timeout: 15_000 }).then(
            () => true,
            () => false,
          );
          const taken = async () => (await row.count()) === 0;
          if (pressed && (await eventually('the list to close', taken, { timeout: 20_000 }).catch(() => false))) return;
        }
      }
      await this.page.keyboard.press('Escape');
    }
    throw new Error(`the list behind ${key} never offered "${label}"`);
  }

  // The field of the input box that asks `prompt`.
  field(prompt) {
    return this.input.filter({ hasText: prompt }).locator('input[type="text"], input[type="password"]').first();
  }

  // Types into the input box that asks `prompt`, and waits until it shows the text: the box is there before it has the keyboard.
  async type(prompt, text) {
    const field = this.field(prompt);
    await field.focus();
    await this.page.keyboard.type(text);
    await this.shows(prompt, text);
  }

  // Takes the row of the list that is open.
  async pick(label) {
    await this.input.locator('.monaco-list-row').filter({ hasText: label }).first().click();
  }

  // Waits until the input box that asks `prompt` has a text in it.
  async shows(prompt, text) {
    await eventually(`"${text}" in the box`, async () => (await this.field(prompt).inputValue()) === text);
  }

  // Runs a command that asks `prompt`, and answers. VS Code may forget a row that was taken, so a command that does not ask runs again.
  async commandWith(title, prompt, text) {
    await eventually(`"${title}" to ask`, async () => {
      await this.command(title);
      const asks = this.field(prompt).waitFor({ timeout: 60_000 });
      return asks.then(
        () => true,
        () => false,
      );
    });
    await this.answerInput(prompt, text);
  }

  // Answers an input box that asks `prompt`.
  async answerInput(prompt, text) {
    await this.type(prompt, text);
    await this.page.keyboard.press('Enter');
    await this.input.filter({ hasText: prompt }).waitFor({ state: 'hidden' });
  }

  // ---- editor ----

  get editor() {
    return this.page.locator('.editor-group-container.active .editor-instance').first();
  }

  // Types at the end of the active file; nothing is saved.
  async appendToFile(text) {
    await this.editor.locator('.view-line').first().click();
    await this.page.keyboard.press('Control+End');
    await this.page.keyboard.type(text);
  }

  // Types at the beginning of the active file.
  async prependToFile(text) {
    await this.editor.locator('.view-line').first().click();
    await this.page.keyboard.press('Control+Home');
    await this.page.keyboard.type(text);
  }

  // Replaces the text of the active file, as pasting does.
  async retype(text) {
    await this.editor.locator('.monaco-editor').first().click();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.insertText(text);
    await this.page.keyboard.press('Control+Shift+End'); // the bracket that VS Code adds
    await this.page.keyboard.press('Delete');
  }

  // What the active editor shows on the screen. Spaces are non-breaking there.
  async visibleText() {
    const lines = await this.editor.locator('.view-lines').first().innerText();
    return lines.replaceAll('\u00a0', ' ');
  }

  // Selects whole lines of the active file, counted from 1.
  async selectLines(first, last) {
    await this.editor.locator('.view-line').first().click();
    await this.page.keyboard.press('Control+Home');
    for (let line = 1; line < first; line++) await this.page.keyboard.press('ArrowDown');
    for (let line = first; line <= last; line++) await this.page.keyboard.press('Shift+ArrowDown');
  }

  // Selects whole lines, opens the menu of code actions there and takes the one with that title; returns the titles. The
  // server may not know the document yet when the menu is first asked for: then again, and the selection too, for what
  // closes the answer "no code actions" closes it as well.
  async codeAction(title, first, last) {
    const menu = this.page.locator('.action-widget:visible').first();
    const entries = menu.locator('.monaco-list-row.action');
    const offered = async () => {
      await this.selectLines(first, last);
      await this.page.keyboard.press('Control+.');
      const shown = () => entries.filter({ hasText: title }).count();
      if (await eventually(title, shown, { timeout: 5000 }).catch(() => 0)) return true;
      await this.page.keyboard.press('Escape');
      return false;
    };
    await eventually(`the code action "${title}"`, offered);
    const titles = (await entries.allInnerTexts()).map((text) => text.trim());
    const wanted = menu.locator('.monaco-list-row.action.focused').filter({ hasText: title });
    for (let step = 0; step < titles.length && !(await wanted.count()); step++)
      await this.page.keyboard.press('ArrowDown');
    await this.page.keyboard.press('Enter');
    return titles;
  }

  // Waits until a Markdown document that is shown has an element of that role with that text.
  async markdown(role, text) {
    const shown = () =>
      Promise.all(
        this.page.frames().map(
          (frame) =>
            frame
              .getByRole(role)
              .filter({ hasText: text })
              .count()
              .catch(() => 0), // a frame that goes
        ),
      );
    await eventually(`"${text}" in a document`, async () => (await shown()).some((count) => count > 0));
  }

  // Presses a link in a Markdown document that is shown.
  async pressMarkdownLink(text) {
    const pressed = async () => {
      for (const frame of this.page.frames()) {
        const link = frame.getByRole('link').filter({ hasText: text }).first();
        const there = await link.count().catch(() => 0); // a frame that goes, as when the text is rendered again
        if (there)
          return await link.click({ timeout: 10_000 }).then(
            () => true,
            () => false,
          );
      }
      return false;
    };
    await eventually(`the link "${text}"`, pressed);
  }

  // Chooses an entry of a submenu in the context menu of the active editor, and returns the entries of that submenu.
  async editorMenu(submenu, entry) {
    const items = this.page.locator('.context-view .action-item .action-label');
    const inSub = this.page.locator('.context-view .monaco-submenu .action-item .action-label');
    await eventually(`the menu "${submenu}" to open`, async () => {
      await this.editor.locator('.view-line').first().click({ button: 'right' });
      await items
        .filter({ hasText: submenu })
        .first()
        .hover({ timeout: 3_000 })
        .catch(() => undefined);
      if (await eventually(entry, () => inSub.filter({ hasText: entry }).count(), { timeout: 3_000 }).catch(() => 0))
        return true;
      await this.page.keyboard.press('Escape');
      return false;
    });
    const all = (await inSub.allInnerTexts()).map((text) => text.trim());
    const wanted = inSub.filter({ hasText: entry }).first();
    await eventually(`the entry "${entry}" to be chosen`, async () => {
      await wanted.click({ timeout: 2_000 }).catch(() => undefined); // a menu that has just opened ignores the mouse
      return !(await wanted.isVisible());
    });
    return all;
  }

  // Saves all files, and waits until none is marked as unsaved. VS Code may forget a command that was taken, so it runs again.
  async saveAll() {
    await eventually('all files to be saved', async () => {
      await this.command('File: Save All Files');
      const saved = this.page.locator('.tab.dirty').first().waitFor({ state: 'hidden', timeout: 30_000 });
      return saved.then(
        () => true,
        () => false,
      );
    });
  }

  async unsavedFiles() {
    return this.page
      .locator('.tab.dirty')
      .evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('data-resource-name')));
  }

  // ---- notifications and progress ----

  toast(text) {
    return this.page.locator('.notifications-toasts .notification-toast').filter({ hasText: text }).first();
  }

  async toastButtons(text) {
    await this.toast(text).waitFor();
    return (await this.toast(text).locator('.monaco-button').allInnerTexts()).map((label) => label.trim());
  }

  async pressToast(text, button) {
    const press = async () => {
      const item = await this.notification(text);
      await item.locator('.monaco-button').filter({ hasText: button }).first().click({ timeout: 10_000 });
      return true;
    };
    await eventually(`the button "${button}" of "${text}"`, () => press().catch(() => false)); // a toast is hidden after a while
  }

  // A notification: its toast, or if VS Code has hidden that after a while, its row in the notification centre.
  async notification(text) {
    const shown = this.toast(text);
    const kept = this.page.locator('.notifications-center .monaco-list-row').filter({ hasText: text }).first();
    await eventually(`the notification "${text}"`, () => shown.isVisible(), { timeout: 30_000 }).catch(async () => {
      await this.command('Notifications: Show Notifications');
      await kept.waitFor();
    });
    return (await shown.isVisible()) ? shown : kept;
  }

  async closeToast(text) {
    await this.toast(text).locator('.codicon-notifications-clear').click();
    await this.toast(text).waitFor({ state: 'hidden' });
  }

  status(text) {
    return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text }).first();
  }

  // The item of Forge in the status bar.
  get forgeStatus() {
    return this.page.locator('.part.statusbar .statusbar-item [aria-label^="Forge: "]');
  }

  // ---- the Forge view ----

  get view() {
    return this.page.locator('.part.sidebar');
  }

  // The rows of the view as "label description", with their depth from 1. Rows below the visible area are not in the page.
  async forgeRows() {
    return settled(() =>
      this.view.locator('.monaco-list-row').evaluateAll((rows) =>
        rows.map((row) => ({
          depth: Number(row.getAttribute('aria-level')),
          text: [...row.querySelectorAll('.label-name, .label-description')]
            .map((part) => part.innerText.trim())
            .join(' '),
        })),
      ),
    );
  }

  // What a screen reader reads of the rows of the view.
  spokenRows() {
    return this.view
      .locator('.monaco-list-row')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
  }

  // Clicks the label of a row, which opens what the row stands for in a tab with that title.
  openRow(beginning, title) {
    const tab = this.page.locator('.tab.active').filter({ hasText: title }).first();
    return this.#clickRow(beginning, tab, 'visible');
  }

  // Answers a question with the row of an answer.
  answerRow(beginning) {
    return this.#clickRow(beginning, this.spokenRow(beginning), 'hidden');
  }

  // Moves the mouse away from the rows: the tooltip of the one on which it rests can cover another one.
  #leaveRows() {
    return this.page.mouse.move(900, 300);
  }

  // An event that draws the tree anew at that very moment swallows the click: then again.
  async #clickRow(beginning, result, state) {
    const click = async () => {
      await this.#leaveRows();
      await this.spokenRow(beginning).locator('.label-name').first().click({ timeout: 5_000 });
      await result.waitFor({ state, timeout: 15_000 });
      return true;
    };
    await eventually(`the row "${beginning}" to be clicked`, () => click().catch(() => false));
  }

  // Closes the tab in front.
  async closeTab() {
    await this.page.locator('.tab.active .tab-actions .action-label').first().click();
  }

  // Waits for a tab in front with that title.
  activeTab(title, options) {
    return this.page.locator('.tab.active').filter({ hasText: title }).first().waitFor(options);
  }

  // A row by the beginning of what a screen reader reads of it: `review, done`.
  spokenRow(beginning) {
    return this.view.locator(`.monaco-list-row[aria-label^="${beginning}"]`).first();
  }

  forgeRow(text) {
    return this.view.locator('.monaco-list-row').filter({ hasText: text }).first();
  }

  // Unfolds or folds a row until a row below it is visible or hidden: a click on its label opens what it stands for. An event
  // that draws the tree anew at that very moment swallows the click.
  async toggleRow(beginning, child, state) {
    const wanted = String(state === 'visible');
    const toggle = async () => {
      await this.#leaveRows();
      const row = this.spokenRow(beginning);
      if ((await row.getAttribute('aria-expanded', { timeout: 2_000 })) !== wanted)
        await row.locator('.monaco-tl-twistie').click({ timeout: 2_000 });
      await this.forgeRow(child).waitFor({ state, timeout: 20_000 });
      return true;
    };
    await eventually(`the row "${child}" to be ${state}`, () => toggle().catch(() => false));
  }

  // Opens the proposal of the last of the older runs, in a tab with that title.
  async openOlderProposal(task, title) {
    await this.toggleRow('Older runs', new RegExp(`^${task}`), 'visible');
    const run = this.spokenRow(`${task}, `);
    const open = async () => {
      await this.#leaveRows();
      await this.forgeRows();
      if ((await run.getAttribute('aria-expanded', { timeout: 2_000 })) !== 'true') {
        await run.locator('.monaco-tl-twistie').click({ timeout: 2_000 });
        await this.forgeRows();
      }
      const proposals = this.view.locator('.monaco-list-row[aria-label^="Proposal, "]'); // of the runs
      await proposals.last().locator('.label-name').click({ timeout: 2_000 });
      await this.activeTab(title, { timeout: 15_000 });
      return true;
    };
    await eventually(`the proposal of "${task}" to be opened`, () => open().catch(() => false));
  }

  // Chooses an entry of the context menu of a row. A menu that has just opened ignores the mouse, and rows that are drawn at that very
  // moment move from under it: then again.
  async rowMenu(text, entry) {
    const item = this.page.locator('.context-view .action-item').filter({ hasText: entry }).first();
    await this.forgeRow(text).waitFor();
    await eventually(`the menu of the row "${text}" to open`, async () => {
      await this.#leaveRows();
      await this.forgeRow(text).click({ button: 'right' });
      if (await eventually(entry, () => item.isVisible(), { timeout: 3_000 }).catch(() => false)) return true;
      await this.page.keyboard.press('Escape');
      return false;
    });
    await eventually(`the entry "${entry}" to be chosen`, async () => {
      await item.click({ timeout: 2_000 }).catch(() => undefined);
      return !(await item.isVisible());
    });
  }

  // Presses an inline button of a row, and returns what `effect` waits for: what the button does. VS Code gives no row to a command whose row
  // it draws anew at that moment; Forge refuses such a press, and says to try again.
  async pressRowButton(text, button, effect) {
    let over = false;
    const waiting = effect().finally(() => (over = true));
    waiting.catch(() => undefined); // it is reported below
    const refused = 'The row has changed meanwhile';
    for (;;) {
      await this.#clickRowButton(text, button);
      await eventually(`"${button}" of "${text}" to do something`, async () => over || this.toast(refused).isVisible());
      if (over) return waiting;
      await this.toast(refused).waitFor({ state: 'hidden' }); // after a while
    }
  }

  // A button is there only while the mouse is, and gone for a moment whenever an event draws the tree anew: then the mouse comes again.
  async #clickRowButton(text, button) {
    await this.forgeRows();
    const label = `.actions .action-label[aria-label^="${button}"]`;
    const click = async () => {
      await this.#leaveRows();
      await this.forgeRow(text).hover({ timeout: 2_000 });
      const found = this.forgeRow(text).locator(label);
      await found.click({ timeout: 2_000, trial: true });
      await found.click({ timeout: 10_000 }); // a busy editor takes seconds for a click, and one that was given up has its effect all the same
      return true;
    };
    await eventually(`the button "${button}" of the row "${text}"`, () => click().catch(() => false));
  }
}

module.exports = { Workbench };
