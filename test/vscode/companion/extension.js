// What some scenarios need of VS Code itself: a model, and another theme while a list is open.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

// The chat view sends no request to a participant before there is a model, and Forge's participant does not use it: if it were asked, it
// would fail.
const information = {
  id: 'unused',
  name: 'Unused',
  family: 'unused',
  version: '1',
  maxInputTokens: 8000,
  maxOutputTokens: 1000,
  isUserSelectable: true,
  capabilities: { toolCalling: true },
};

function offerModel() {
  return vscode.lm.registerLanguageModelChatProvider('test', {
    provideLanguageModelChatInformation: () => [information],
    provideLanguageModelChatResponse: () => Promise.reject(new Error('the model of VS Code is not to be asked')),
    provideTokenCount: (_model, text) => Promise.resolve(String(text).length),
  });
}

// Sets the theme that the file names.
function followTheme(file) {
  fs.watchFile(file, { interval: 100 }, () => {
    if (!fs.existsSync(file)) return; // no other theme is wanted yet
    const theme = fs.readFileSync(file, 'utf8');
    void vscode.workspace.getConfiguration().update('workbench.colorTheme', theme, vscode.ConfigurationTarget.Global);
  });
  return { dispose: () => fs.unwatchFile(file) };
}

exports.activate = async ({ subscriptions, extensionPath }) => {
  subscriptions.push(offerModel(), followTheme(path.join(extensionPath, 'theme')));
  await vscode.lm.selectChatModels({ vendor: 'test' }); // or VS Code looks for models only when it needs one
};
