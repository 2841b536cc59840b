// The first minute: a provider and its key, servers on this machine, and the choice of a model, without a terminal.
import * as vscode from 'vscode';
import type { Forge } from './client';
import { modelSettings, type ModelSettings } from './config';
import { providers, type Keys, type Provider } from './keys';
import type { ModelProvider } from './protocol_gen';
import { count, line } from './text';
import { Trouble, way } from './trouble';

const pasteKey = way('Paste a Key…', 'forge.ui.setUp');
const findServers = way('Find Local Servers', 'forge.ui.findLocal');
const tryDemo = way('Try the Demo', 'forge.ui.demo');
const choose = way('Choose Model…', 'forge.ui.chooseModel');

/** What the commands of this file need. */
export interface Setup {
  readonly forge: Forge;
  readonly keys: Keys;
}

/** Opens the walkthrough. */
export async function getStarted(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'forge.forge#forge.start', false);
}

/** Fails with a way out if there is no model for the next run. It is asked once there is one no more. */
export async function needModel(forge: Forge): Promise<string> {
  const { model } = await forge.send('forge.status', {});
  if (model) return model;
  throw new Trouble('there is no model yet.', pasteKey, findServers, tryDemo);
}

/** Lets the user pick a provider and paste its key. */
export async function setUp(setup: Setup, name?: string): Promise<void> {
  const provider = providers.find((one) => one.name === name) ?? (await pickProvider(setup));
  if (provider === 'local') await findLocal(setup);
  else if (provider) await pasteKeyOf(setup, provider);
}

async function pickProvider({ keys }: Setup): Promise<Provider | 'local' | undefined> {
  const stored = await keys.stored();
  const items = [
    ...providers.map((provider) => ({
      label: provider.title,
      description: stored.includes(provider.name) ? 'has a key' : '',
      provider,
    })),
    {
      label: 'A server on this machine',
      description: 'Ollama, LM Studio, vLLM, llama.cpp',
      provider: 'local' as const,
    },
  ];
  const title = 'Forge: which provider?';
  return (await vscode.window.showQuickPick(items, { title, placeHolder: 'Its key is kept in the secret storage' }))
    ?.provider;
}

async function pasteKeyOf(setup: Setup, provider: Provider): Promise<void> {
  const { forge, keys } = setup;
  if (provider.name === 'custom') {
    const baseURL = await ask('the address of the server', 'https://models.example/v1', isAddress);
    if (baseURL === undefined) return;
    const model = await ask('the name of the model', 'large');
    if (model === undefined) return;
    await keys.storeCustom({ baseURL, model });
  }
  const key = await vscode.window.showInputBox({
    title: `Forge: the key of ${provider.title}`,
    prompt: provider.keysAt === undefined ? 'Leave empty for none.' : `Keys are at ${provider.keysAt}`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (/^[!-~]*$/.test(text.trim()) ? undefined : 'This is not a key: it contains blanks.'),
  });
  if (key === undefined) return;
  await keys.store(provider, key.trim());
  await forge.restart();
  const { providers: known } = await forge.send('forge.models', {});
  const mine = known.find((one) => one.source === provider.variable || one.key === provider.variable) ?? known[0];
  reportProvider(provider, mine);
}

// Reports whether the provider accepts the key.
function reportProvider(provider: Provider, found: ModelProvider | undefined): void {
  if (found?.state === 'answers') {
    void inform(`${provider.title} answers: ${count(found.models.length, 'model')}.`, choose);
    return;
  }
  const again = way('Paste Another Key…', 'forge.ui.setUp', provider.name);
  throw new Trouble(
    `${provider.title}: ${line(found?.detail ?? found?.state ?? 'the server does not know it')}`,
    again,
  );
}

/** Lists the servers of models on this machine, and lets the user choose a model of them. */
export async function findLocal({ forge }: Pick<Setup, 'forge'>): Promise<void> {
  const { providers: found } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Forge: looking for servers on this machine' },
    () => forge.send('forge.models', { local: true }),
  );
  const answering = found.filter((one) => one.models.length > 0);
  if (answering.length > 0) {
    await pickModel(answering, 'Forge: which model on this machine?');
    return;
  }
  const install = way('Get Ollama', 'vscode.open', vscode.Uri.parse('https://ollama.com/download'));
  throw new Trouble(
    'no server of models answers on this machine. Start one, or use a key.',
    install,
    pasteKey,
    tryDemo,
  );
}

/** Lets the user choose the model for all work. */
export async function chooseModel({ forge }: Pick<Setup, 'forge'>): Promise<void> {
  const { providers: known } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: 'Forge: asking for models' },
    () => forge.send('forge.models', {}),
  );
  const answering = known.filter((one) => one.models.length > 0);
  if (answering.length === 0) throw new Trouble('no provider answers yet.', pasteKey, findServers, tryDemo);
  await pickModel(answering, 'Forge: which model for all work?');
}

async function pickModel(from: readonly ModelProvider[], title: string): Promise<void> {
  const { default: current } = modelSettings();
  const items = from.flatMap((provider) => [
    { label: provider.title, kind: vscode.QuickPickItemKind.Separator, model: '' },
    ...provider.models.map(({ name, price, tiers }) => ({
      label: line(name),
      description: [
        `${provider.name}/${name}` === current ? 'chosen' : '',
        price
          ? `$${price.input} in, $${price.output} out, per million tokens`
          : provider.local
            ? 'on this machine'
            : '',
      ]
        .filter(Boolean)
        .join(' · '),
      ...(tiers?.length ? { detail: `suited for ${tiers.join(', ')}` } : {}),
      model: `${provider.name}/${name}`,
    })),
  ]);
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  if (!picked) return;
  await saveModel(picked.model);
  void inform(`${picked.model} is the model for all work.`, way('Run…', 'forge.ui.run'));
}

// A workspace that names a model keeps the choice, or it would not count there; what a workspace says never gets into the user's settings.
async function saveModel(model: string): Promise<void> {
  const settings = vscode.workspace.getConfiguration('forge');
  const { globalValue, workspaceValue } = settings.inspect<ModelSettings>('models') ?? {};
  const own = workspaceValue?.default === undefined;
  const target = own ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
  await settings.update('models', { ...(own ? globalValue : workspaceValue), default: model }, target);
}

async function ask(
  what: string,
  example: string,
  valid = (text: string) => text.trim() !== '',
): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: `Forge: ${what}`,
    placeHolder: example,
    ignoreFocusOut: true,
    validateInput: (typed) => (valid(typed) ? undefined : `Enter ${what}, such as ${example}`),
  });
  return text?.trim();
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]+/.test(text.trim());
}

async function inform(text: string, ...ways: ReturnType<typeof way>[]): Promise<void> {
  await (await vscode.window.showInformationMessage(`Forge: ${text}`, ...ways))?.act();
}
