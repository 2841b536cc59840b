// A row of the Forge view, as a value: what is shown, and what a click on it does.
import type { Ask, Finding, Select } from './protocol_gen';

/** A codicon and the theme colour it bears. */
export interface Icon {
  readonly name: string;
  readonly color?: string;
}

/** What clicking a row does. */
export type Action =
  | { readonly do: 'answer'; readonly runId: string; readonly askId: string; readonly choice: string }
  | { readonly do: 'showQuestion'; readonly ask: Ask }
  | { readonly do: 'openFinding'; readonly folder: string; readonly finding: Finding }
  | { readonly do: 'showDiff' };

/** A row of the view. `id` stays the same while the run goes on, so that what a person unfolded stays so. */
export interface Row {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon: Icon;
  readonly action?: Action;
  /** For the inline buttons: `run.alive`, `proposal.open`, `file.open`, `hunk.open`, … */
  readonly context?: string;
  /** What an inline button of this row is about. */
  readonly runId?: string;
  readonly proposalId?: string;
  readonly select?: Select;
  readonly children: readonly Row[];
  readonly unfolded?: boolean;
}
