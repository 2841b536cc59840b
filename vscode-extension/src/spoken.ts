// The output of a run's models as text: each answer below a title line with its run and node.
import type { Delta } from './protocol_gen';

/** Joins deltas. It remembers which answer the last text belongs to, not the text. */
export class Spoken {
  #last = '';

  /** Returns the text that a delta adds. */
  add(delta: Delta): string {
    const of = `${delta.runId} · ${delta.node} · attempt ${delta.attempt}${delta.round === undefined ? '' : `, repair ${delta.round}`}`;
    const began = delta.at === 0;
    const title =
      began || of !== this.#last ? `${this.#last === '' ? '' : '\n\n'}── ${of}${began ? '' : ' (continued)'} ──\n` : '';
    this.#last = of;
    return title + delta.text;
  }
}
