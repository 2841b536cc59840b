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

/** What to accept or reject for a selection: its lines, or the hunk at the cursor; undefined if no hunk is there. */
export function selectAt(file: ProposalFile, { start, end, empty }: Selected): Select | undefined {
  const hunks = openHunks(file);
  if (!empty) {
    const touched = hunks.some(({ lines }) => lines.start < end && start < Math.max(lines.end, lines.start + 1));
    return touched ? { lines: [{ path: file.path, start, end }] } : undefined;
  }
  const at = hunks.find(({ lines }) => lines.start <= start && start < Math.max(lines.end, lines.start + 1));
  return at && { hunks: [at.id] };
}
