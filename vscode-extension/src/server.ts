// Finds the server's binary, and reports when it is missing.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { serverPath } from './config';

const binary = process.platform === 'win32' ? 'forge.exe' : 'forge';

/** The setting, else the binary inside the extension, else the first on PATH; undefined if none exists. */
export async function findServer(extensionPath: string): Promise<string | undefined> {
  const chosen = serverPath();
  const candidates = chosen ? [chosen] : [join(extensionPath, 'bin', binary), ...onPath()];
  for (const candidate of candidates) {
    if (isAbsolute(candidate) && (await isProgram(candidate))) return candidate;
  }
  return undefined;
}

/** Reports that the server is missing, and offers the setting that fixes it. */
export async function reportMissingServer(): Promise<void> {
  const chosen = serverPath();
  const text = chosen
    ? `Forge: forge.server.path must be the absolute path of a program; it is ${chosen}.`
    : 'Forge: no forge binary found in the extension or on PATH. Install Forge, or set forge.server.path.';
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
