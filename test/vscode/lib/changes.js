// A proposal in VS Code's diff editors: its lenses, its proposed texts.
'use strict';
const { eventually } = require('./eventually');

class Changes {
  constructor(page) {
    this.page = page;
  }

  // The tab of a proposal; of one of its files, `title` begins with the base name.
  tab(title) {
    return this.page.locator('.part.editor .tab').filter({ hasText: title }).first();
  }

  // The lenses as they are shown, without their icons, from top to bottom.
  async lenses() {
    const all = await this.#lens(/./).allInnerTexts();
    return all.map(plain);
  }

  // The lens with that whole text; `of` counts those that look the same, in the order in which they were drawn.
  lens(text, of = 0) {
    return this.#whole(text).nth(of);
  }

  // Presses the uppermost lens with that whole text, once all of them are drawn. One that moves with its text is drawn anew: then again. A click
  // may be heard and end late, on a busy machine: it has time.
  async press(text, all = 1) {
    await eventually(`the lens "${text}" to be pressed`, async () => {
      const lens = await this.#uppermost(this.#whole(text), all);
      return lens?.click({ timeout: 30_000 }).then(
        () => true,
        () => false,
      );
    });
  }

  // undefined if fewer than `least` of them are on the page.
  async #uppermost(lenses, least) {
    const all = await lenses.all();
    const tops = await Promise.all(
      all.map(async (lens) => (await lens.boundingBox({ timeout: 2_000 }).catch(() => null))?.y ?? Infinity),
    );
    if (tops.filter(Number.isFinite).length < least) return undefined;
    return all[tops.indexOf(Math.min(...tops))];
  }

  #whole(text) {
    const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return this.#lens(new RegExp(`^\\W*${literal}\\W*$`));
  }

  // A line of a proposed text.
  line(text) {
    return this.#lines(text).first();
  }

  // Puts the cursor into a line of a proposed text, at its beginning. VS Code keeps editors outside of the window, which may show the line too.
  async goTo(text) {
    await eventually(`"${text}" in the window`, async () => {
      for (const line of await this.#lines(text).all()) {
        const clicked = line.click({ timeout: 2_000 });
        if (await clicked.then(() => true).catch(() => false)) return true;
      }
      return false;
    });
    await this.page.keyboard.press('Home');
  }

  // Waits until the cursor is at that place, `Ln 10, Col 1`, in the editor that shows a text.
  async isAt(place, text) {
    await this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: place }).first().waitFor();
    await this.page
      .locator('.part.editor .monaco-editor.focused .view-line')
      .filter({ hasText: text })
      .first()
      .waitFor();
  }

  #lines(text) {
    return this.page.locator('.part.editor .modified .view-line').filter({ hasText: text });
  }

  #lens(text) {
    return this.page.locator('.part.editor .codelens-decoration a').filter({ hasText: text });
  }
}

const plain = (text) => text.replace(/^[^\p{L}]*/u, '').trim();

module.exports = { Changes };
