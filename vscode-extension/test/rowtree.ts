// Rows of a view as tests compare them.
import type { Row } from '../src/row';
import { rows } from '../src/rows';
import type { Run } from '../src/runs';

// The tree as indented text: what a person reads.
export function shown(run: Run): string[] {
  const lines = (row: Row, depth: number): string[] => [
    `${'  '.repeat(depth)}${row.icon.name} ${row.label}${row.description ? ` (${row.description})` : ''}`,
    ...row.children.flatMap((child) => lines(child, depth + 1)),
  ];
  return rows([run]).flatMap((row) => lines(row, 0));
}

export function all(row: Row): Row[] {
  return [row, ...row.children.flatMap(all)];
}
