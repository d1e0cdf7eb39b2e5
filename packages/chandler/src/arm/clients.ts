/**
 * The official SDK clients, set up the way this product uses them: loaded on first use, no retries and no waiting
 * inside, one wire, our call rates, one user agent. What is done with them is left to `cloud/azure/`.
 */
import type { AuthorizationManagementClient } from '@azure/arm-authorization';
import type { ComputeManagementClient } from '@azure/arm-compute';
import type { ContainerServiceClient } from '@azure/arm-containerservice';
import type { KeyVaultManagementClient } from '@azure/arm-keyvault';
import type { ManagedServiceIdentityClient } from '@azure/arm-msi';
import type { NetworkManagementClient } from '@azure/arm-network';
import type { ResourceGraphClient } from '@azure/arm-resourcegraph';
import type { TokenCredential } from '@azure/core-auth';
import type { HttpClient, PipelinePolicy } from '@azure/core-rest-pipeline';
import type { KeyClient } from '@azure/keyvault-keys';
import type { Fetch, World } from '@chandler/kube';
import { type ApiVersions, apiVersionPolicy, apiVersionsOf } from './api-versions.ts';
import { ArmError, BAD_ANSWER, beginningOf, fromResponse } from './arm-error.ts';
import { ArmRateLimiter, type CallRates, DEFAULT_RATES } from './arm-rate-limiter.ts';
import { type AzureEnvironment, armScope } from './environments.ts';
import { assertAt, createHttpClient, isAt, retryAfterMs } from './http-client.ts';
import { type Operation, type OperationState, pollOnce } from './operation.ts';
import { getThroughPipeline } from './pipeline-get.ts';

/** Without an argument, the client of our own subscription. */
export interface ArmClients {
  readonly environment: AzureEnvironment;
  readonly subscriptionId: string;
  readonly credential: TokenCredential;
  /** How fast we may call. */
  readonly rates: CallRates;
  compute(subscriptionId?: string): Promise<ComputeManagementClient>;
  network(subscriptionId?: string): Promise<NetworkManagementClient>;
  containerService(subscriptionId?: string): Promise<ContainerServiceClient>;
  authorization(subscriptionId?: string): Promise<AuthorizationManagementClient>;
  keyVault(subscriptionId?: string): Promise<KeyVaultManagementClient>;
  managedIdentity(subscriptionId?: string): Promise<ManagedServiceIdentityClient>;
  resourceGraph(): Promise<ResourceGraphClient>;
  /** Data plane of one vault: `https://name.vault.azure.net`. */
  keys(vaultUri: string): Promise<KeyClient>;
  /**
   * The JSON of one GET on a URL of ARM, as it is on the wire: for what the models of the SDKs drop or do not know.
   * @throws {ArmError} for any status but 200.
   */
  getJson(url: string, signal?: AbortSignal): Promise<unknown>;
  /** One GET on the status of a long operation. */
  poll(operation: Operation, signal?: AbortSignal): Promise<OperationState>;
}

export interface ArmClientsOptions {
  readonly world: World;
  /** Default: the World's. */
  readonly fetch?: Fetch | undefined;
  readonly environment: AzureEnvironment;
  readonly credential: TokenCredential;
  readonly subscriptionId: string;
  readonly rates?: Partial<CallRates>;
  /** See `ArmRateLimiterOptions`. */
  readonly longestWaitMs?: number;
  /** Of one call. Default 60 s. */
  readonly timeoutMs?: number;
  /** Shown in the user agent: `chandler-aks/v0.2.0`. */
  readonly version: string;
  /** By resource type or namespace, over those of the cloud. See `api-versions.ts`. */
  readonly apiVersions?: ApiVersions;
  /** Another tenant's token beside ours on VM writes; only for images of AKS' own galleries (use-sig). */
  readonly auxiliaryToken?: () => Promise<string>;
}

export const AUXILIARY_TOKEN_HEADER = 'x-ms-authorization-auxiliary';

