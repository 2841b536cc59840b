// Reads JSON lines {before, edits, after} and answers each with a line {problem}: null when the edits, applied
// by the text documents that language servers in JavaScript use, give `after`, and every position is one
// that an editor can have.
import readline from 'node:readline';
import { TextDocument } from 'vscode-languageserver-textdocument';

/** What is wrong with a position, or null. */
function flaw(document, text, position) {
  const offset = document.offsetAt(position);
  const back = document.positionAt(offset);
  if (back.line !== position.line || back.character !== position.character) return 'is outside of its line';
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  if (before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff) return 'divides a surrogate pair';
  if (before === 13 && after === 10) return 'divides a line break';
  return null;
}

function problem({ before, edits, after }) {
  const document = TextDocument.create('file:///text', 'plaintext', 1, before);
  for (const { range } of edits) {
    for (const position of [range.start, range.end]) {
      const found = flaw(document, before, position);
      if (found) return `position ${position.line}:${position.character} ${found}`;
    }
  }
  try {
    return TextDocument.applyEdits(document, edits) === after ? null : 'the edits give another text';
  } catch (error) {
    return error.message;
  }
}

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(JSON.stringify({ problem: problem(JSON.parse(line)) }) + '\n');
}
