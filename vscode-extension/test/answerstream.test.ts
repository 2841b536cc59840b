import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerStream } from '../src/answerstream';

// Takes an answer in pieces, and returns what is shown after each, and at the end.
function shown(pieces: readonly string[], answer: string): string[] {
  const stream = new AnswerStream();
  let at = 0;
  const parts = pieces.map((text) => {
    const part = stream.add({ at, text });
    at += Buffer.byteLength(text);
    return part;
  });
  return [...parts, stream.end(answer)];
}

test('whole lines are shown as they come, and the rest at the end', () => {
  assert.deepEqual(shown(['\nSho', 'ut does.\nSo', ' it is.'], 'Shout does.\nSo it is.'), ['', 'Shout does.\n', '', 'So it is.']); // prettier-ignore
});

test('a block of code is shown once it is whole', () => {
  assert.deepEqual(shown(['See:\n```go\na.go:1\n', '```\n'], 'See:\n```go\na.go:1\n```\n'), ['See:\n', '```go\na.go:1\n```\n', '']); // prettier-ignore
});

test('letters of several bytes do not make pieces look missing', () => {
  assert.deepEqual(shown(['añb\n', 'ß\n'], 'añb\nß\n'), ['añb\n', 'ß\n', '']);
});

test('an answer that differs from what is shown follows as a whole', () => {
  assert.deepEqual(shown(['At a.go:9.\n'], 'At a.go:9 (no such line).\n'), ['At a.go:9.\n', '\n\n---\n\nAt a.go:9 (no such line).\n']); // prettier-ignore
});

test('after a missing piece nothing is shown until the end', () => {
  const stream = new AnswerStream();
  assert.equal(stream.add({ at: 0, text: 'one\n' }), 'one\n');
  assert.equal(stream.add({ at: 8, text: 'three\n' }), '');
  assert.equal(stream.end('one\ntwo\nthree\n'), 'two\nthree\n');
});

test('an answer that begins again is not shown twice', () => {
  const stream = new AnswerStream();
  assert.equal(stream.add({ at: 0, text: 'one\n' }), 'one\n');
  assert.equal(stream.add({ at: 0, text: 'one\ntwo\n' }), 'two\n');
  assert.equal(stream.add({ at: 0, text: 'other\n' }), '');
  assert.equal(stream.end('other\n'), '\n\n---\n\nother\n');
});
