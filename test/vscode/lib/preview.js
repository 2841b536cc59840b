// Refactor Preview: what VS Code opens for an edit that asks to be confirmed.
'use strict';
const { eventually, settled } = require('./eventually');

class Preview {
  constructor(page) {
    this.page = page;
  }

  get panel() {
    return this.page.locator('.part.panel');
  }

  button(name) {
    return this.panel.locator('.monaco-button').filter({ hasText: name }).first();
  }

  // Waits for the preview and returns its rows: {depth, file, text, ticked}. Only rows of files have `file`, their base
  // name; the rows below them are their hunks.
  async rows() {
    await this.button('Apply').waitFor();
    await this.panel.locator('.monaco-list-row').first().waitFor();
    return settled(() =>
      this.panel.locator('.monaco-list-row').evaluateAll((rows) =>
        rows.map((row) => {
          const box = row.querySelector('.edit-checkbox');
          return {
            depth: Number(row.getAttribute('aria-level')),
            file: row.querySelector('.monaco-icon-label .label-name')?.innerText.trim(),
            text: row.innerText.replace(/\s+/g, ' ').trim(),
            ticked: box ? (box.checked ?? box.getAttribute('aria-checked') === 'true') : undefined,
          };
        }),
      ),
    );
  }

  // The base names of the files the preview shows, or of those that are ticked.
  async files({ ticked } = {}) {
    const files = (await this.rows()).filter((row) => row.file && (ticked === undefined || row.ticked === ticked));
    return files.map((row) => row.file).sort();
  }

  // Gives the preview all the height there is: rows that have no room are not there. The panel is taken back to its size while the
  // preview opens, so this is tried until it holds.
  async grow() {
    const maximize = this.panel.getByRole('button', { name: /^Maximize Panel/ });
    await eventually('the panel to be maximized', async () => {
      if (await maximize.isVisible()) await maximize.click();
      const { large } = await settled(async () => ({ large: !(await maximize.isVisible()) }));
      return large;
    });
  }

  row(file) {
    const name = this.page.locator('.label-name').getByText(file, { exact: true });
    return this.panel.locator('.monaco-list-row').filter({ has: name }).first();
  }

  // Opens the diffs in the editor, and waits until the new side shows `text`. They show what is ticked.
  async open(file, text) {
    await this.row(file).locator('.label-name').click();
    await this.page.locator('.part.editor .modified .view-line').filter({ hasText: text }).first().waitFor();
  }

  // Leaves exactly these files ticked.
  async tickFiles(names) {
    for (const row of (await this.rows()).filter(({ file }) => file)) {
      if (row.ticked === names.includes(row.file)) continue;
      await this.row(row.file).locator('.edit-checkbox').click();
    }
  }

  apply() {
    return this.#close('Apply');
  }

  discard() {
    return this.#close('Discard');
  }

  async #close(button) {
    await this.button(button).click();
    await this.button(button).waitFor({ state: 'hidden' });
  }
}

module.exports = { Preview };
