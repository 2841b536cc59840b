import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advice, remedyOf, saysAll, sentence, type Remedy } from '../src/advice';

const titles = (remedy: Remedy | undefined): string[] => advice(remedy).map(({ title }) => title);

test('a remedy has the buttons that do it', () => {
  assert.deepEqual(titles('key'), ['Set a Key…', 'Choose Model…']);
  assert.deepEqual(titles('model'), ['Choose Model…', 'Set a Key…']);
  assert.deepEqual(titles('limit'), ['Open Settings']);
  assert.deepEqual(titles('trust'), ['Manage Workspace Trust']);
});

test('no button without a remedy, or for one of a newer server', () => {
  assert.deepEqual(titles(undefined), []);
  assert.deepEqual(titles('wait'), []);
  assert.deepEqual(titles('reboot' as Remedy), []);
});

test('the remedy is in the data of an error, and in no text', () => {
  assert.equal(remedyOf(Object.assign(new Error('a model'), { data: { remedy: 'key' } })), 'key');
  assert.equal(remedyOf(new Error('401: no API key')), undefined);
  assert.equal(remedyOf(undefined), undefined);
});

test('a sentence is without the names of arguments and without JSON', () => {
  assert.equal(sentence('task: give one, such as {"task": "add Sum"}\nmore'), 'Give one');
  assert.equal(sentence('nothing was applied'), 'Nothing was applied');
});

test('an error that its message does not show as a whole has its details one click away', () => {
  assert.equal(saysAll('nothing was applied', 380), true);
  assert.equal(saysAll('Nothing was applied\nbecause', 380), false);
  assert.equal(saysAll(`no such file: ${'x'.repeat(400)}`, 380), false, 'it is cut');
});
