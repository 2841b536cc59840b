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

  // The lens with that whole text; `of` counts those that look the same, from the top.
  lens(text, of = 0) {
    const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return this.#lens(new RegExp(`^\\W*${literal}\\W*$`)).nth(of);
  }

  // A lens that moves with its text is drawn anew: then again.
  async press(text, of = 0) {
    const lens = this.lens(text, of);
    await lens.waitFor();
    await eventually(`the lens "${text}" to be pressed`, () =>
      lens.click({ timeout: 2_000 }).then(
        () => true,
        () => false,
      ),
    );
  }

  // A line of a proposed text.
  line(text) {
    return this.page.locator('.part.editor .modified .view-line').filter({ hasText: text }).first();
  }

  // Puts the cursor into a line of a proposed text, at its beginning.
  async goTo(text) {
    await this.line(text).click();
    await this.page.keyboard.press('Home');
  }

  #lens(text) {
    return this.page.locator('.part.editor .codelens-decoration a').filter({ hasText: text });
  }
}

const plain = (text) => text.replace(/^[^\p{L}]*/u, '').trim();

module.exports = { Changes };
