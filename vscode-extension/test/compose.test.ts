import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, fitting, mention, remembered, takes, taskOf } from '../src/compose';

test('the box says what a run takes', () => {
  const how = { mode: '', model: 'openai/gpt-4o', plan: false };
  assert.equal(takes({ ...how, file: 'text/text.go', lines: [6, 9] }), 'on text.go:6–9 · balanced · openai/gpt-4o');
  assert.equal(
    takes({ ...how, file: 'text/text.go', lines: [6, 6], plan: true }),
    'on text.go:6 · balanced · openai/gpt-4o · with a plan',
  );
  assert.equal(takes({ ...how, folder: 'shop', mode: 'heavy', model: '' }), 'in shop · heavy');
});

test('a mention begins with an @ at the end of the text', () => {
  const cases: [string, string | undefined][] = [
    ['', undefined],
    ['move it', undefined],
    ['@', ''],
    ['move it to @te', 'te'],
    ['move it to @text/runes.go ', undefined],
    ['mail me@example', undefined],
    ['@a and @b', 'b'],
  ];
  for (const [text, want] of cases) assert.equal(mention(text), want, text);
});

test('a mention is completed, and sent as the name of the file', () => {
  const text = complete('move it to @ru', 'text/runes.go');
  assert.equal(text, 'move it to @text/runes.go ');
  assert.equal(taskOf(text), 'move it to text/runes.go');
  assert.equal(taskOf('add @Override to a@b.go'), 'add @Override to a@b.go');
});

test('files fit by their name first', () => {
  const paths = ['a/retext.go', 'text/other.go', 'b/text.go', 'z.md'];
  assert.deepEqual(fitting(paths, 'TEXT'), ['b/text.go', 'a/retext.go', 'text/other.go']);
  assert.deepEqual(fitting(paths, 'nothing'), []);
  assert.equal(fitting(paths, '', 2).length, 2);
});

test('what was written is remembered once, the newest first', () => {
  assert.deepEqual(remembered(['b', 'a'], 'a'), ['a', 'b']);
  assert.deepEqual(remembered(['b', 'a'], 'c', 2), ['c', 'b']);
});
