import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseName, count, inertMarkdown, line, message, seconds, thousands, visible } from '../src/text';

const cases: [name: string, got: string, want: string][] = [
  ['escape sequences show', visible('\u001b[31mred'), '[U+001B][31mred'],
  ['reordering shows', visible('a\u202eb\u2066c'), 'a[U+202E]b[U+2066]c'],
  ['zero width shows', visible('a\u200bb\ufeff'), 'a[U+200B]b[U+FEFF]'],
  ['tags beyond the first plane show', visible('a\u{e0041}'), 'a[U+E0041]'],
  ['tabs and newlines stay', visible('a\tb\r\nc\n'), 'a\tb\nc\n'],
  [
    'images of Markdown are none',
    inertMarkdown('[![a](https://b/c)](d) \u2060'),
    '[!\u2060[a](https://b/c)](d) [U+2060]',
  ],
  [
    'elements of HTML are none',
    inertMarkdown('<img src="https://b/c"> a < b'),
    '<\u2060img src="https://b/c"> a <\u2060 b',
  ],
  ['other Markdown stays', inertMarkdown('# a\n\n| b | [c](d) |\n> e'), '# a\n\n| b | [c](d) |\n> e'],
  ['letters of all scripts stay', visible('naïve 日本 שלום 😀'), 'naïve 日本 שלום 😀'],
  ['a label is one line', line('  a\n\n b\t c '), 'a b c'],
  ['a label is cut between characters', line('😀😀😀', 2), '😀…'],
  ['a label of just the limit is not cut', line('abc', 3), 'abc'],
  ['no link in a notification', message('see [here](command:x)'), 'see [here] (command:x)'],
  ['base name of a URI', baseName('file:///w/a%20b.go'), 'a b.go'],
  ['base name that cannot be decoded', baseName('file:///w/100%.go'), '100%.go'],
  ['small number', thousands(950), '950'],
  ['large number', thousands(18_444), '18.4k'],
  ['just below a million', thousands(999_960), '1.0M'],
  ['the last thousands', thousands(999_949), '999.9k'],
  ['short time', seconds(380), '0.4 s'],
  ['long time', seconds(75_400), '75 s'],
  ['one', count(1, 'file'), '1 file'],
  ['none', count(0, 'file'), '0 files'],
];

for (const [name, got, want] of cases) {
  test(name, () => {
    assert.equal(got, want);
  });
}
