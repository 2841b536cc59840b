import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linked } from '../src/links';

const known = ({ path, line }: { path: string; line: number }) =>
  path === 'text/text.go' || path === 'go.mod' ? `file:///w/${path}#L${line}` : undefined;

test('places of known files become links', () => {
  const cases: [string, string][] = [
    ['see text/text.go:7.', 'see [text/text.go:7](file:///w/text/text.go#L7).'],
    ['see `text/text.go:7`', 'see [`text/text.go:7`](file:///w/text/text.go#L7)'],
    ['(text/text.go:7)', '([text/text.go:7](file:///w/text/text.go#L7))'],
    ['[it](text/text.go:7)', '[it](text/text.go:7)'],
    ['in text/text.go:7-9', 'in [text/text.go:7-9](file:///w/text/text.go#L7)'],
    ['text/none.go:7', 'text/none.go:7'],
    ['https://text/text.go:7', 'https://text/text.go:7'],
    ['[text/text.go:7](x)', '[text/text.go:7](x)'],
    ['text/text.go', 'text/text.go'],
  ];
  for (const [text, want] of cases) assert.equal(linked(text, known), want);
});

test('code blocks stay as they are', () => {
  const block = '```\ntext/text.go:7\n```';
  assert.equal(linked(`${block}\ngo.mod:1\n`, known), `${block}\n[go.mod:1](file:///w/go.mod#L1)\n`);
});
