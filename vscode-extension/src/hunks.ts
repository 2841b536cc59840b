// The hunks of a proposal by their lines in the proposed text. Pure.
import type { Hunk, Lines, Proposal, ProposalFile, Select } from './protocol_gen';
import { list } from './runs';

/** A hunk that is in the proposed text and about which the user has not decided. */
export type OpenHunk = Hunk & { readonly lines: NonNullable<Hunk['lines']> };

/** The open hunks of a file, in the order of its text. */
export function openHunks(file: ProposalFile): readonly OpenHunk[] {
  const open = (hunk: Hunk): hunk is OpenHunk => hunk.state === 'pending' && hunk.lines !== undefined;
  return list(file.hunks)
    .filter(open)
    .sort((a, b) => a.lines.start - b.lines.start);
}

/** The number of open hunks of a proposal. */
export function openCount({ files }: Proposal): number {
  return list(files)
    .flatMap((file) => list(file.hunks))
    .filter(({ state }) => state === 'pending').length;
}

/** Lines that are selected in the proposed text; empty is a cursor. `end` is the line after the last one. */
export type Selected = Pick<Lines, 'start' | 'end'> & { readonly empty: boolean };

/**
 * What to accept or reject for a selection: its lines, in the text with that digest, or the hunk at the cursor; undefined if no hunk is
 * there.
 */
export function selectAt(
  file: ProposalFile,
  { start, end, empty }: Selected,
  digest: Pick<Lines, 'digest'> = {},
): Select | undefined {
  const hunks = openHunks(file);
  if (!empty) {
    const touched = hunks.some(({ lines }) => lines.start < end && start < Math.max(lines.end, lines.start + 1));
    return touched ? { lines: [{ path: file.path, start, end, ...digest }] } : undefined;
  }
  const at = hunks.find(({ lines }) => lines.start <= start && start < Math.max(lines.end, lines.start + 1));
  return at && { hunks: [at.id] };
}

/** An open hunk, in its file. */
export interface Placed {
  readonly file: ProposalFile;
  readonly hunk: OpenHunk;
}

/**
 * The next or the previous open hunk of a proposal, seen from a line of one of its proposed texts, or from anywhere else; after the
 * last one comes the first one.
 */
export function neighbourOf(
  { files }: Proposal,
  to: 'next' | 'previous',
  from?: { readonly path: string; readonly line: number },
): Placed | undefined {
  const all = list(files).flatMap((file, index) => openHunks(file).map((hunk) => ({ file, hunk, index })));
  const here = from === undefined ? -1 : list(files).findIndex(({ path }) => path === from.path);
  const step = to === 'next' ? 1 : -1;
  const beyond = ({ hunk, index }: { hunk: OpenHunk; index: number }) =>
    from !== undefined && here >= 0 && step * (index - here || hunk.lines.start - from.line) > 0;
  return to === 'next' ? (all.find(beyond) ?? all[0]) : (all.findLast(beyond) ?? all.at(-1));
}
