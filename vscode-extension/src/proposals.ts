// Previews, accepts and rejects a proposal or parts of it. The server does the work.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Feed } from './feed';
import type { ApplyResult, ProposalArgs } from './protocol_gen';
import { list } from './runs';
import { baseName, count, message } from './text';
import type { Texts } from './texts';

/** A proposal, or parts of it: a row of the view, or nothing for the last proposal as a whole. */
export type Target = Pick<ProposalArgs, 'proposalId' | 'select'>;

/** The user's actions on proposals. */
export class Proposals {
  readonly #forge: Forge;
  readonly #feed: Feed;
  readonly #texts: Texts;

  constructor(forge: Forge, feed: Feed, texts: Texts) {
    this.#forge = forge;
    this.#feed = feed;
    this.#texts = texts;
  }

  /** Opens Refactor Preview, through an edit that the server sends. Ends when the preview is closed. */
  async preview(of?: Target): Promise<void> {
    await this.#settle(await this.#forge.send('forge.proposal.preview', target(of)));
  }

  async accept(of?: Target): Promise<void> {
    await this.#settle(await this.#forge.send('forge.proposal.apply', target(of)));
  }

  async reject(of?: Target): Promise<void> {
    const { proposalId } = await this.#forge.send('forge.proposal.reject', target(of));
    await this.#feed.refreshProposal(proposalId);
  }

  /** Proposes to undo the last run, and shows the proposal. */
  async undo(): Promise<void> {
    const proposal = await this.#forge.send('forge.undo', { dryRun: true }); // shown below
    this.#feed.show(proposal);
    await this.preview({ proposalId: proposal.proposalId });
  }

  /** Opens the whole proposal as a unified diff. */
  async diff(of?: Target): Promise<void> {
    const proposal = await this.#forge.send('forge.proposal.get', target(of));
    await this.#texts.show(proposal.proposalId, 'Forge proposal.diff', proposal.diff, 'diff');
  }

  async #settle(result: ApplyResult): Promise<void> {
    await this.#feed.refreshProposal(result.proposalId);
    const files = list(result.files);
    const conflicts = files.filter((file) => file.state === 'conflict');
    if (conflicts.length > 0) {
      const names = conflicts.map((file) => `${baseName(file.uri)}${file.message ? ` (${file.message})` : ''}`);
      void vscode.window.showWarningMessage(message(`Forge: not applied because of conflicts: ${names.join(', ')}`));
    }
    const applied = files.filter((file) => file.state === 'applied' || file.state === 'partial').length;
    const outcome = applied > 0 ? `${count(applied, 'file')} changed` : 'no files changed';
    vscode.window.setStatusBarMessage(`Forge: ${outcome}`, 5000);
  }
}

// Sends the server only the fields it needs from a row.
function target(of?: Target): ProposalArgs {
  return {
    ...(of?.proposalId === undefined ? {} : { proposalId: of.proposalId }),
    ...(of?.select ? { select: of.select } : {}),
  };
}
