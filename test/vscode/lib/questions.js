// Answering the questions of a run as a user would: by the buttons of their notifications.
'use strict';

// Every folder is asked about once: may its code run at all?
async function answerTrust(stage) {
  const ask = await nextQuestion(stage, 'trust');
  await stage.code.pressToast(ask.title, approval(ask).title);
}

// Waits for the first question of that kind, of any run or of one.
async function nextQuestion({ wire }, kind, runId) {
  const matches = (event) => event.data.kind === kind && (runId === undefined || event.runId === runId);
  return (await wire.event('ask', matches)).data;
}

// The answer that goes on: the default is the careful one.
function approval(ask) {
  return ask.choices.find((choice) => choice.id !== ask.default);
}

module.exports = { answerTrust, nextQuestion, approval };
