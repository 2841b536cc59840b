// The attempts of a node: how long each took, which model it asked, and what that used. Pure.
import type { ModelCalled, Node } from './protocol_gen';

/** One attempt of a node. */
export interface Try {
  readonly attempt: number;
  readonly status: Node['status'];
  readonly reason: string;
  /** RFC 3339; missing for an attempt that has not begun or ended yet. */
  readonly started?: string;
  readonly ended?: string;
  readonly model: string;
  readonly tokens: number;
  readonly usd: number;
}

/** The attempts after the status of the node has changed. */
export function turned(tries: readonly Try[], { attempt, status, reason = '' }: Node, ts: string): readonly Try[] {
  if (attempt === 0) return tries;
  return put(tries, attempt, (now) =>
    status === 'RUNNING' ? { ...now, status, reason, started: ts } : { ...now, status, reason, ended: ts },
  );
}

/** The attempts after a call of a model. */
export function called(tries: readonly Try[], call: ModelCalled): readonly Try[] {
  const { attempt, model, inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = call;
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  return put(tries, attempt, (now) => ({
    ...now,
    model,
    tokens: now.tokens + tokens,
    usd: now.usd + call.cost.usd,
  }));
}

/** The time an attempt took, in milliseconds; undefined while it runs. */
export function elapsed({ started, ended }: Pick<Try, 'started' | 'ended'>): number | undefined {
  return started !== undefined && ended !== undefined && ended >= started
    ? Date.parse(ended) - Date.parse(started)
    : undefined;
}

function put(tries: readonly Try[], attempt: number, change: (now: Try) => Try): readonly Try[] {
  const fresh: Try = { attempt, status: 'RUNNING', reason: '', model: '', tokens: 0, usd: 0 };
  const known = tries.some((one) => one.attempt === attempt);
  const all = known ? tries : [...tries, fresh];
  return all.map((one) => (one.attempt === attempt ? change(one) : one));
}
