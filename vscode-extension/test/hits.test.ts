import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextText, hitRows, searchTitle } from '../src/hits';
import type { ContextSection, SearchResult } from '../src/protocol_gen';

const range = { start: { line: 4, character: 0 }, end: { line: 9, character: 3 } };
const result: SearchResult = {
  folder: 'file:///w',
  complete: true,
  hits: [
    {
      uri: 'file:///w/a.go',
      path: 'a.go',
      score: 2,
      range,
      why: 'its text, changed lately',
      signals: [{ name: 'content', value: 2 }],
      lines: [
        { line: 4, text: '\tfunc $(alert) {' },
        { line: 6, text: 'evil\u202e' },
      ],
    },
    { uri: 'file:///w/b.go', path: 'b.go', score: 1, why: 'its path', signals: [], lines: [] },
  ],
  symbols: [
    { uri: 'file:///w/a.go', path: 'a.go', name: 'Send', kind: 'function', detail: '(n int)', range, score: 1 },
  ],
};

test('hits are rows with the reason and the lines, then definitions', () => {
  assert.deepEqual(
    hitRows(result).map(({ label, description, detail }) => [label, description, detail]),
    [
      ['$(file) a.go:5', 'its text, changed lately', 'func $ (alert) { ⋯ evil[U+202E]'],
      ['$(file) b.go', 'its path', ''],
      ['$(symbol-misc) Send', 'function in a.go:5', '(n int)'],
    ],
  );
});

test('a row leads to its lines, or to its file', () => {
  assert.deepEqual(
    hitRows(result).map((row) => [row.uri, row.range?.start.line]),
    [
      ['file:///w/a.go', 4],
      ['file:///w/b.go', undefined],
      ['file:///w/a.go', 4],
    ],
  );
  assert.deepEqual(hitRows({ ...result, hits: [], symbols: [] }), []);
});

test('an answer that is not complete says so', () => {
  assert.equal(searchTitle(result), '2 files');
  assert.equal(searchTitle({ ...result, complete: false }), '2 files so far; Forge is still indexing the folder');
});

test('a context shows every section with its tokens, and what did not fit', () => {
  const sections: ContextSection[] = [
    { name: 'target', path: 'a.go', uri: 'file:///w/a.go', how: 'full', tokens: 1200, text: 'package a\u200b\n\n' },
    { name: 'map', how: 'map', tokens: 30, text: 'b.go\n' },
  ];
  assert.equal(
    contextText({ folder: 'file:///w', complete: true, tokens: 1230, budget: 8000, sections, left: ['c.go'] }, 'retry'),
    'What a model would see for "retry": 1.2k of 8.0k tokens\n' +
      '\n== a.go: target, full, 1.2k tokens ==\n\npackage a[U+200B]\n' +
      '\n== map, 30 tokens ==\n\nb.go\n' +
      '\n== did not fit ==\n\nc.go\n',
  );
  assert.equal(
    contextText({ folder: 'file:///w', complete: false, tokens: 0, budget: 100, sections: [], left: [] }, ''),
    'What a model would see: 0 of 100 tokens\n\nForge is still indexing the folder: there may be more.\n',
  );
});
