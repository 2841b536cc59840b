// Makes links of the places in an answer, such as text/text.go:7, and of the file that a question is about. Pure.
import { baseName } from './text';

// Code blocks stay as they are; in a text a place may be in backquotes.
const block = /^(```|~~~)[^]*?^\1/gm;
const place = /(`?)(?<![\w/.\-[]|\]\()((?:[\w.@-]+\/)*[\w.@-]+\.\w+):(\d+)(?:[-–](\d+))?\1(?![\w/])/g;

/** A place in a text. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

/** The text with each place that `target` knows as a Markdown link. */
export function linked(text: string, target: (place: Place) => string | undefined): string {
  return inProse(text, (prose) =>
    prose.replace(place, (whole: string, _tick: string, path: string, line: string) => {
      const to = target({ path, line: Number(line) });
      return to === undefined ? whole : `[${whole}](${to})`;
    }),
  );
}

/** The text with its file's name as a Markdown link, where it has the whole path of the file. */
export function fileLinked(text: string, path: string, target: string): string {
  return inProse(text, (prose) => prose.replaceAll(path, `[${baseName(path)}](${target})`));
}

function inProse(text: string, change: (prose: string) => string): string {
  let result = '';
  let from = 0;
  for (const { 0: code, index } of text.matchAll(block)) {
    result += change(text.slice(from, index)) + code;
    from = index + code.length;
  }
  return result + change(text.slice(from));
}
