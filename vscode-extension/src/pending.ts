// The hunks that the user has not decided about, where they are in the user's own files. Pure.
import { openHunks, type OpenHunk } from './hunks';
import type { Proposal, ProposalFile, Select, Span } from './protocol_gen';
import { list } from './runs';
import { count, line } from './text';

/** A hunk that is pending, in a file as it is now. */
export interface Pending {
  readonly proposalId: string;
  readonly file: ProposalFile;
  readonly hunk: OpenHunk;
  /** The lines of the file that it replaces; empty if it only adds. */
  readonly at: Span;
  /** Which one of the hunks of the file it is, from 1. */
  readonly index: number;
  readonly of: number;
}

/** What is to be decided about in a file. */
export interface InFile {
  /** In the order of its text. */
  readonly placed: readonly Pending[];
  /** How many more have no place, because the user has changed the same lines. */
  readonly lost: number;
}

/** What is to be decided about in each file, by its URI: of the newest of the proposals for it. */
export function pendingFiles(newestFirst: readonly Proposal[]): ReadonlyMap<string, InFile> {
  const files = new Map<string, InFile>();
  for (const proposal of newestFirst.filter(({ state }) => state === 'open')) {
    try {
      for (const [uri, inFile] of filesOf(proposal)) if (!files.has(uri)) files.set(uri, inFile);
    } catch {
      continue; // a server of another version speaks otherwise: the other proposals are in sight
    }
  }
  return files;
}

function filesOf({ proposalId, files }: Proposal): readonly (readonly [string, InFile])[] {
  return list(files).flatMap((file) => {
    const hunks = openHunks(file);
    const open = list(file.hunks).filter(({ state }) => state === 'pending' || state === 'conflict');
    if (open.length === 0 || !/^[a-z][\w+.-]*:/iu.test(file.uri)) return [];
    const placed = hunks.map((hunk, index) => {
      const at = hunk.at ?? { start: 0, end: 0 };
      return { proposalId, file, hunk, at, index: index + 1, of: hunks.length };
    });
    return [[file.uri, { placed, lost: open.length - hunks.length }] as const];
  });
}

/** Lines that are selected in a file; empty is a cursor. `end` is the line after the last one. */
export interface Where extends Span {
  readonly empty: boolean;
}

/** The hunks that are selected, or the one at the cursor; undefined if there is none. `lines` is how many the file has. */
export function selectPending(
  all: readonly Pending[],
  { start, end, empty }: Where,
  lines: number,
): Select | undefined {
  const touched = all.filter(({ at }) => {
    const first = Math.min(at.start, lines - 1);
    return first < end && start < Math.max(at.end, first + 1);
  });
  if (touched.length === 0) return undefined;
  const chosen = empty ? touched.slice(-1) : touched;
  return { hunks: chosen.map(({ hunk }) => hunk.id) };
}

/** The next or the previous hunk, seen from a line of a file, or from anywhere else; after the last one comes the first one. */
export function neighbour(
  files: ReadonlyMap<string, InFile>,
  to: 'next' | 'previous',
  from?: { readonly uri: string; readonly line: number },
): Pending | undefined {
  const all = [...files.values()].flatMap(({ placed }) => placed);
  const [step, end] = to === 'next' ? [1, 0] : [-1, all.length - 1];
  const uris = [...files.keys()];
  const here = from === undefined ? -1 : uris.indexOf(from.uri);
  if (from === undefined || here < 0) return all.at(end);
  const position = ({ file, at }: Pending) => [uris.indexOf(file.uri), at.start] as const;
  const beyond = (one: Pending) => {
    const [file, start] = position(one);
    return step * (file - here || start - from.line) > 0;
  };
  return (to === 'next' ? all.find(beyond) : all.findLast(beyond)) ?? all.at(end);
}

/** "+2 −1". */
export function sizeText({ at, hunk }: Pending): string {
  const adds = hunk.lines.end - hunk.lines.start;
  const removes = at.end - at.start;
  return [adds > 0 && `+${adds}`, removes > 0 && `−${removes}`].filter(Boolean).join(' ');
}

/** The beginning of what a hunk puts into the file, on one line; nothing if it only deletes. */
export function glimpse({ hunk }: Pending): string {
  const texts = hunk.newText.split('\n').filter((text) => text.trim() !== '');
  const [first] = texts;
  if (first === undefined) return '';
  return line(first, 80) + (texts.length > 1 ? ` … ${count(texts.length - 1, 'more line')}` : '');
}

/** A hunk as the lines of a unified diff. */
export function diffText({ hunk }: Pending, before: readonly string[]): string {
  const after = hunk.newText.replace(/\r?\n$/u, '').split('\n');
  return [...before.map((text) => `-${text}`), ...(hunk.newText ? after.map((text) => `+${text}`) : [])].join('\n');
}
