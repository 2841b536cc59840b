// The rows of the view as VS Code knows them: each is one object for as long as its id stays, so that what changes in a row can be drawn
// without the rows around it. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { Row } from './row';

/** A row that VS Code may hold. */
export type Kept = { -readonly [field in keyof Omit<Row, 'children'>]: Row[field] } & {
  children: readonly Kept[];
};

/** What to draw again: these rows with what is below them, or the whole view. */
export type Changed = readonly Kept[] | 'all';

/**
 * The id of a row in VS Code, which decides once per id whether a row is unfolded; a row without children never is. With its first child it
 * is another row.
 */
export function itemId(row: Pick<Row, 'id' | 'lazy'> & { readonly children: readonly unknown[] }): string {
  return row.children.length > 0 || row.lazy ? row.id : `${row.id}/`;
}

/** The rows of one view. */
export class RowTree {
  #roots: readonly Kept[] = [];
  #known = new Map<string, Kept>();

  /** The rows at the top. */
  get roots(): readonly Kept[] {
    return this.#roots;
  }

  /** Takes the rows as they are now, and returns those that differ. VS Code forgets all below a row that it draws again, so they are as few as possible. */
  update(rows: readonly Row[]): Changed {
    const known = new Map<string, Kept>();
    const changed: Kept[] = [];
    const keep = (row: Row): Kept => {
      const children = row.children.map(keep);
      const id = itemId(row);
      const kept = this.#known.get(id);
      const now = { ...row, children };
      known.set(id, kept ?? now);
      if (!kept) return now;
      if (!equal(kept, now)) changed.push(kept);
      return replaced(kept, now);
    };
    const roots = rows.map(keep);
    const all = !same(this.#roots, roots);
    this.#roots = roots;
    this.#known = known;
    return all ? 'all' : changed;
  }
}

// The same object with other fields.
function replaced(kept: Kept, now: Kept): Kept {
  for (const field of Object.keys(kept) as (keyof Kept)[]) if (!(field in now)) Reflect.deleteProperty(kept, field);
  return Object.assign(kept, now);
}

function equal({ children: before, ...own }: Kept, { children: now, ...fields }: Kept): boolean {
  return same(before, now) && isDeepStrictEqual(own, fields);
}

function same(before: readonly Kept[], now: readonly Kept[]): boolean {
  return before.length === now.length && before.every((row, index) => row === now[index]);
}

const gone = () => new Error('The row has changed meanwhile. Please try again.');

/**
 * The row whose button was pressed. A button of a row that VS Code draws at that moment comes without its row, and the target of nothing would
 * be the whole proposal or the last run, which is not what was pressed.
 */
export function pressed<T extends { readonly proposalId?: string }>(row: T | undefined): T {
  if (row?.proposalId === undefined) throw gone();
  return row;
}

/** The same for a row of a run. */
export function pressedRun<T extends { readonly runId?: string | undefined }>(row: T | undefined): T {
  if (row?.runId === undefined) throw gone();
  return row;
}

/**
 * What a command acts on that is in the palette, too: nothing is what is in front. A button of a row comes with an argument, if only an empty
 * one.
 */
export function target<T>(args: readonly (T | null | undefined)[]): T | undefined {
  const [row] = args;
  if (args.length > 0 && (row === undefined || row === null)) throw gone();
  return row ?? undefined;
}
