// What the run box shows while the user types. Pure: no editor, no server.
import { baseName, joined } from './text';

/** What a run will take besides the text. Lines count from 1. */
export interface Takes {
  readonly file?: string;
  readonly lines?: readonly [first: number, last: number];
  readonly folder?: string;
  readonly mode: string;
  readonly model: string;
  readonly plan: boolean;
}

/** `on text.go:6–9 · balanced · gpt-4o`. */
export function takes({ file, lines, folder, mode, model, plan }: Takes): string {
  const place = lines && (lines[0] === lines[1] ? `:${lines[0]}` : `:${lines[0]}–${lines[1]}`);
  const where = file === undefined ? `in ${folder ?? 'the folder'}` : `on ${baseName(file)}${place ?? ''}`;
  return joined(where, mode || 'balanced', model, plan && 'with a plan');
}

/** The name of a file that the text begins to mention at its end, after an @; undefined if it mentions none. */
export function mention(text: string): string | undefined {
  return /(?:^|\s)@([^\s@]*)$/.exec(text)?.[1];
}

/** The text with the mention at its end completed. */
export function complete(text: string, path: string): string {
  return text.replace(/@[^\s@]*$/, `@${path} `);
}

/** The task that is sent: mentioned files without their @, because a task names files as they are. */
export function taskOf(text: string): string {
  return text.replace(/(^|\s)@(?=[\w.-]+[/.])/g, '$1').trim();
}

/** The files that fit a mention, the best first. */
export function fitting(paths: readonly string[], begun: string, most = 12): string[] {
  const wanted = begun.toLowerCase();
  const rank = (path: string): number => {
    const name = baseName(path).toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted)) return 1;
    return path.toLowerCase().includes(wanted) ? 2 : 3;
  };
  return paths
    .filter((path) => rank(path) < 3)
    .sort((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))
    .slice(0, most);
}

/** The earlier tasks with a new one in front, without repetitions. */
export function remembered(tasks: readonly string[], task: string, most = 30): string[] {
  return [task, ...tasks.filter((one) => one !== task)].slice(0, most);
}
