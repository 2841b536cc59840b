// Tests that run inside a real extension host, next to the extension.
'use strict';
const { eventually } = require('./eventually');

// runInHost(stage, file) loads the extension from its folder and runs the exported run() of `file` beside it. Returns the
// lines the tests printed, each of them starting with "host:"; throws when they fail.
async function runInHost(stage, file) {
  const { page, editor, workspace, extension } = stage;
  const printed = [];
  let code;
  let last; // when the tests printed their last line, after which the host ends
  // VS Code calls these two functions of the page; its own tests in browsers end in the same way.
  await page.exposeFunction('codeAutomationLog', (_kind, args) => {
    const line = args.map(String).join(' ');
    if (line.startsWith('host:')) last = Date.now();
    printed.push(line);
  });
  await page.exposeFunction('codeAutomationExit', (result) => {
    stage.closing(last);
    code = result;
  });
  const remote = (place) => `vscode-remote://127.0.0.1:${editor.port}${place}`;
  const payload = JSON.stringify([
    ['extensionDevelopmentPath', remote(extension)],
    ['extensionTestsPath', remote(file)],
    ['skipWelcome', 'true'],
  ]);
  const query = `folder=${encodeURI(workspace)}&payload=${encodeURIComponent(payload)}`;
  await page.goto(`http://127.0.0.1:${editor.port}/?${query}`);
  await eventually('the tests in the extension host to end', () => code !== undefined).catch((error) => {
    throw new Error([error.message, ...printed].join('\n'));
  });
  if (code !== 0) throw new Error(`the tests in the extension host failed:\n${printed.join('\n')}`);
  return printed.filter((line) => line.startsWith('host:'));
}

module.exports = { runInHost };