export function createArmClients(options: ArmClientsOptions): ArmClients {
  const { world, environment, credential } = options;
  const gate = new ArmRateLimiter(world.clock, {
    rates: options.rates,
    longestWaitMs: options.longestWaitMs,
  });
  const wire = { world, fetch: options.fetch, timeoutMs: options.timeoutMs };
  const arm = createHttpClient({ ...wire, gate, endpoint: environment.resourceManagerUrl });
  const versions = apiVersionPolicy(apiVersionsOf(environment.name, options.apiVersions));
  const shared = {
    endpoint: environment.resourceManagerUrl,
    httpClient: arm,
    retryOptions: { maxRetries: 0 },
    credentials: { scopes: [armScope(environment)] },
    userAgentOptions: { userAgentPrefix: `chandler-aks/v${options.version}` },
    additionalPolicies: [{ policy: versions, position: 'perCall' as const }],
  };
  const auxiliary = options.auxiliaryToken === undefined ? [] : [auxiliaryPolicy(options.auxiliaryToken)];
  const own = options.subscriptionId;
  const compute = remembered(async (subscription: string) => {
    const { ComputeManagementClient } = await import('./lazy/arm-compute.ts');
    const additionalPolicies = auxiliary.map((policy) => ({ policy, position: 'perCall' as const }));
    return new ComputeManagementClient(credential, subscription, {
      ...shared,
      additionalPolicies: [...shared.additionalPolicies, ...additionalPolicies],
    });
  });
  const network = remembered(async (subscription: string) => {
    const { NetworkManagementClient } = await import('./lazy/arm-network.ts');
    return new NetworkManagementClient(credential, subscription, shared);
  });
  const containerService = remembered(async (subscription: string) => {
    const { ContainerServiceClient } = await import('./lazy/arm-containerservice.ts');
    return new ContainerServiceClient(credential, subscription, shared);
  });
  const authorization = remembered(async (subscription: string) => {
    const { AuthorizationManagementClient } = await import('./lazy/arm-authorization.ts');
    return new AuthorizationManagementClient(credential, subscription, {
      ...shared,
      credentialScopes: shared.credentials.scopes,
    });
  });
  const keyVault = remembered(async (subscription: string) => {
    const { KeyVaultManagementClient } = await import('./lazy/arm-keyvault.ts');
    return new KeyVaultManagementClient(credential, subscription, shared);
  });
  const managedIdentity = remembered(async (subscription: string) => {
    const { ManagedServiceIdentityClient } = await import('./lazy/arm-msi.ts');
    return new ManagedServiceIdentityClient(credential, subscription, {
      ...shared,
      credentialScopes: shared.credentials.scopes,
    });
  });
  const resourceGraph = remembered(async (_: string) => {
    const { ResourceGraphClient } = await import('./lazy/arm-resourcegraph.ts');
    return new ResourceGraphClient(credential, shared);
  });
  const keys = remembered(async (vaultUri: string) => {
    const { KeyClient } = await import('./lazy/keyvault-keys.ts');
    return new KeyClient(vaultUri, credential, {
      httpClient: createHttpClient({ ...wire, endpoint: vaultUri }),
      retryOptions: { maxRetries: 0 },
      userAgentOptions: shared.userAgentOptions,
      disableChallengeResourceVerification: !environment.wellKnown,
    });
  });
  return {
    environment,
    credential,
    rates: { ...DEFAULT_RATES, ...options.rates },
    subscriptionId: own,
    compute: (subscription = own) => compute(subscription),
    network: (subscription = own) => network(subscription),
    containerService: (subscription = own) => containerService(subscription),
    authorization: (subscription = own) => authorization(subscription),
    keyVault: (subscription = own) => keyVault(subscription),
    managedIdentity: (subscription = own) => managedIdentity(subscription),
    resourceGraph: () => resourceGraph(own),
    keys: (vaultUri) => keys(vaultUri.replace(/\/+$/, '')),
    getJson: async (url, signal) => {
      assertAt(environment.resourceManagerUrl, url);
      return jsonWith(await compute(own), arm, world, url, signal);
    },
    poll: async (operation, signal) => {
      // The request carries our token, so it is sent to ARM only; otherwise the resource itself is read.
      if (!isAt(environment.resourceManagerUrl, operation.url)) return { state: 'unknown' };
      return pollWith(await compute(own), arm, world, operation, signal);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** One client for each key: they hold a token cache. The first failure to load is not kept. */
function remembered<T>(make: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    made.set(key, fresh);
    fresh.catch(() => made.delete(key));
    return fresh;
  };
}

async function jsonWith(
  client: ComputeManagementClient,
  httpClient: HttpClient,
  world: World,
  url: string,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const answer = await getThroughPipeline(client, httpClient, url, signal);
  const text = answer.bodyAsText ?? '';
  if (answer.status === 200) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ArmError({ status: 200, code: BAD_ANSWER, message: `not JSON: ${beginningOf(text)}` });
    }
  }
  const headers = new Headers(answer.headers.toJSON());
  throw fromResponse({
    status: answer.status,
    text,
    retryAfterMs: retryAfterMs(headers, world.clock.now()),
    requestId: headers.get('x-ms-request-id') ?? undefined,
  });
}

async function pollWith(
  client: ComputeManagementClient,
  httpClient: HttpClient,
  world: World,
  operation: Operation,
  signal: AbortSignal | undefined,
): Promise<OperationState> {
  return pollOnce(operation, async (url) => {
    const answer = await getThroughPipeline(client, httpClient, url, signal);
    const headers = new Headers(answer.headers.toJSON());
    return {
      status: answer.status,
      text: answer.bodyAsText ?? '',
      retryAfterMs: retryAfterMs(headers, world.clock.now()),
      requestId: headers.get('x-ms-request-id') ?? undefined,
    };
  });
}

function auxiliaryPolicy(token: () => Promise<string>): PipelinePolicy {
  return {
    name: 'auxiliaryToken',
    async sendRequest(request, next) {
      const isMachineWrite = request.method === 'PUT' && /\/virtualMachines\/[^/?]+(\?|$)/.test(request.url);
      if (isMachineWrite) request.headers.set(AUXILIARY_TOKEN_HEADER, `Bearer ${await token()}`);
      return next(request);
    },
  };
}
