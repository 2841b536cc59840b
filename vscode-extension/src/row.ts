// A row of the Forge view, as a value: what is shown, and what a click on it does.
import type { AnswerArgs, Ask, Finding, Gate, Select } from './protocol_gen';

/** The theme colours of icons. */
export const red = 'testing.iconFailed';
export const green = 'testing.iconPassed';
export const yellow = 'list.warningForeground';
export const grey = 'disabledForeground';

/** A codicon and the theme colour it bears. */
export interface Icon {
  readonly name: string;
  readonly color?: string;
}

/** The label of the choice to write an answer instead. */
export const ownWords = 'Other answer…';

/** The label of the file that a question is about. */
export const editPlan = 'Edit Plan';

/** The action of a click on a row. */
export type Action =
  | { readonly do: 'answer'; readonly answer: AnswerArgs }
  | { readonly do: 'answerInOwnWords'; readonly runId: string; readonly ask: Ask }
  | { readonly do: 'showQuestion'; readonly runId: string; readonly ask: Ask }
  | { readonly do: 'editQuestion'; readonly ask: Ask }
  | { readonly do: 'openFinding'; readonly folder: string; readonly finding: Finding }
  | { readonly do: 'showReport'; readonly gate: Gate }
  | { readonly do: 'showAnswer'; readonly runId: string }
  | { readonly do: 'showLog'; readonly runId: string; readonly node?: string }
  | { readonly do: 'showProposal'; readonly proposalId: string; readonly path?: string; readonly line?: number };

/** A gate, and the URI of the folder that it checks. */
export interface GateOfFolder {
  readonly name: string;
  readonly folder: string;
}

/** A row of the view. `id` stays the same during a run, so that rows stay unfolded. */
export interface Row {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  /** What a screen reader reads; by default the label and the description. */
  readonly spoken?: string;
  readonly icon: Icon;
  readonly action?: Action;
  /** For the buttons and the menu: `run.alive`, `proposal.open`, `file.open`, `hunk.open`, `gate`, … */
  readonly context?: string;
  /** The run that a button of this row acts on. */
  readonly runId?: string;
  readonly proposalId?: string;
  readonly path?: string;
  readonly gate?: GateOfFolder;
  readonly select?: Select;
  readonly children: readonly Row[];
  /** Its children are read from the server when it is unfolded. */
  readonly lazy?: boolean;
  readonly unfolded?: boolean;
}
