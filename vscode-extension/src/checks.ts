// What was checked of a proposal, in words. Pure.
import type { Gate, Proposal } from './protocol_gen';
import { list } from './runs';
import { count, line } from './text';

/** Whether gates have judged what the user takes of a proposal. */
export interface Checked {
  readonly text: string;
  /** A codicon. */
  readonly icon: string;
  /** The server can check it now. */
  readonly check: boolean;
}

/** The checks of a proposal as one line. */
export function checksText({ checks, unverified }: Proposal): Checked {
  if (checks.state === 'checking') return { text: 'Checking…', icon: 'loading~spin', check: false };
  if (checks.state === 'unchecked') return { text: unchecked[checks.of], icon: 'warning', check: true };
  const gates = list(checks.gates);
  const bad = gates.filter(({ verdict }) => verdict === 'fail' || verdict === 'error');
  const what = { whole: '', part: ' as a part', amended: ' as edited' }[checks.of];
  if (bad.length > 0) return { text: `Not passed${what}: ${names(bad)}`, icon: 'error', check: false };
  const skipped = gates.filter(({ verdict }) => verdict === 'not-run');
  if (unverified) return { text: `Not verified: ${line(unverified, 80)}`, icon: 'warning', check: false };
  if (skipped.length === gates.length)
    return { text: `${unchecked[checks.of]}: no gate ran`, icon: 'warning', check: false };
  const passed = `Checked${what}: ${count(gates.length - skipped.length, 'gate')} passed`;
  const rest = skipped.length > 0 ? `, not run: ${names(skipped)}` : '';
  return { text: passed + rest, icon: 'pass', check: false };
}

const unchecked = {
  whole: 'Not checked',
  part: 'Not checked as a part',
  amended: 'Not checked as edited',
};

function names(gates: readonly Gate[]): string {
  return gates.map(({ name }) => line(name)).join(', ');
}
