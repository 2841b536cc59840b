// Notifies the user that a run has a proposal, or why it has none.
import * as vscode from 'vscode';
import { openProposals } from './config';
import type { Conversations } from './conversation';
import type { Feed } from './feed';
import type { Problems } from './problems';
import type { Proposals } from './proposals';
import type { Event, ProposalReady } from './protocol_gen';
import { reads, type Run } from './runs';
import { count, line, message } from './text';
import type { Texts } from './texts';

interface Button extends vscode.MessageItem {
  readonly act: () => Promise<void>;
}

/** The objects that notices need. */
export interface NoticeParts {
  readonly feed: Feed;
  readonly proposals: Proposals;
  readonly problems: Problems;
  readonly texts: Texts;
  readonly threads: Conversations;
}

/** Shows a notification when a proposal is ready and when a run ends without success, and shows answers and reviews. */
export class Notices implements vscode.Disposable {
  readonly #feed: Feed;
  readonly #proposals: Proposals;
  readonly #problems: Problems;
  readonly #texts: Texts;
  readonly #threads: Conversations;
  readonly #subscription: vscode.Disposable;
  #typed = 0; // when the user last typed

  constructor({ feed, proposals, problems, texts, threads }: NoticeParts) {
    this.#feed = feed;
    this.#threads = threads;
    this.#proposals = proposals;
    this.#problems = problems;
    this.#texts = texts;
    this.#subscription = vscode.Disposable.from(
      feed.onFolded(({ event, run }) => {
        this.#notify(event, run).catch((error: unknown) => {
          problems.show(error);
        });
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const typed = document === vscode.window.activeTextEditor?.document && document.uri.scheme !== 'output';
        if (contentChanges.length > 0 && typed) this.#typed = Date.now();
      }),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #notify(event: Event, run: Run): Promise<void> {
    if (this.#threads.isElsewhere(run.runId)) return; // the chat view shows it
    if (event.type === 'proposal') await this.#propose(event.data, run);
    if (event.type === 'answer') {
      const { id, title, text } = this.#threads.answered(run, event.data.text);
      await this.#texts.show(id, title, text, 'markdown');
    }
    if (event.type === 'review' && reads(run)) {
      const { findings, summary } = event.data.review;
      const found = findings.length === 0 ? '' : `${count(findings.length, 'issue')}: `;
      const show: Button = {
        title: 'Show Problems',
        act: async () => {
          await vscode.commands.executeCommand('workbench.actions.view.problems');
        },
      };
      const buttons = findings.length === 0 ? [] : [show];
      const text = message(`Forge: ${line(run.task, 60)} ${found}${summary}`);
      await (await vscode.window.showInformationMessage(text, ...buttons))?.act();
    }
    if (event.type === 'spec') {
      const { version, changelog } = event.data;
      const text = message(`Forge: specification version ${version}: ${changelog}`);
      const show: Button = {
        title: 'Show Specification',
        act: async () => {
          await vscode.commands.executeCommand('forge.ui.showSpec');
        },
      };
      await (await vscode.window.showInformationMessage(text, show))?.act();
    }
    // The user who cancels a run knows that it ended.
    if (event.type === 'run.ended' && (event.data.state === 'blocked' || event.data.state === 'failed')) {
      this.#problems.showRun(run, event.data.remedy);
    }
  }

  // Opens what there is to look at. While the user types, or decides about another proposal, nothing takes the keyboard, and with it the
  // target of keys and buttons, away: then a message offers it.
  async #propose({ proposalId, files, hunks, explanation, unverified }: ProposalReady, run: Run): Promise<void> {
    const busy = Date.now() - this.#typed < 2000 || this.#proposals.looksAtOther(proposalId);
    const size = `${count(files, 'file')}, ${count(hunks, 'hunk')}`;
    if (openProposals() && !busy && !unverified) {
      await this.#proposals.show({ proposalId });
      vscode.window.setStatusBarMessage(`Forge: a proposal is ready (${size})`, 10_000);
      return;
    }
    await this.#feed.refreshProposal(proposalId);
    const show: Button = { title: 'Show Changes', act: () => this.#proposals.show({ proposalId }) };
    const accept: Button = { title: 'Accept All', act: () => this.#proposals.accept({ proposalId }) };
    const about = `Forge: ${line(run.task, 80)}`;
    if (unverified) {
      const text = message(`${about}: the best change of the run is not verified (${size}): ${line(unverified, 300)}`);
      await (await vscode.window.showWarningMessage(text, show))?.act();
      return;
    }
    const says = explanation ? `. The model says: ${line(explanation)}` : '';
    const text = message(`${about}: a proposal is ready (${size})${says}`);
    await (await vscode.window.showInformationMessage(text, show, accept))?.act();
  }
}
