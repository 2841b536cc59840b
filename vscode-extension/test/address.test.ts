import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageOf, sentPlaces, specAddress } from '../src/address';
import { events, started } from './events';

const cases: [name: string, got: unknown, want: unknown][] = [
  ['the specification of the only folder', specAddress(), 'forge://spec/latest'],
  [
    'that of one of several',
    specAddress('file:///w/a b&c'),
    'forge://spec/latest?folder=file%3A%2F%2F%2Fw%2Fa%20b%26c',
  ],
  ['a version is Markdown', languageOf('spec', '/7'), 'markdown'],
  ['the latest, too', languageOf('spec', '/latest'), 'markdown'],
  ['what has changed is a diff', languageOf('spec', '/6..7'), 'diff'],
  ['a prompt is plain', languageOf('prompt', '/0123456789abcdef'), 'plaintext'],
  ['no model was asked', sentPlaces('r1', events('r1', started)), []],
  [
    'each place once, in order',
    sentPlaces(
      'r1',
      events(
        'r1',
        started,
        ['model', { node: 'spec', attempt: 1, round: 0 }],
        ['model', { node: 'executor', attempt: 1, round: 0 }],
        ['model', { node: 'executor', attempt: 1, round: 1 }],
        ['model', { node: 'executor', attempt: 2, round: 0 }],
      ),
    ),
    [
      { label: 'spec, attempt 1', address: 'forge://prompt/r1/spec/1' },
      { label: 'executor, attempt 1', address: 'forge://prompt/r1/executor/1' },
      { label: 'executor, attempt 2', address: 'forge://prompt/r1/executor/2' },
    ],
  ],
];

for (const [name, got, want] of cases) {
  test(name, () => {
    assert.deepEqual(got, want);
  });
}
