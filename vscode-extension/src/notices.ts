// Notifies the user that a run has a proposal, or why it has none.
import * as vscode from 'vscode';
import type { Conversations } from './conversation';
import type { Feed } from './feed';
import type { Proposals } from './proposals';
import type { Event } from './protocol_gen';
import { reads, type Run } from './runs';
import { count, line, message } from './text';
import type { Texts } from './texts';

interface Button extends vscode.MessageItem {
  readonly act: () => Promise<void>;
}

/** Shows a notification when a proposal is ready and when a run ends without success, and shows answers and reviews. */
export class Notices implements vscode.Disposable {
  readonly #proposals: Proposals;
  readonly #texts: Texts;
  readonly #threads: Conversations;
  readonly #subscription: vscode.Disposable;

  constructor(
    feed: Feed,
    proposals: Proposals,
    texts: Texts,
    threads: Conversations,
    report: (error: unknown) => void,
  ) {
    this.#threads = threads;
    this.#proposals = proposals;
    this.#texts = texts;
    this.#subscription = feed.onFolded(({ event, run }) => {
      this.#notify(event, run).catch(report);
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #notify(event: Event, run: Run): Promise<void> {
    if (this.#threads.isElsewhere(run.runId)) return; // the chat view shows it
    if (event.type === 'proposal') {
      const { proposalId, files, hunks, unverified } = event.data;
      const buttons: Button[] = [
        { title: 'Show Proposal', act: () => this.#proposals.preview({ proposalId }) },
        { title: 'Show as Diff', act: () => this.#proposals.diff({ proposalId }) },
      ];
      const size = `${count(files, 'file')}, ${count(hunks, 'hunk')}`;
      const about = `Forge: ${line(run.task, 80)}`;
      if (unverified) {
        const text = message(
          `${about}: the best change of the run is not verified (${size}): ${line(unverified, 300)}`,
        );
        await (await vscode.window.showWarningMessage(text, ...buttons))?.act();
        return;
      }
      await (
        await vscode.window.showInformationMessage(message(`${about}: a proposal is ready (${size})`), ...buttons)
      )?.act();
    }
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
      const why = event.data.reason ? `: ${event.data.reason}` : '';
      void vscode.window.showWarningMessage(message(`Forge: ${line(run.task, 80)} ${event.data.state}${why}`));
    }
  }
}
