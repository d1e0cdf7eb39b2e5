/**
 * An Azure in process for tests: the ARM server with the providers of these folders, raw calls as the controller or as
 * another identity, and a credential for the official SDK clients.
 */
import { virtualWorld } from '@chandler/kube/testing';
import { type ArmServer, type ArmServerOptions, startArmServer } from '../arm-server.ts';
import { type PlaygroundAzure, type PlaygroundAzureOptions, playgroundAzure } from './index.ts';

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The fields of an error that tests read. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly innererror?: { readonly code: string };
  };
}

export class TestAzure {
  readonly azure: PlaygroundAzure;
  readonly server: ArmServer;
  readonly world: ReturnType<typeof virtualWorld>;
  readonly subscription: string;

  constructor(azure: PlaygroundAzure, server: ArmServer, world: ReturnType<typeof virtualWorld>) {
    this.azure = azure;
    this.server = server;
    this.world = world;
    this.subscription = `/subscriptions/${server.settings.subscriptionId}`;
  }

  get byok() {
    return this.azure.byok;
  }

  /** As the controller, with a management token. */
  async call<Body>(path: string, init: RequestInit = {}): Promise<Answer<Body>> {
    return this.callWith<Body>(this.server.token(), path, init);
  }

  async callWith<Body>(
    token: string | undefined,
    path: string,
    init: RequestInit = {},
  ): Promise<Answer<Body>> {
    const url = path.startsWith('https://') ? path : `${this.server.url}${path}`;
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const response = await this.server.fetch(url, { ...init, headers });
    const text = await response.text();
    const body = (text === '' ? undefined : JSON.parse(text)) as Body;
    return { status: response.status, headers: response.headers, body };
  }

  /** A call to a vault's own address, as the controller. */
  async callVault<Body>(url: string, init: RequestInit = {}): Promise<Answer<Body>> {
    const separator = url.includes('?') ? '&' : '?';
    return this.callWith<Body>(this.vaultToken(), `${url}${separator}api-version=7.5`, init);
  }

  vaultToken(): string {
    return this.#issue('https://vault.azure.net');
  }

  /** For the SDKs: no sign-in, only the token for the requested scope. */
  readonly credential = {
    getToken: async (scopes: string | string[]) => {
      const scope = String(Array.isArray(scopes) ? scopes[0] : scopes);
      return {
        token: this.#issue(scope.replace(/\/\.default$/, '')),
        expiresOnTimestamp: Date.now() + 3_600_000,
      };
    },
  };

  close(): Promise<void> {
    return this.server.close();
  }

  #issue(audience: string): string {
    const identity = this.server.context.tokens.identity(this.server.credentials.clientId);
    return this.server.context.tokens.issue(identity!, audience).token;
  }
}

export async function anAzure(
  options: PlaygroundAzureOptions = {},
  serverOptions: Partial<ArmServerOptions> = {},
): Promise<TestAzure> {
  const world = virtualWorld();
  const azure = playgroundAzure(options);
  const server = await startArmServer({ world, listen: false, ...serverOptions, providers: azure.providers });
  return new TestAzure(azure, server, world);
}
