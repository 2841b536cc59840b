// Whether what the user presses fits: controls that are cut off, that cover each other, or that lie outside of the window.
'use strict';
const assert = require('node:assert/strict');
const { settled } = require('./eventually');

// The controls that are shown below `selector`: their names, their boxes, and how much of each is cut off by what is around it.
function controls(page, selector) {
  return page.locator(selector).evaluateAll((parts) => {
    const visible = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    const found = parts.flatMap((part) => [...part.querySelectorAll('.monaco-button, .action-label, .codelens-decoration a, .statusbar-item-label')]); // prettier-ignore
    return found
      .filter((element) => visible(element) && element.getBoundingClientRect().width > 0)
      .map((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        let cut = 0;
        for (let around = element.parentElement; around; around = around.parentElement) {
          if (getComputedStyle(around).overflowX === 'visible') continue;
          const box = around.getBoundingClientRect();
          cut = Math.max(cut, box.left - left, right - box.right);
        }
        const text = element.scrollWidth - element.clientWidth > 1 && getComputedStyle(element).overflowX !== 'visible';
        return { name: (element.getAttribute('aria-label') || element.innerText).trim(), left, top, right, bottom, cut: Math.round(cut), text }; // prettier-ignore
      });
  });
}

// What is wrong with them, one line for each fault.
function faults(all, { width, height }) {
  const overlap = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  return all.flatMap((one, index) => [
    ...(one.left < -1 || one.top < -1 || one.right > width + 1 || one.bottom > height + 1 ? [`"${one.name}" is outside of the window`] : []), // prettier-ignore
    ...(one.cut > 1 ? [`"${one.name}" is cut off by ${one.cut} px`] : []),
    ...(one.text ? [`the text of "${one.name}" is cut off`] : []),
    ...all.slice(index + 1).filter((other) => overlap(one, other)).map((other) => `"${one.name}" and "${other.name}" cover each other`), // prettier-ignore
  ]);
}

// Whether anything slides or fades; what turns for ever does not count.
function moving(page) {
  const running = (one) => one.playState === 'running' && one.effect?.getComputedTiming().iterations !== Infinity;
  return page.evaluate(`document.getAnimations().some(${running})`);
}

// Judges the controls below `selector`, of which there must be some, once nothing moves, and returns their names.
async function judge(page, selector) {
  const all = await settled(async () => !(await moving(page)) && controls(page, selector));
  assert.ok(all.length > 0, `no control in ${selector}`);
  assert.deepEqual(faults(all, page.viewportSize()), [], selector);
  return all.map(({ name }) => name);
}

module.exports = { faults, judge };
