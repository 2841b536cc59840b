// Which binary is the server, and what to tell a person when there is none.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { serverPath } from './config';

const binary = process.platform === 'win32' ? 'forge.exe' : 'forge';

/** The setting, else the binary inside the extension, else the first on PATH; undefined when none of them is there. */
export async function findServer(extensionPath: string): Promise<string | undefined> {
  const chosen = serverPath();
  const candidates = chosen ? [chosen] : [join(extensionPath, 'bin', binary), ...onPath()];
  for (const candidate of candidates) {
    if (isAbsolute(candidate) && (await isProgram(candidate))) return candidate;
  }
  return undefined;
}

/** Says that there is no server, and offers the setting that mends it. */
export async function reportMissingServer(): Promise<void> {
  const chosen = serverPath();
  const text = chosen
    ? `Forge: forge.server.path is ${chosen}, which is not the absolute path of a program.`
    : 'Forge: there is no forge binary, neither in the extension nor on PATH. Set forge.server.path to one.';
  const open = 'Open Setting';
  if ((await vscode.window.showErrorMessage(text, open)) === open) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'forge.server.path');
  }
}

function onPath(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, binary));
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not ours to run: the next candidate
  }
}
