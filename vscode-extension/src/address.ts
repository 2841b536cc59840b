// The addresses of Forge's own documents, whose content the server has: specifications, prompts and reports of runs.
import type { Event } from './protocol_gen';

/** Their scheme. */
export const scheme = 'forge';

/** The latest version of the specification of a folder; without one, of the only folder. */
export function specAddress(folder?: string): string {
  return `${scheme}://spec/latest${folder === undefined ? '' : `?folder=${encodeURIComponent(folder)}`}`;
}

/** The report of a run. */
export function reportAddress(runId: string): string {
  return `${scheme}://run/${runId}`;
}

/** What a document is written in, by the authority and path of its address. */
export function languageOf(authority: string, path: string): 'markdown' | 'diff' | 'plaintext' {
  if (authority === 'run') return 'markdown';
  if (authority !== 'spec') return 'plaintext';
  return path.includes('..') ? 'diff' : 'markdown';
}

/** Where a run has asked models: a node and its attempt, each once, with the address of what was sent there. */
export function sentPlaces(runId: string, events: readonly Event[]): { label: string; address: string }[] {
  const places = new Map<string, string>();
  for (const { type, data } of events) {
    if (type !== 'model') continue;
    const place = `${data.node}/${data.attempt}`;
    places.set(place, `${data.node}, attempt ${data.attempt}`);
  }
  return [...places].map(([place, label]) => ({ label, address: `${scheme}://prompt/${runId}/${place}` }));
}
