// The pictures of docs/images: screenshots of the scenarios, each in three themes, and one run as an animation.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { settled } = require('./eventually');

const root = path.join(__dirname, '../../..');
const folder = path.join(root, 'docs/images');

// By scenario and screenshot: the name of the picture.
const chosen = {
  'chat view/2-answer': 'chat',
  'first minute/1-walkthrough': 'walkthrough',
  'first minute/5-run-box': 'runbox',
  'first minute/6-thread': 'thread',
  'in place/2-in-place': 'inplace',
  'main job/2-question': 'question',
  'main job/5-findings': 'gates',
  'main job/6-changes': 'proposal',
  'pieces/4-checked': 'applied',
  'plan/4-second-plan': 'plan',
  'plan/5-parts': 'parts',
};

// The frames of the animation, each with the milliseconds that it is shown.
const frames = {
  'main job/0-task': 2500,
  'main job/1-progress': 2000,
  'main job/2-question': 3000,
  'main job/3-first-try': 2500,
  'main job/5-findings': 3500,
  'main job/6-changes': 4500,
  'main job/7-one-of-two': 3500,
  'main job/10-undo': 3000,
  'main job/11-undone': 2500,
};

// The ending of the file, the theme, and the class that VS Code gives its window in it. The first one is what the scenarios run in.
const themes = [
  ['', 'Light 2026', 'vs'],
  ['-dark', 'Dark 2026', 'vs-dark'],
  ['-contrast', 'Default High Contrast', 'hc-black'],
];

const colours = 64; // of a picture: what is on a screen has few, and the files stay small

// Whether a scenario has pictures.
const hasPictures = (scenario) =>
  [...Object.keys(chosen), ...Object.keys(frames)].some((at) => at.startsWith(`${scenario}/`));

// Takes the pictures of one scenario.
class Album {
  #scenario;
  #setTheme;
  #frames = [];

  // setTheme(theme) changes the theme of the window.
  constructor(scenario, setTheme) {
    this.#scenario = scenario;
    this.#setTheme = setTheme;
  }

  // Takes the pictures that a screenshot stands for.
  async take(page, shot) {
    const at = `${this.#scenario}/${shot}`;
    if (chosen[at]) {
      for (const theme of themes) await this.#picture(page, chosen[at], theme);
      await this.#change(page, themes[0]);
    }
    if (frames[at]) this.#frames.push({ png: await still(page), delay: frames[at] });
  }

  // Writes the animation, if this scenario has it.
  finish() {
    const of = Object.keys(frames).filter((at) => at.startsWith(`${this.#scenario}/`));
    if (of.length === 0 || this.#frames.length < of.length) return;
    const images = this.#frames.map(({ png }) => decoded(png));
    write('run.png', images, this.#frames.map(({ delay }) => delay)); // prettier-ignore
  }

  async #picture(page, name, theme) {
    await this.#change(page, theme);
    write(`${name}${theme[0]}.png`, [decoded(await still(page))]);
  }

  async #change(page, [, theme, mark]) {
    this.#setTheme(theme);
    await page.locator(`.monaco-workbench.${mark}`).waitFor();
  }
}

// The page once it has come to rest. The mouse is over a notification, which stays for as long, or over an empty place of the status bar.
async function still(page) {
  const { width, height } = page.viewportSize();
  const toast = await page.locator('.notification-toast').first().boundingBox({ timeout: 100 }).catch(() => null); // prettier-ignore
  if (toast) await page.mouse.move(toast.x + 4, toast.y + 4);
  else await page.mouse.move(width / 2, height - 10);
  await settled(async () => (await page.screenshot({ caret: 'hide' })).toString('base64'), { timeout: 4_000 }).catch(
    () => undefined, // something turns
  );
  return page.screenshot({ caret: 'hide' });
}

// The library is of the extension's development, and only here.
const upng = () => require(path.join(root, 'vscode-extension/node_modules/upng-js'));

function decoded(png) {
  const image = upng().decode(png);
  return { width: image.width, height: image.height, pixels: upng().toRGBA8(image)[0] };
}

function write(name, images, delays) {
  const [{ width, height }] = images;
  const pixels = images.map((image) => image.pixels);
  fs.writeFileSync(path.join(folder, name), Buffer.from(upng().encode(pixels, width, height, colours, delays)));
}

module.exports = { Album, hasPictures };
