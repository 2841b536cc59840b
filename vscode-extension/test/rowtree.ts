// Rows of a view as tests compare them.
import type { Row } from '../src/row';
import type { Proposal } from '../src/protocol_gen';
import { rows } from '../src/rows';
import type { Run } from '../src/runs';

/** The rows of a view with these runs and proposals. */
export function rowsOf(runs: readonly Run[], proposals: readonly Proposal[] = []): readonly Row[] {
  return rows({ all: runs, proposals, validated: undefined });
}

// The tree as indented text: what a person reads.
export function shown(run: Run, ...proposals: Proposal[]): string[] {
  const lines = (row: Row, depth: number): string[] => [
    `${'  '.repeat(depth)}${row.icon.name} ${row.label}${row.description ? ` (${row.description})` : ''}`,
    ...row.children.flatMap((child) => lines(child, depth + 1)),
  ];
  return rowsOf([run], proposals).flatMap((row) => lines(row, 0));
}

export function all(row: Row): Row[] {
  return [row, ...row.children.flatMap(all)];
}
