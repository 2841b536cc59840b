// Looking at a proposal, and saying yes or no to it or its parts. The server does all of it; here is the asking.
import * as vscode from "vscode";
import type { Forge } from "./client";
import type { Feed } from "./feed";
import type { ApplyResult, ProposalArgs } from "./protocol_gen";
import type { Row } from "./rows";
import { list } from "./runs";
import { baseName, count, message } from "./text";
import type { Texts } from "./texts";

/** What a person can do with proposals. Each takes the row of the view it was asked from; none means the last proposal. */
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
  async preview(row?: Row): Promise<void> {
    await this.#settle(await this.#forge.send("forge.proposal.preview", target(row)));
  }

  async accept(row?: Row): Promise<void> {
    await this.#settle(await this.#forge.send("forge.proposal.apply", target(row)));
  }

  async reject(row?: Row): Promise<void> {
    const { proposalId } = await this.#forge.send("forge.proposal.reject", target(row));
    await this.#feed.refreshProposal(proposalId);
  }

  /** Takes back what the last run changed; the server shows it as a preview too. */
  async undo(): Promise<void> {
    const { proposalId } = await this.#forge.send("forge.undo", {});
    await this.#feed.refreshProposal(proposalId);
  }

  /** Opens the whole proposal as a unified diff. */
  async diff(row?: Row): Promise<void> {
    const proposal = await this.#forge.send("forge.proposal.get", target(row));
    await this.#texts.show(proposal.proposalId, "Forge proposal.diff", proposal.diff, "diff");
  }

  async #settle(result: ApplyResult): Promise<void> {
    await this.#feed.refreshProposal(result.proposalId);
    const files = list(result.files);
    const conflicts = files.filter((file) => file.state === "conflict");
    if (conflicts.length > 0) {
      const names = conflicts.map((file) => `${baseName(file.uri)}${file.message ? ` (${file.message})` : ""}`);
      void vscode.window.showWarningMessage(message(`Forge: not applied, in conflict: ${names.join(", ")}`));
    }
    const applied = files.filter((file) => file.state === "applied" || file.state === "partial").length;
    vscode.window.setStatusBarMessage(`Forge: ${count(applied, "file")} changed`, 5000);
  }
}

function target(row?: Row): ProposalArgs {
  return {
    ...(row?.proposalId === undefined ? {} : { proposalId: row.proposalId }),
    ...(row?.select ? { select: row.select } : {}),
  };
}
