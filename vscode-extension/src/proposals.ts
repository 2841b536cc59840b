// The user's actions on a proposal or parts of it. The server does the work.
import * as vscode from 'vscode';
import type { Changes, Place } from './changes';
import type { Forge } from './client';
import type { Feed } from './feed';
import type { ProposalFiles } from './proposalfiles';
import type { ApplyResult, ProposalArgs } from './protocol_gen';
import { list } from './runs';
import { inFolder } from './scope';
import { baseName, count, message } from './text';
import type { Texts } from './texts';

/** A proposal, or parts of it: a row of the view, a hunk, or nothing for the proposal in front, else the last one. */
export type Target = Pick<ProposalArgs, 'proposalId' | 'select'>;

/** Previews, accepts, rejects, checks and undoes. */
export class Proposals {
  readonly #forge: Forge;
  readonly #feed: Feed;
  readonly #changes: Changes;
  readonly #files: ProposalFiles;
  readonly #texts: Texts;

  constructor(forge: Forge, feed: Feed, changes: Changes, files: ProposalFiles, texts: Texts) {
    this.#forge = forge;
    this.#feed = feed;
    this.#changes = changes;
    this.#files = files;
    this.#texts = texts;
  }

  /** Opens the diff editors of a proposal, or of one of its files. */
  async show(of?: Partial<Place>): Promise<void> {
    const { proposalId } = of?.proposalId === undefined ? await this.#last() : { proposalId: of.proposalId };
    await this.#changes.open({ ...of, proposalId });
  }

  /** Whether the user is looking at another proposal, about which something is left to decide. */
  looksAtOther(proposalId: string): boolean {
    const { active } = this.#changes;
    return active !== undefined && active !== proposalId && this.#feed.runs.findProposal(active)?.state === 'open';
  }

  /** Opens Refactor Preview, through an edit that the server sends. Ends when the preview is closed. */
  async preview(of?: Target): Promise<void> {
    await this.#settle(await this.#forge.send('forge.proposal.preview', await this.#saved(of)));
  }

  /** Applies directly: the user has seen the change. */
  async accept(of?: Target): Promise<void> {
    const target = await this.#saved(of);
    const { proposalId, unverified } = await this.#forge.send('forge.proposal.get', target);
    if (unverified && !(await wants(unverified))) return;
    const args = { ...target, proposalId, reviewed: true, ...(unverified ? { allowUnverified: true } : {}) };
    await this.#settle(await this.#forge.send('forge.proposal.apply', args));
  }

  async reject(of?: Target): Promise<void> {
    const { proposalId } = await this.#forge.send('forge.proposal.reject', await this.#saved(of));
    await this.#feed.refreshProposal(proposalId);
  }

