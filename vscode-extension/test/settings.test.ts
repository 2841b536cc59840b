// The settings of the extension: which of them a workspace may have, and which count only in one that the user trusts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Manifest {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: { configuration: { properties: Record<string, { scope: string }> } };
}

const { capabilities, contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const scopes = Object.entries(contributes.configuration.properties).map(([name, { scope }]) => [name, scope] as const);

test('what is executed is a setting of the machine only', () => {
  const machine = scopes.filter(([, scope]) => scope === 'machine').map(([name]) => name);
  assert.deepEqual(machine, ['forge.server.path', 'forge.server.env']);
});

test('what sends data, spends money or skips a consent counts only in a trusted workspace', () => {
  const harmless = new Set(['forge.trace.server', 'forge.proposal.open', 'forge.proposal.inFiles']);
  const risky = scopes.map(([name]) => name).filter((name) => !harmless.has(name));
  assert.deepEqual(new Set(capabilities.untrustedWorkspaces.restrictedConfigurations), new Set(risky));
});
