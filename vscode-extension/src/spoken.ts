// What the models of runs say, as text to look at: each answer under a line that says whose it is.
import type { Delta } from './protocol_gen';

/** Puts deltas together. It knows whose text stood last, and nothing of what was said. */
export class Spoken {
  #last = '';

  /** The text that a delta adds. */
  add(delta: Delta): string {
    const of = `${delta.runId} · ${delta.node} · try ${delta.attempt}${delta.round === undefined ? '' : `, repair ${delta.round}`}`;
    const began = delta.at === 0;
    const title =
      began || of !== this.#last ? `${this.#last === '' ? '' : '\n\n'}── ${of}${began ? '' : ' (goes on)'} ──\n` : '';
    this.#last = of;
    return title + delta.text;
  }
}
