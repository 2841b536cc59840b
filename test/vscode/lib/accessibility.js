// What a screen reader gets of a part of the window: the nodes of Chromium's accessibility tree.
'use strict';
const assert = require('node:assert/strict');
const { eventually, settled } = require('./eventually');

// Roles whose nodes the user acts on.
const interactive = ['button', 'checkbox', 'link', 'listitem', 'menuitem', 'option', 'tab', 'textbox', 'treeitem'];

// The nodes of the user's interest below the first element that matches `selector`, as {role, name, expanded, focusable}.
async function spoken(page, selector) {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('Accessibility.enable');
    const { root } = await session.send('DOM.getDocument', { depth: 0 });
    const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector });
    if (nodeId === 0) throw new Error(`there is no ${selector} on the screen`);
    const { nodes } = await session.send('Accessibility.queryAXTree', { nodeId });
    return nodes.filter(({ ignored, role }) => !ignored && interactive.includes(role?.value)).map(plain);
  } finally {
    await session.detach();
  }
}

function plain({ role, name, properties = [] }) {
  const property = (wanted) => properties.find((one) => one.name === wanted)?.value.value;
  return {
    role: role.value,
    name: (name?.value ?? '').replace(/, has actions$/, '').trim(),
    expanded: property('expanded'),
    focusable: property('focusable') ?? false,
  };
}

// Rows have no focus of their own: their list has it.
const rows = ['listitem', 'menuitem', 'option', 'row', 'treeitem'];

// Lenses have none either: keys, and a command of VS Code, stand for those of a line. Their names begin with an icon.
const isLens = ({ name }) => /^\p{Co}/u.test(name);

// What is wrong with nodes: one line for each that has no name, and for each row that has no state behind its name.
function faults(nodes) {
  return nodes.flatMap((node) => {
    if (!node.name) return [`a ${node.role} has no name`];
    if (node.role === 'treeitem' && !/\S(, |: )\S|^(Not c|C)hecked|^Checking/.test(node.name))
      return [`the row "${node.name}" has no state`];
    if (node.role === 'treeitem' && / · |\$\(|func |return /.test(node.name))
      return [`the row "${node.name}" reads signs or code aloud`];
    return [];
  });
}

// The nodes that the keyboard does not reach, one line for each.
function unreached(nodes) {
  return nodes
    .filter((node) => !node.focusable && !rows.includes(node.role) && !isLens(node))
    .map(({ role, name }) => `the keyboard does not reach the ${role} "${name}"`);
}

// Judges what is below `selector`, of which there must be something, and returns the names. A part of the window has no role itself, so that it
// is its content that is named. `but` are roles to leave out: VS Code reads a text when it is entered. With `theirs` the rows are VS Code's own,
// and need a name only.
async function judge(page, selector, { but = [], theirs = false } = {}) {
  const found = async () => (await spoken(page, selector)).filter(({ role }) => !but.includes(role));
  await eventually(`something to act on in ${selector}`, async () => (await found()).length > 0);
  const nodes = await settled(found);
  const judged = theirs ? nodes.map((node) => ({ ...node, role: node.role.replace('treeitem', 'row') })) : nodes;
  assert.deepEqual(faults(judged), [], selector);
  return nodes.map((node) => node.name);
}

// Judges whether the keyboard reaches what is below `selector`, lists of rows included.
async function judgeReach(page, selector) {
  const nodes = await settled(() => spoken(page, selector));
  assert.ok(nodes.length > 0, selector);
  assert.deepEqual(unreached(nodes), [], selector);
  if (!nodes.some(({ role }) => role === 'treeitem')) return;
  const lists = await page.locator(`${selector} .monaco-list:visible`).all();
  const stops = await Promise.all(lists.map((list) => list.getAttribute('tabindex')));
  assert.ok(stops.length > 0 && stops.every((stop) => stop === '0'), `a list in ${selector} is not reached`);
}

module.exports = { faults, judge, judgeReach, unreached };
