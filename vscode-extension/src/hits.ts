// The rows of a search and the text of a context. Independent of VS Code, for unit tests.
import type { ContextResult, Range, SearchResult } from './protocol_gen';
import { count, line, noIcons, thousands, visible } from './text';

/** A row of the list of hits, and where it leads. */
export interface HitRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly uri: string;
  readonly range: Range | undefined;
}

/** Files first, then definitions; each with the reason it is there. */
export function hitRows({ hits, symbols }: SearchResult): HitRow[] {
  return [
    ...hits.map(({ uri, path, range, why, lines }) => ({
      label: `$(file) ${plain(path)}${range ? `:${range.start.line + 1}` : ''}`,
      description: plain(why),
      detail: lines.map(({ text }) => plain(text)).join(' ⋯ '),
      uri,
      range,
    })),
    ...symbols.map(({ uri, path, name, kind, detail, range }) => ({
      label: `$(symbol-misc) ${plain(name)}`,
      description: `${plain(kind)} in ${plain(path)}:${range.start.line + 1}`,
      detail: plain(detail ?? ''),
      uri,
      range,
    })),
  ];
}

function plain(text: string): string {
  return noIcons(line(text));
}

/** The title of the list. */
export function searchTitle({ hits, complete }: SearchResult): string {
  const found = count(hits.length, 'file');
  return complete ? found : `${found} so far; Forge is still indexing the folder`;
}

/** Every section with its tokens and its text. */
export function contextText({ complete, tokens, budget, sections, left }: ContextResult, request: string): string {
  const parts = sections.map(({ name, path, how, tokens, text }) => {
    const what = path ? `${line(path)}: ${line(name)}, ${how}` : line(name);
    return `== ${what}, ${thousands(tokens)} tokens ==\n\n${visible(text).trimEnd()}\n`;
  });
  const about = request ? ` for "${line(request)}"` : '';
  return [
    `What a model would see${about}: ${thousands(tokens)} of ${thousands(budget)} tokens\n`,
    ...(complete ? [] : ['Forge is still indexing the folder: there may be more.\n']),
    ...parts,
    ...(left.length > 0 ? [`== did not fit ==\n\n${left.map((path) => line(path)).join('\n')}\n`] : []),
  ].join('\n');
}
