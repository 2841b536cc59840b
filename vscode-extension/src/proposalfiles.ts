// The texts of proposals as files of the editor: the text of each file now, and the proposed text, which the user may edit.
// Saving it amends the proposal.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Feed } from './feed';
import type { Proposal, ProposalFile } from './protocol_gen';
import { list } from './runs';
import { baseName, line } from './text';

/** The scheme of these files. */
export const proposalScheme = 'forge-proposal';

// Of the text without what editors change by themselves.
function digestOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n'); // which drops a byte order mark
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The file of the editor for one of the server's documents, `forge://proposal/<id>/<side>/<path>`. Both sides have the path of
 * the file, or VS Code shows it as renamed.
 */
export function fileOf(document: string): vscode.Uri {
  const [, proposalId = '', side = '', ...path] = vscode.Uri.parse(document, true).path.split('/');
  return vscode.Uri.from({ scheme: proposalScheme, authority: side, path: `/${path.join('/')}`, query: proposalId });
}

// The other way round.
function documentOf({ authority, path, query }: vscode.Uri): string {
  return vscode.Uri.from({ scheme: 'forge', authority: 'proposal', path: `/${query}/${authority}${path}` }).toString();
}

interface Known {
  readonly bytes: Uint8Array;
  readonly mtime: number;
}

/** Reads the texts of proposals from the server, and amends proposals when they are saved. */
export class ProposalFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #forge: Forge;
  readonly #feed: Feed;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #subscriptions: vscode.Disposable;
  readonly #known = new Map<string, Known>();
  readonly #digests = new Map<string, string>(); // of what the editor has read or written last
  #clock = Date.now(); // grows with each change: VS Code compares modification times

  readonly onDidChangeFile = this.#changed.event;

  constructor(forge: Forge, feed: Feed) {
    this.#forge = forge;
    this.#feed = feed;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(proposalScheme, this, { isCaseSensitive: true }),
      feed.onProposal((proposal) => {
        this.#refresh(proposal).catch(() => undefined); // it can be gone by now
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#textChanged(document.uri);
      }),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        this.#textChanged(uri); // it can be unsaved text of before a reload
      }),
    );
  }

  /** The proposal and its file that an editor shows the proposed text of. */
  proposed(uri: vscode.Uri): { proposal: Proposal; file: ProposalFile } | undefined {
    if (uri.scheme !== proposalScheme) return undefined;
    const text = uri.toString();
    for (const proposal of this.#feed.runs.proposals) {
      const file = list(proposal.files).find(({ proposed }) => fileOf(proposed).toString() === text);
      if (file) return { proposal, file };
    }
    return undefined;
  }

  /** Saves what the user has typed into the proposed texts of a proposal, or fails: it is a part of what they decide about. */
  async save(proposal: Proposal): Promise<void> {
    const own = new Set(list(proposal.files).map(({ proposed }) => fileOf(proposed).toString()));
    for (const document of vscode.workspace.textDocuments) {
      if (document.isDirty && own.has(document.uri.toString()) && !(await document.save()))
        throw new Error(`Your version of ${line(baseName(document.uri.path))} is not saved. Save or revert it first.`);
    }
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, mtime } = await this.#load(uri);
    const closed = uri.authority === 'base' || this.proposed(uri)?.proposal.state === 'closed';
    const readonly = closed ? { permissions: vscode.FilePermission.Readonly } : {};
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.byteLength, ...readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { bytes } = await this.#load(uri);
    this.#digests.set(uri.toString(), digestOf(bytes));
    return bytes;
  }

  async writeFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const at = this.proposed(uri);
    if (!at) throw vscode.FileSystemError.NoPermissions(uri);
    const text = new TextDecoder().decode(bytes);
    const { proposalId } = at.proposal;
    const args = { proposalId, path: at.file.path, text, ...this.digest(uri) };
    const before = this.#known.get(uri.toString());
    const own = this.#keep(uri, bytes);
    try {
      const amended = await this.#forge.send('forge.proposal.amend', args);
      this.#digests.set(uri.toString(), digestOf(bytes));
      this.#feed.show(amended);
    } catch (error) {
      if (this.#known.get(uri.toString()) === own) {
        this.#known.delete(uri.toString());
        if (before) this.#keep(uri, before.bytes);
      }
      this.#feed.refreshProposal(proposalId).catch(() => undefined); // the text may have changed where nothing reports it
      throw error;
    }
  }

  /** The digest of a proposed text as the editor has it, without what is not saved: the server sees whether it has changed since. */
  digest(uri: vscode.Uri): { digest?: string } {
    const digest = this.#digests.get(uri.toString());
    return digest === undefined ? {} : { digest };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // every change is reported
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    vscode.Disposable.from(this.#subscriptions, this.#changed).dispose();
  }

  async #load(uri: vscode.Uri): Promise<Known> {
    const known = this.#known.get(uri.toString());
    if (known) return known;
    try {
      return this.#keep(uri, await this.#read(uri));
    } catch {
      throw vscode.FileSystemError.FileNotFound(uri); // the proposal, or its run, was deleted
    }
  }

  async #read(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode(await this.#forge.content(documentOf(uri)));
  }

  #keep(uri: vscode.Uri, bytes: Uint8Array): Known {
    const known = { bytes, mtime: ++this.#clock };
    this.#known.set(uri.toString(), known);
    return known;
  }

  // A text that has not changed keeps its time, so that VS Code sees no conflict when the user saves it.
  async #refresh({ files }: Proposal): Promise<void> {
    for (const uri of list(files).flatMap(({ base, proposed }) => [fileOf(base), fileOf(proposed)])) {
      const known = this.#known.get(uri.toString());
      if (!known) continue;
      const bytes = await this.#read(uri);
      if (Buffer.compare(bytes, known.bytes) === 0) continue;
      this.#keep(uri, bytes);
      this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
  }

  // The text of a file that an open proposal changes is another one: the proposed text follows it.
  #textChanged(changed: vscode.Uri): void {
    if (changed.scheme !== 'file') return;
    const uri = this.#forge.uri(changed);
    for (const proposal of this.#feed.runs.proposals) {
      const mine = list(proposal.files).filter((file) => file.uri === uri);
      if (proposal.state === 'open' && mine.length > 0) this.#follow(proposal.proposalId);
    }
  }

  readonly #following = new Map<string, NodeJS.Timeout>();

  // The positions of its hunks have changed too. Not at every key.
  #follow(proposalId: string): void {
    clearTimeout(this.#following.get(proposalId));
    const fetch = () => {
      this.#following.delete(proposalId);
      this.#feed.refreshProposal(proposalId).catch(() => undefined); // it can be gone by now
    };
    this.#following.set(proposalId, setTimeout(fetch, 300));
  }
}
