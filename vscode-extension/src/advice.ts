// What the sentence of an error is, and which buttons do what it advises. Pure.

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
const restart: Advice = { title: 'Restart Server', command: 'forge.ui.restart', args: [] };
const output: Advice = { title: 'Show Output', command: 'forge.ui.showOutput', args: [] };

// The first line that matches an error decides.
const table: readonly (readonly [RegExp, readonly Advice[]])[] = [
  [/server (is not running|has ended|ended)|couldn't (start|create) /i, [restart, output]],
  [/\b40[13]\b|API[ _]KEY|\bkey (is|was) (missing|rejected|invalid)|no key|needs a key/i, [key, model]],
  [/no model\b|model .*(not found|does not exist|unknown)|\b404\b/i, [model, key]],
  [/\b(limit|budget)\b|forge\.\w+ (must|setting)/i, [settings]],
];

/** The buttons for an error. */
export function advice(text: string): readonly Advice[] {
  return table.find(([pattern]) => pattern.test(text))?.[1] ?? [];
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
