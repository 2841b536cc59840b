// The calls of a run and their cost, as rows and in the status bar. Pure.
import type { BatchWaiting, SecretsRedacted, Spent } from './protocol_gen';
import type { Row } from './row';
import { list, type Run } from './runs';
import { count, joined, line, thousands, visible } from './text';

/** The status bar: `$(sync~spin) Forge $0.07`, with another icon while the run waits for the user or a batch. */
export function statusText({ status, batch, spent }: Pick<Run, 'status' | 'batch' | 'spent'>): string {
  const icon = status === 'waiting' ? 'question' : batch ? 'watch' : 'sync~spin';
  return `$(${icon}) Forge${spent ? ` ${spent.cost.text}` : ''}`;
}

/** The tooltip of the status bar: the task, and the recipe, mode and profile. */
export function statusTooltip({ task, way }: Pick<Run, 'task' | 'way'>): string {
  return `Forge: ${line(task)}${way.length > 0 ? ` (${line(way.join(' · '))})` : ''}`;
}

export function batchRow(runId: string, { provider, state, items, trouble }: BatchWaiting): Row {
  return {
    id: `${runId}/batch`,
    label: `Waiting for a batch of ${line(provider)}`,
    description: joined(state, items !== undefined && count(items, 'request')),
    ...(trouble ? { tooltip: visible(trouble) } : {}),
    icon: { name: 'watch', color: 'list.warningForeground' },
    children: [],
  };
}

export function tokensRow(run: Run): Row {
  const { spent } = run;
  const input = spent?.inputTokens ?? run.inputTokens;
  const cached = spent?.cacheReadTokens ?? 0;
  const tokens = [
    `${thousands(input + cached)} in${cached > 0 ? ` (${thousands(cached)} cached)` : ''}`,
    `${thousands(spent?.outputTokens ?? run.outputTokens)} out`,
  ].join(', ');
  return {
    id: `${run.runId}/tokens`,
    label: 'Tokens',
    description: joined(tokens, count(run.calls, 'call'), spent?.cost.text),
    ...(spent ? { tooltip: limits(spent) } : {}),
    icon: { name: 'dashboard' },
    children: [],
  };
}

function limits({ tokens, heldTokens, limitTokens, limitUSD }: Spent): string {
  return joined(
    `${thousands(tokens)} tokens charged`,
    heldTokens ? `${thousands(heldTokens)} reserved for running or interrupted calls` : undefined,
    limitTokens ? `limit ${thousands(limitTokens)} tokens` : undefined,
    limitUSD ? `limit $${limitUSD}` : undefined,
  );
}

export function secretsRow(runId: string, { count: number, secrets }: SecretsRedacted): Row {
  return {
    id: `${runId}/secrets`,
    label: `${count(number, 'secret')} redacted`,
    tooltip: list(secrets)
      .map(({ name, count: times }) => `${visible(name)} × ${times}`)
      .join('\n'),
    icon: { name: 'shield' },
    children: [],
  };
}
