// An answer while a model writes it: which text can be shown already. Pure.
import type { Delta } from './protocol_gen';

/** Takes an answer in pieces, and returns each line of it once. */
export class AnswerStream {
  #heard = '';
  #bytes = 0;
  #shown = '';

  /** Returns the lines that a piece completes. A block of code is returned whole, so that nothing in it becomes a link. */
  add({ at, text }: Pick<Delta, 'at' | 'text'>): string {
    if (at === 0) this.#heard = '';
    else if (at !== this.#bytes) return ''; // pieces are missing: the whole answer follows
    this.#heard += text;
    this.#bytes = at + Buffer.byteLength(text);
    const all = complete(this.#heard.trimStart());
    if (!all.startsWith(this.#shown)) return ''; // the model has begun again, with other words
    const more = all.slice(this.#shown.length);
    this.#shown = all;
    return more;
  }

  /** Returns what of the whole answer is not shown yet: all of it, below a line, if what is shown is not its beginning. */
  end(answer: string): string {
    return answer.startsWith(this.#shown) ? answer.slice(this.#shown.length) : `\n\n---\n\n${answer}`;
  }
}

// The whole lines of a text, up to a block of code that is still open.
function complete(text: string): string {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1);
  const fences = [...lines.matchAll(/^ *(?:```|~~~)/gmu)];
  const last = fences.at(-1);
  return last && fences.length % 2 === 1 ? lines.slice(0, last.index) : lines;
}
