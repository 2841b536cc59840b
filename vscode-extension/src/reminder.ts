// VS Code asks for the lenses of an editor soon after it has opened, and drops that if the user clicks elsewhere before: so it is asked to ask
// again.

/** Calls `again` some times after each start. */
export class Reminder {
  readonly #again: () => void;
  #timers: readonly NodeJS.Timeout[] = [];

  constructor(again: () => void) {
    this.#again = again;
  }

  start(): void {
    this.dispose();
    this.#timers = [500, 2000, 8000].map((delay) => setTimeout(this.#again, delay));
  }

  dispose(): void {
    this.#timers.forEach(clearTimeout);
  }
}
