// Runs inside the extension host: the participant of the chat answers requests. The stream is the test's, because no chat view is
// installed here; everything behind it is real.
'use strict';
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { eventually } = require('../lib/eventually');
const user = require('./user');

// A stream that keeps what is written, and presses the button of each question that goes on, unless `stop` is called for it.
function stream(stop) {
  const written = { text: '', buttons: [], progress: [], press: (title) => press(written, title) };
  const answered = new Set();
  return {
    written,
    markdown: (text) => (written.text += text),
    progress: (text) => written.progress.push(text),
    reference: () => {},
    button: (button) => {
      written.buttons.push(button);
      const [args] = button.arguments ?? [];
      if (button.command !== 'forge.ui.answer' || answered.has(args.askId) || args.choice === 'no') return;
      answered.add(args.askId);
      if (stop && !/trust|Yes/i.test(button.title)) stop();
      else void vscode.commands.executeCommand(button.command, ...button.arguments);
    },
  };
}

function press({ buttons }, title) {
  const button = buttons.find((one) => one.title === title);
  assert.ok(button, `the button ${title} among ${buttons.map((one) => one.title).join(', ')}`);
  return vscode.commands.executeCommand(button.command, ...(button.arguments ?? []));
}

let chat;

// Sends a request, and returns what is written until it ends, with what may be sent next.
async function send({ during = () => undefined, stop, ...request }, earlier = []) {
  const source = new vscode.CancellationTokenSource();
  const to = stream(stop && (() => source.cancel()));
  const responding = chat.respond({ references: [], prompt: '', ...request }, earlier, to, source.token);
  await during(to.written, source);
  const result = await responding;
  assert.equal(result.errorDetails, undefined, result.errorDetails?.message);
  return { ...to.written, next: chat.followups(result).map(({ command, label }) => `/${command} ${label}`) };
}

exports.run = async () => {
  const extension = vscode.extensions.getExtension('forge.forge');
  const [participant] = extension.packageJSON.contributes.chatParticipants;
  assert.equal(participant.name, 'forge');
  const names = participant.commands.map(({ name }) => name);
  assert.deepEqual(names, ['ask', 'run', 'review', 'plan', 'spec']);
  ({ chat } = await extension.activate());

  await asks();
  await reviews();
  await runs();
  await documents();
  await plans();
  await specifies();
  await streams();
  console.log(
    `host: the chat answers; vscode.chat.createChatParticipant is ${typeof vscode.chat?.createChatParticipant}`,
  );
};

async function asks() {
  const first = await send({ prompt: 'who shouts?' });
  assert.match(first.text, /\[text\/text\.go:7\]\(file:\/\/\S+\/text\/text\.go#L7\)/, 'places are links');
  assert.equal(first.text.match(/Shout does/g).length, 1, 'what was streamed is not written again');
  assert.deepEqual(first.next, ['/run Make this change']);
  const earlier = [{ asked: 'who shouts?', answered: first.text }];
  const second = await send({ command: 'ask', prompt: 'and in which file?' }, earlier);
  assert.match(second.text, /^In \[text\/text\.go:7\]/);
}

async function reviews() {
  const review = await send({ command: 'review', references: [{ id: 'file', value: user.fileAt('text/text.go') }] });
  assert.match(review.text, /An empty string becomes an exclamation mark/);
  assert.deepEqual(review.next, ['/run Fix the findings']);
}

// A change: the places that the user attached, the questions, what happens, the proposal and its buttons.
async function runs() {
  const place = new vscode.Location(user.fileAt('text/text.go'), new vscode.Range(5, 0, 8, 0));
  const references = [
    { id: 'place', value: place },
    { id: 'file', value: user.fileAt('text/runes.go') },
  ];
  const run = await send({ command: 'run', prompt: 'add Twice', references });
  assert.match(run.text, /A proposal is ready: 2 files, 2 hunks\. Checked: \d+ gates passed/);
  assert.deepEqual(run.next, ['/ask Explain the change']);
  for (const happened of ['executor', 'review', 'go vet: pass']) assert.ok(run.progress.includes(happened), `${happened} in ${run.progress.join(', ')}`); // prettier-ignore
  await run.press('Show Proposal');
  await user.tab('Forge: add Twice');
  await run.press('Accept Proposal');
  await eventually('the change', async () => /func Twice/.test((await user.textOf('text/twice.go')) ?? ''));
  await vscode.workspace.saveAll();
}

// No compiler runs for a document, and the response names none that passed.
async function documents() {
  const run = await send({ command: 'run', prompt: 'describe the folder in README.md' });
  assert.match(run.text, /A proposal is ready: 1 file, 1 hunk\. .*(not run: .*go test|no gate ran)/);
}

async function plans() {
  const plan = await send({ command: 'plan', prompt: 'add Words and Never', stop: true });
  assert.match(plan.text, /add Words[^]*add Never/);
  assert.match(plan.text, /The run was cancelled/);
  assert.deepEqual(plan.next, ['/ask Explain the change']);
  await plan.press('Edit Plan');
  assert.match(vscode.window.activeTextEditor.document.getText(), /func Words\(s string\) int/);
}

async function specifies() {
  const spec = await send({ command: 'spec', prompt: 'an empty text is not shouted' });
  assert.match(spec.text, /Specification version 1: Shout leaves an empty text alone\./);
  await spec.press('Show Specification');
  assert.match(vscode.window.activeTextEditor.document.getText(), /An empty text is not shouted/);
}

// An answer is there while the model writes it, and its request ends when it is cancelled, or when the server ends.
async function streams() {
  const begun = (written) => eventually('the first line', () => /It begins at \[text/.test(written.text));
  const cancelled = await send({
    prompt: 'what is endless?',
    during: async (written, source) => {
      await begun(written);
      source.cancel();
    },
  });
  assert.match(cancelled.text, /The run was cancelled/);
  const lost = await send({
    prompt: 'what is endless?',
    during: async (written) => {
      await begun(written);
      await user.press('restart');
    },
  });
  assert.match(lost.text, /The run was (cancelled|interrupted)/);
}
