// An input box that loses nothing: it keeps the text that was typed until the next time it is opened.
import * as vscode from 'vscode';

/** The text of a box when it was closed, and whether the user sent it. */
export interface Written {
  readonly text: string;
  readonly sent: boolean;
}

/**
 * Opens a box with a draft in it. It stays open while the user looks at something else.
 *
 * showInputBox is not enough: it returns nothing when it is closed, and reports typed text with a delay.
 */
export function write(title: string, prompt: string, draft: string): Promise<Written> {
  const box = vscode.window.createInputBox();
  box.title = title;
  box.prompt = prompt;
  box.value = draft;
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    let sent = false;
    box.onDidAccept(() => {
      sent = true;
      box.hide();
    });
    box.onDidHide(() => {
      resolve({ text: box.value, sent });
      box.dispose();
    });
    box.show();
  });
}
