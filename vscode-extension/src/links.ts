// Makes links of the places in an answer, such as text/text.go:7. Pure.

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
  let result = '';
  let from = 0;
  for (const { 0: code, index } of text.matchAll(block)) {
    result += linkedProse(text.slice(from, index), target) + code;
    from = index + code.length;
  }
  return result + linkedProse(text.slice(from), target);
}

function linkedProse(text: string, target: (place: Place) => string | undefined): string {
  return text.replace(place, (whole: string, _tick: string, path: string, line: string) => {
    const to = target({ path, line: Number(line) });
    return to === undefined ? whole : `[${whole}](${to})`;
  });
}
