// Runs inside the extension host: the participant of the chat answers requests. The stream is the test's, because no chat view is
// installed here; everything behind it is real.
'use strict';
const assert = require('node:assert/strict');
const vscode = require('vscode');

// A stream that keeps what is written, and presses the first button of a question.
function stream() {
  const written = { text: '', buttons: [], progress: [] };
  return {
    written,
    markdown: (text) => (written.text += text),
    progress: (text) => written.progress.push(text),
    reference: () => {},
    button: (button) => {
      written.buttons.push(button);
      const [args] = button.arguments ?? [];
      if (button.command === 'forge.ui.answer' && args.choice !== 'no')
        void vscode.commands.executeCommand(button.command, ...button.arguments);
    },
  };
}

exports.run = async () => {
  const extension = vscode.extensions.getExtension('forge.forge');
  const [participant] = extension.packageJSON.contributes.chatParticipants;
  assert.equal(participant.name, 'forge');
  const names = participant.commands.map(({ name }) => name);
  assert.deepEqual(names, ['ask', 'run', 'review', 'plan', 'spec']);
  const { chat } = await extension.activate();
  const { token } = new vscode.CancellationTokenSource();
  const send = async (request, earlier = []) => {
    const to = stream();
    const result = await chat.respond({ references: [], prompt: '', ...request }, earlier, to, token);
    assert.equal(result.errorDetails, undefined, result.errorDetails?.message);
    return to.written;
  };

  const first = await send({ prompt: 'who shouts?' });
  assert.match(first.text, /\[text\/text\.go:7\]\(file:\/\/\S+\/text\/text\.go#L7\)/, 'places are links');
  const earlier = [{ asked: 'who shouts?', answered: first.text }];
  const second = await send({ command: 'ask', prompt: 'and in which file?' }, earlier);
  assert.match(second.text, /^In \[text\/text\.go:7\]/);

  const [root] = vscode.workspace.workspaceFolders;
  const file = vscode.Uri.joinPath(root.uri, 'text/text.go');
  const review = await send({ command: 'review', references: [{ id: 'file', value: file }] });
  assert.match(review.text, /An empty string becomes an exclamation mark/);
  const api = typeof vscode.chat?.createChatParticipant;
  console.log(`host: 3 requests answered; vscode.chat.createChatParticipant is ${api}`);
};
