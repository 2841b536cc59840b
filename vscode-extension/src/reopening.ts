// Remembers in the workspace that a proposal is open, so that its changes are in sight again after a restart of the editor. Pure.
import type { Proposal } from './protocol_gen';

const key = 'forge.proposalIsOpen';

/** Where the extension keeps values of the workspace. */
export interface Workspace {
  get(key: string, otherwise: boolean): boolean;
  update(key: string, value: true | undefined): PromiseLike<void>;
}

/** What is known of the proposals of the workspace. */
export interface Known {
  readonly onChanged: (listener: () => unknown) => { dispose(): unknown };
  /** Whether the stored proposals are known: before that, that there is none says nothing. */
  readonly complete: boolean;
  readonly runs: { readonly proposals: readonly Pick<Proposal, 'state'>[] };
}

/** Whether a proposal was open when the workspace was closed. */
export function wasOpen(workspace: Pick<Workspace, 'get'>): boolean {
  return workspace.get(key, false);
}

/** Remembers it until it is disposed. */
export function remember(known: Known, workspace: Workspace): { dispose(): unknown } {
  return known.onChanged(() => {
    const open = known.runs.proposals.some(({ state }) => state === 'open');
    if ((open || known.complete) && open !== wasOpen(workspace)) void workspace.update(key, open || undefined);
  });
}
