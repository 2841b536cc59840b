// Texts of the server can contain text of a model or a repository. This file makes them safe to show: no character
// moves or hides others, no link runs a command.

// C0 and C1 controls without tab and newline, bidi marks, embeddings and isolates, zero-width characters, line and
// paragraph separators, tags.
const hidden =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Replaces characters that are invisible or reorder others by their code point in brackets. Keeps newlines. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(hidden, (char) => `[U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`);
}

/** One line of at most `limit` characters, for labels. */
export function line(text: string, limit = 200): string {
  const flat = Array.from(visible(text).replace(/\s+/gu, ' ').trim()); // whole code points
  return flat.length <= limit ? flat.join('') : flat.slice(0, limit - 1).join('') + '…';
}

/** Text for a place where VS Code would draw `$(name)` as an icon, and hide it: `x=$(date)` is code. */
export function noIcons(text: string): string {
  return text.replaceAll('$(', '$ (');
}

/** One line for a notification, where VS Code would turn `[label](target)` into a link. */
export function message(text: string, limit = 400): string {
  return line(text, limit).replaceAll('](', '] (');
}

/**
 * Markdown that fetches nothing when it is shown: fetching an image or an HTML element would leak to its server that the text was
 * read, and whatever a model puts into the address. An invisible word joiner breaks the syntax, also in code.
 */
export function inertMarkdown(text: string): string {
  return visible(text).replaceAll('![', '!\u2060[').replaceAll('<', '<\u2060');
}

/** The last part of a URI or path, decoded if possible. */
export function baseName(uri: string): string {
  const name = uri.split('/').filter(Boolean).at(-1) ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** `1.2M`, `18.4k`, `950`. What rounds to 1000.0k is a million. */
export function thousands(count: number): string {
  if (count >= 999_950) return `${(count / 1_000_000).toFixed(1)}M`;
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}

/** `$0.07`; less than a cent as `$0.004`. */
export function dollars(usd: number): string {
  return `$${usd < 0.01 ? usd.toFixed(3) : usd.toFixed(2)}`;
}

/** A model without its address: `qwen` of `qwen at 127.0.0.1:8080`. */
export function modelName(model: string): string {
  return model.replace(/ at \S+$/, '');
}

/** `0.4 s`, `75 s`. */
export function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
}

/** `1 file`, `2 files`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Joins the non-empty parts with dots. */
export function joined(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}
