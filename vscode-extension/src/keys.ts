// The keys of providers: kept in VS Code's secret storage, and given to the server in its environment. They are in no settings file.
import * as vscode from 'vscode';

/** A provider that the user can pick. Its key is a variable of the server. */
export interface Provider {
  readonly name: string;
  readonly title: string;
  readonly variable: string;
  /** Where the user gets a key. */
  readonly keysAt?: string;
}

/** The providers with a key. `custom` is any server with OpenAI's API, at an address of the user. */
export const providers: readonly Provider[] = [
  { name: 'openai', title: 'OpenAI', variable: 'OPENAI_API_KEY', keysAt: 'https://platform.openai.com/api-keys' },
  {
    name: 'anthropic',
    title: 'Anthropic',
    variable: 'ANTHROPIC_API_KEY',
    keysAt: 'https://console.anthropic.com/settings/keys',
  },
  {
    name: 'minimax',
    title: 'MiniMax',
    variable: 'MINIMAX_API_KEY',
    keysAt: 'https://platform.minimax.io/user-center/basic-information/interface-key',
  },
  { name: 'custom', title: "Another server with OpenAI's API", variable: 'FORGE_API_KEY' },
];

/** The address and the model of the custom server. They are no secrets. */
export interface CustomServer {
  readonly baseURL: string;
  readonly model: string;
}

const customKey = 'forge.custom';

/** Keeps keys. */
export class Keys {
  readonly #secrets: vscode.SecretStorage;
  readonly #state: vscode.Memento;

  constructor({ secrets, globalState }: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>) {
    this.#secrets = secrets;
    this.#state = globalState;
  }

  /** Stores a key; an empty one is removed. */
  async store(provider: Provider, key: string): Promise<void> {
    if (key) await this.#secrets.store(name(provider), key);
    else await this.#secrets.delete(name(provider));
  }

  /** Stores the address of the custom server; without one, it is removed. */
  async storeCustom(server: CustomServer | undefined): Promise<void> {
    await this.#state.update(customKey, server);
  }

  /** The names of the providers with a key. */
  async stored(): Promise<string[]> {
    const found = await Promise.all(
      providers.map(async (one) => ((await this.#secrets.get(name(one))) ? one.name : '')),
    );
    return found.filter(Boolean);
  }

  /** What the server gets in its environment. */
  async environment(): Promise<Record<string, string>> {
    const env: Record<string, string> = {};
    const custom = this.#state.get<CustomServer>(customKey);
    if (custom) {
      env.FORGE_BASE_URL = custom.baseURL;
      if (custom.model) env.FORGE_MODEL = custom.model;
    }
    for (const provider of providers) {
      const key = await this.#secrets.get(name(provider));
      if (key && (provider.name !== 'custom' || custom)) env[provider.variable] = key;
    }
    return env;
  }
}

function name(provider: Provider): string {
  return `forge.key.${provider.name}`;
}
