// What the sentence of an error is, and which buttons do what the server says helps. Pure.
import type { ErrorData } from './protocol_gen';

/** What gets the user past an error, as the server names it. */
export type Remedy = ErrorData['remedy'];

/** A button for an error. */
export interface Advice {
  readonly title: string;
  readonly command: string;
  readonly args: readonly unknown[];
}

const key: Advice = { title: 'Set a Key…', command: 'forge.ui.setUp', args: [] };
const model: Advice = { title: 'Choose Model…', command: 'forge.ui.chooseModel', args: [] };
const settings: Advice = {
  title: 'Open Settings',
  command: 'workbench.action.openSettings',
  args: ['@ext:forge.forge'],
};
const trust: Advice = { title: 'Manage Workspace Trust', command: 'workbench.trust.manage', args: [] };

// A run has Resume and Retry anyway, which is all there is to do about task, wait and answer.
const table: Readonly<Record<Remedy, readonly Advice[]>> = {
  key: [key, model],
  model: [model, key],
  limit: [settings],
  trust: [trust],
  task: [],
  wait: [],
  answer: [],
};

/** The buttons for a remedy. One that a newer server names has none. */
export function advice(remedy: Remedy | undefined): readonly Advice[] {
  return (remedy && (table as Partial<typeof table>)[remedy]) ?? [];
}

/** The remedy of an error with which the server answered, if it has one. */
export function remedyOf(error: unknown): Remedy | undefined {
  return (error as { data?: Partial<ErrorData> } | undefined)?.data?.remedy;
}

/** Whether a message of so many characters says all of a text: its sentence leaves nothing out, and is not cut. */
export function saysAll(text: string, limit: number): boolean {
  const said = sentence(text);
  return said.toLowerCase() === text.trim().toLowerCase() && Array.from(said).length <= limit;
}

/**
 * The first sentence of an error, without the name of the argument that it begins with and without examples in JSON. The whole
 * text is in the details.
 */
export function sentence(text: string): string {
  const [first = ''] = text.trim().split('\n');
  const plain = first
    .replace(/^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)*: /, '')
    .replace(/[;,] (give|such as|want)[^;]*\{.*$/, '');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
