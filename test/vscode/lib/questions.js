// Answering the questions of a run as a person would: by the buttons of their notifications.
'use strict';
const assert = require('node:assert/strict');

// Waits for a question of that kind. A question of trust may come before it: it is answered with yes.
async function nextQuestion({ code, wire }, kind) {
  const { data: first } = await wire.event('ask');
  if (first.kind === kind) return first;
  assert.equal(first.kind, 'trust');
  await code.pressToast(first.title, approval(first).title);
  return (await wire.event('ask', ({ data }) => data.kind === kind)).data;
}

// The answer that goes on: the default is the careful one.
function approval(ask) {
  return (
    ask.choices.find((choice) => choice.id === 'approve') ?? ask.choices.find((choice) => choice.id !== ask.default)
  );
}

module.exports = { nextQuestion, approval };
