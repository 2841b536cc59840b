// Finds the server's binary, and says what to do when it is missing, of another version, or keeps ending.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { serverPath } from './config';
import { settingsWay, Trouble, way } from './trouble';

const binary = process.platform === 'win32' ? 'forge.exe' : 'forge';
const restart = way('Restart Server', 'forge.ui.restart');
const showLog = way('Show Log', 'forge.ui.showOutput');
const openSetting = settingsWay('Open Setting', 'forge.server.path');

/** The setting, else the binary inside the extension, else the first on PATH. Fails with a way out if none exists. */
export async function findServer(extensionPath: string): Promise<string> {
  const chosen = serverPath();
  const candidates = chosen ? [chosen] : [join(extensionPath, 'bin', binary), ...onPath()];
  for (const candidate of candidates) {
    if (isAbsolute(candidate) && (await isProgram(candidate))) return candidate;
  }
  throw new Trouble(
    chosen
      ? `forge.server.path must be the absolute path of a program; it is ${chosen}.`
      : 'no forge binary found in the extension or on PATH. Install Forge, or set forge.server.path.',
    openSetting,
  );
}

/** Fails if the versions of the extension and the server have different first two numbers. A build without a version fits. */
export function checkVersion(extension: string, server: string | undefined): void {
  const [ours, theirs] = [extension, server ?? ''].map((version) => /^v?(\d+\.\d+)\./.exec(version)?.[1]);
  if (theirs === undefined || ours === theirs) return;
  throw new Trouble(
    `the server is version ${server ?? ''}, and the extension needs ${ours ?? extension}. Update Forge, or set forge.server.path to another binary.`,
    openSetting,
  );
}

/** The server ended while it started. */
export function notStarted(path: string, error: unknown): Trouble {
  const why = error instanceof Error ? error.message : String(error);
  return new Trouble(`${path} did not start: ${why}`, restart, showLog);
}

/** A command was sent while no server runs. */
export function notRunning(): Trouble {
  return new Trouble('the server is not running.', restart, showLog);
}

/** Counts the unexpected ends of the server. */
export class Ends {
  #times: number[] = [];

  /** Notes an end, and returns whether it is the fifth within three minutes. */
  tooMany(now = Date.now()): boolean {
    this.#times = [...this.#times.filter((time) => now - time < 180_000), now];
    return this.#times.length >= 5;
  }

  /** The server does not stay alive. */
  trouble(): Trouble {
    this.#times = [];
    return new Trouble('the server ended five times within three minutes.', restart, showLog);
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