  /** Rejects with a reason, and offers to do the task again with it. */
  async rejectWithNote(of?: Target): Promise<void> {
    const target = await this.#inEditor(of);
    const note = await vscode.window.showInputBox({
      prompt: 'Forge: what is wrong with it?',
      placeHolder: 'Forge keeps the note, and can do the task again with it as your advice',
      ignoreFocusOut: true,
    });
    if (!note?.trim()) return;
    const args = { ...(await this.#saved(target)), note: note.trim() };
    const { proposalId } = await this.#forge.send('forge.proposal.reject', args);
    const proposal = await this.#feed.refreshProposal(proposalId);
    const hunks = list(proposal.files).flatMap((file) => list(file.hunks).filter((hunk) => hunk.note !== undefined));
    if (!hunks.some((hunk) => hunk.note === note.trim()))
      throw new Error('The change was decided while you wrote the note, so nothing was rejected.');
    const again = 'Try Again with the Note';
    const picked = await vscode.window.showInformationMessage('Forge: rejected, and the note is kept.', again);
    if (picked !== again) return;
    const select = { hunks: hunks.map(({ id }) => id) };
    await this.#forge.send('forge.proposal.reject', { proposalId, select, note: note.trim(), retry: true });
  }

  /** Accepts or rejects the hunk or the lines at the cursor. */
  async decide(action: 'accept' | 'reject', of?: Target): Promise<void> {
    await this[action](await this.#inEditor(of));
  }

  /** Runs the gates on what the user has accepted, or would accept. */
  async check(of?: Target): Promise<void> {
    const proposal = await this.#forge.send('forge.proposal.get', await this.#saved(of));
    const { proposalId } = proposal;
    this.#feed.show({ ...proposal, checks: { ...proposal.checks, state: 'checking' } });
    try {
      this.#feed.show(await this.#forge.send('forge.proposal.check', { proposalId }));
    } catch (error) {
      // The user may have decided about it meanwhile.
      await this.#feed.refreshProposal(proposalId).catch(() => {
        this.#feed.show(proposal);
      });
      throw error;
    }
  }

  /** Proposes to undo a run, or the last one of a folder, and shows the proposal. */
  async undo(runId?: string): Promise<void> {
    const args = runId === undefined ? await inFolder(this.#forge) : { runId };
    const proposal = await this.#forge.send('forge.undo', args);
    this.#feed.show(proposal);
    await this.#changes.open(proposal);
  }

  /** Opens the whole proposal as a unified diff. */
  async diff(of?: Target): Promise<void> {
    const proposal = await this.#forge.send('forge.proposal.get', this.#target(of));
    await this.#texts.show(proposal.proposalId, `Forge ${proposal.title}.diff`, proposal.diff, 'diff');
  }

  async #settle(result: ApplyResult): Promise<void> {
    const { checks } = await this.#feed.refreshProposal(result.proposalId);
    const files = list(result.files);
    const conflicts = files.filter((file) => file.state === 'conflict');
    if (conflicts.length > 0) {
      const names = conflicts.map((file) => `${baseName(file.uri)}${file.message ? ` (${file.message})` : ''}`);
      void vscode.window.showWarningMessage(message(`Forge: not applied because of conflicts: ${names.join(', ')}`));
    }
    const applied = files.filter((file) => file.state === 'applied' || file.state === 'partial').length;
    if (applied === 0) {
      vscode.window.setStatusBarMessage('Forge: no files changed', 5000);
      return;
    }
    void this.#offer(result, applied, checks.state === 'unchecked');
  }

  // What the user may want to do with files that were changed and are not saved.
  async #offer({ proposalId, checkpoint, message: said }: ApplyResult, applied: number, unchecked: boolean) {
    const check = 'Check Now';
    const save = 'Save All';
    const undo = 'Undo';
    const text = message(`Forge: ${count(applied, 'file')} changed, not saved yet.${said ? ` ${said}` : ''}`);
    const buttons = [...(unchecked ? [check] : []), save, undo];
    const picked = await vscode.window.showInformationMessage(text, ...buttons);
    const actions: Record<string, () => Thenable<unknown>> = {
      [check]: () => vscode.commands.executeCommand('forge.ui.checkProposal', { proposalId }),
      [save]: () => vscode.workspace.saveAll(),
      [undo]: () =>
        checkpoint === undefined
          ? vscode.commands.executeCommand('forge.ui.undo')
          : vscode.commands.executeCommand('forge.ui.undoRun', { runId: checkpoint }),
    };
    if (picked !== undefined) await actions[picked]?.();
  }

  async #last(): Promise<{ proposalId: string }> {
    return await this.#forge.send('forge.proposal.get', this.#target());
  }

  async #inEditor(of?: Target): Promise<Target> {
    if (of?.select) return of;
    const selected = await this.#changes.selected();
    if (!selected) throw new Error('There is no hunk at the cursor, or it is decided already.');
    return selected;
  }

  // What the user decides about, with what they typed into it.
  async #saved(of?: Target): Promise<ProposalArgs> {
    const target = this.#target(of);
    const known = target.proposalId === undefined ? undefined : this.#feed.runs.findProposal(target.proposalId);
    if (known) await this.#files.save(known);
    return target;
  }

  // Sends the server only the fields it needs from a row. Without one it is the proposal in front, else the last that is open.
  #target(of?: Target): ProposalArgs {
    const open = this.#feed.runs.proposals.find(({ state }) => state === 'open');
    const proposalId = of?.proposalId ?? this.#changes.active ?? open?.proposalId;
    return {
      ...(proposalId === undefined ? {} : { proposalId }),
      ...(of?.select ? { select: of.select } : {}),
    };
  }
}

// The run itself did not accept the change.
async function wants(detail: string): Promise<boolean> {
  const accept = 'Accept Anyway';
  const asked = 'The run did not accept this change. Accept it?';
  return (await vscode.window.showWarningMessage(asked, { modal: true, detail }, accept)) === accept;
}
