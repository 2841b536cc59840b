// The report of a gate as a row, with its findings below it. Pure.
import type { Finding, Gate } from './protocol_gen';
import { green, grey, red, yellow, type Icon, type Row } from './row';
import { list } from './runs';
import { joined, line, seconds, visible } from './text';

const verdictIcons: Record<Gate['verdict'], Icon> = {
  pass: { name: 'pass', color: green },
  fail: { name: 'error', color: red },
  error: { name: 'warning', color: yellow },
  'not-run': { name: 'circle-slash', color: grey },
};

/** The verdict of a gate in words. */
export function verdictText({ verdict }: Gate): string {
  return verdict === 'not-run' ? 'not run' : verdict;
}

/** The row of a gate of a folder. Its findings are in sight unless it has passed. */
export function gateRow(folder: string, id: string, gate: Gate): Row {
  return {
    id,
    label: line(gate.name),
    description: joined(verdictText(gate), line(gate.summary), seconds(gate.elapsedMs)),
    tooltip: joined(verdictText(gate), visible(gate.summary), `${gate.passed} of ${gate.executed} passed`),
    icon: verdictIcons[gate.verdict],
    action: { do: 'showReport', gate },
    context: 'gate',
    gate: { name: gate.name, folder },
    unfolded: gate.verdict !== 'pass',
    children: list(gate.findings).map((finding, place) => findingRow(folder, `${id}/${place}`, finding)),
  };
}

/** The row of a gate that runs. */
export function runningGateRow(id: string, name: string): Row {
  return { id, label: line(name), description: 'running', icon: { name: 'loading~spin' }, children: [] };
}

function findingRow(folder: string, id: string, finding: Finding): Row {
  const where = finding.path && `${line(finding.path)}${finding.line ? `:${finding.line}` : ''}`;
  return {
    id,
    label: line(finding.message),
    description: joined(where, line(finding.test ?? ''), line(finding.rule ?? '')),
    spoken: joined(finding.severity, line(finding.message), where, line(finding.test ?? '')),
    tooltip: visible(finding.message),
    icon: { name: finding.severity },
    ...(finding.path ? { action: { do: 'openFinding', folder, finding } } : {}),
    children: [],
  };
}

/** The report of a gate as Markdown. */
export function reportText(gate: Gate): string {
  const findings = list(gate.findings).map((finding) => {
    const where = finding.path ? `${finding.path}${finding.line ? `:${finding.line}` : ''}: ` : '';
    return `- ${finding.severity}: ${where}${finding.message}${finding.test ? ` (${finding.test})` : ''}`;
  });
  return [
    `${gate.name}: ${gate.verdict}, ${gate.summary}`,
    '',
    `${gate.passed} of ${gate.executed} passed in ${seconds(gate.elapsedMs)}`,
    ...(gate.known ? [`${gate.known} findings from before the change are not listed`] : []),
    ...(list(gate.flaky).length > 0 ? [`passed in a second run: ${list(gate.flaky).join(', ')}`] : []),
    ...(gate.notice ? [gate.notice] : []),
    ...(gate.sandbox ? [`sandbox: ${gate.sandbox}`] : []),
    ...(gate.advice ? [gate.advice] : []),
    '',
    ...findings,
    '',
  ].join('\n');
}
