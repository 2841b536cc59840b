// A box for a text of the person's own that loses nothing: what was typed is there again when it is opened next.
import * as vscode from 'vscode';

/** What stood in a box when it was closed, and whether the person sent it. */
export interface Written {
  readonly text: string;
  readonly sent: boolean;
}

/**
 * Opens a box with a draft in it. It stays open while the person looks at something else.
 *
 * showInputBox does not do: it gives nothing back when it is closed, and tells of what is typed a moment later only.
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
