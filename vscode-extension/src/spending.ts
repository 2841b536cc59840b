// The calls of a run and their cost, as rows and in the status bar. Pure.
import type { BatchWaiting, SecretsRedacted, Spent, WorkIncluded } from './protocol_gen';
import type { Row } from './row';
import { list, type Run } from './runs';
import { count, joined, line, modelName, thousands, visible } from './text';

/** The status bar while a run is alive: `$(sync~spin) executor · 34 s · 12.3k tokens · $0.07`. */
export function busyText(run: Run, now: number): string {
  const { status, batch, spent, started, nodes } = run;
  const icon = status === 'waiting' ? 'question' : batch ? 'watch' : 'sync~spin';
  const stages = nodes.filter(({ node }) => node.status === 'RUNNING').map(({ node }) => line(node.id, 30));
  const stage = stages.length > 1 ? `${stages[0] ?? ''} +${stages.length - 1}` : stages[0];
  const time = started ? now - Date.parse(started) : 0;
  return `$(${icon}) ${joined(
    status === 'waiting' ? 'Forge waits for you' : (stage ?? 'Forge'),
    time >= 1000 && `${Math.floor(time / 1000)} s`,
    spent && `${thousands(spent.tokens)} tokens`,
    spent?.cost.text,
  )}`;
}

/** Whether a progress is that of a run, which the item of the status bar shows already. */
export function isOfRun(token: string | number): boolean {
  return /^forge\/r-[^/]+(\/\d+)?$/.test(String(token));
}

/** The status bar while no run is alive: the model, and what today has cost. */
export function idleText(model: string, today: string): string {
  return `$(sparkle) ${joined(model ? line(modelName(model), 40) : 'Forge: no model', today && `${today} today`)}`;
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
    spoken: `Secrets: ${number} redacted`,
    tooltip: list(secrets)
      .map(({ name, count: times }) => `${visible(name)} × ${times}`)
      .join('\n'),
    icon: { name: 'shield' },
    children: [],
  };
}

/** What the run sees of work that is not committed, or works without. */
export function includedRow(runId: string, { from, uncommitted, more, unsaved }: WorkIncluded): Row {
  const files = joined(
    list(uncommitted).length > 0 ? count(list(uncommitted).length + (more ?? 0), 'uncommitted file') : undefined,
    list(unsaved).length > 0 ? count(list(unsaved).length, 'unsaved document') : undefined,
  );
  return {
    id: `${runId}/included`,
    label: `${from === 'head' ? 'Works without' : 'Sees'} ${files}`,
    spoken: `${from === 'head' ? 'Works without' : 'Sees'}: ${files}`,
    tooltip: [...list(uncommitted), ...list(unsaved)].map(visible).join('\n'),
    icon: { name: 'git-commit' },
    children: [],
  };
}
