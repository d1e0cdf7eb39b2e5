/**
 * The ARM server of the playground: one subscription with the node resource group of an AKS cluster, served over HTTPS on
 * loopback and as a `fetch` in this process. It wires the parts; each provider is in its own folder.
 */
import { createHash } from 'node:crypto';
import type { Fetch, World } from '@chandler/kube';
import type { TokenIssuer } from '../json-web-token.ts';
import { Schedule } from '../schedule.ts';
import { computeProvider } from './compute/compute-provider.ts';
import type { VmControl, VmHooks } from './compute/vm-hooks.ts';
import { VmStates } from './compute/vm-states.ts';
import type { FaultRegister, FaultSpec } from './faults/fault.ts';
import { faultRoutes } from './faults/fault-routes.ts';
import { Faults } from './faults/faults.ts';
import { graphProvider } from './graph/graph-provider.ts';
import { seedClusterNetwork } from './network/cluster-network.ts';
import { networkProvider } from './network/network-provider.ts';
import { Nics } from './network/nics.ts';
import { groupRoutes } from './store/group-routes.ts';
import type { ArmResource } from './store/resource.ts';
import { ResourceStore } from './store/resource-store.ts';
import { Access } from './wire/access.ts';
import type { ArmRoute } from './wire/arm-request.ts';
import { type Call, CallLog } from './wire/call-log.ts';
import type { ArmContext, ArmSettings, Provider } from './wire/context.ts';
import { Gateway } from './wire/gateway.ts';
import { type HttpsServer, startHttpsServer } from './wire/https-server.ts';
import { identityRoutes } from './wire/identity-routes.ts';
import { inProcessFetch } from './wire/in-process.ts';
import { type Latencies, QUICK_LATENCIES, REALISTIC_LATENCIES } from './wire/latencies.ts';
import { Operations, operationRoutes } from './wire/operations.ts';
import { Router } from './wire/router.ts';
import { type ThrottleLimits, Throttles } from './wire/throttle.ts';
import { type Identity, Tokens } from './wire/tokens.ts';

export interface ArmServerOptions extends Partial<ArmSettings> {
  readonly world: World;
  /** False: only `fetch` in this process. A number is the port. Default true: any free port. */
  readonly listen?: boolean | number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Realistic latencies and throttling. Default false. */
  readonly realistic?: boolean;
  /** Individual latencies; they override those selected by `realistic`. */
  readonly latencies?: Partial<Latencies>;
  /** Written as `cse=211@zone=2,rate=0.1`, or as an object. */
  readonly faults?: readonly (FaultSpec | string)[];
  /** ARM's limits (true), none (false), or some of them changed. Default: only when realistic. */
  readonly throttle?: boolean | Partial<ThrottleLimits>;
  /** Resource providers beside compute, network and the graph. */
  readonly providers?: readonly Provider[];
  /** Identities that can sign in besides the default one; they have no rights until granted. */
  readonly identities?: readonly Identity[];
  /** Actions of the default identity on the subscription. Default `['*']`. */
  readonly actions?: readonly string[];
  readonly tokenLifetimeMs?: number;
  /** Serve the token endpoint of IMDS, which gives a token to every caller on this machine. Default false. */
  readonly metadataEndpoint?: boolean;
  /** Issuers whose federated tokens must be signed with one of their keys; the tokens of others are believed. */
  readonly issuers?: readonly TokenIssuer[];
  /** How many calls are retained for `resources.calls()`. Default 20,000. */
  readonly callLogLimit?: number;
  /** The address range of the nodes' subnet. Default 10.224.0.0/16. */
  readonly subnetPrefix?: string;
}

export interface ArmServer {
  /** The endpoint for management clients, without a trailing slash. A placeholder name when the server does not listen. */
  readonly url: string;
  readonly port: number | undefined;
  /** The CA of the HTTPS server; undefined when the server does not listen. */
  readonly caPem: string | undefined;
  /** In process, with the same answers as over HTTPS. Only path and query of the URL matter. */
  readonly fetch: Fetch;
  /** For `ClientSecretCredential`: tenant, client id, secret, and `authorityHost`. */
  readonly credentials: ArmCredentials;
  /** What calls to `/playground/faults` must send as a bearer token. */
  readonly faultSecret: string;
  /** A management token of the default identity (or another), for raw calls. */
  token(clientId?: string): string;
  readonly settings: ArmSettings;
  readonly resources: ArmResources;
  readonly faults: FaultRegister;
  readonly vms: VmControl;
  /** Calls the hooks for everything that happens to VMs; the returned function removes them. */
  addHooks(hooks: VmHooks): () => void;
  registerProvider(routes: readonly ArmRoute[]): void;
  readonly context: ArmContext;
  close(): Promise<void>;
}

export interface ArmCredentials {
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly objectId: string;
  readonly authorityHost: string;
}

/** Direct access for checks, without HTTP. */
export interface ArmResources {
  vms(): readonly ArmResource[];
  nics(): readonly ArmResource[];
  disks(): readonly ArmResource[];
  extensions(): readonly ArmResource[];
  get(id: string): ArmResource | undefined;
  list(type: string): readonly ArmResource[];
  /** The last calls, oldest first. */
  calls(): readonly Call[];
  readonly totalCalls: number;
}

export async function startArmServer(options: ArmServerOptions): Promise<ArmServer> {
  const server = new Server(options);
  await server.listen();
  return server;
}

// ---------------------------------------------------------------------------------------------------

const OFFLINE_URL = 'https://arm.playground.internal';
const DEFAULT_SETTINGS: ArmSettings = {
  region: 'eastus',
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-0000000000aa',
  clusterResourceGroup: 'playground',
  clusterName: 'playground',
  nodeResourceGroup: 'MC_playground_playground_eastus',
  clusterId: '12345678',
};
const VM = 'Microsoft.Compute/virtualMachines';

class Server implements ArmServer {
  readonly settings: ArmSettings;
  readonly fetch: Fetch;
  readonly credentials: ArmCredentials;
  readonly resources: ArmResources;
  readonly faultSecret: string;
  readonly context: ArmContext;
  readonly #options: ArmServerOptions;
  readonly #router = new Router();
  readonly #gateway: Gateway;
  readonly #identity: Identity;
  #httpsServer: HttpsServer | undefined;

  constructor(options: ArmServerOptions) {
    this.#options = options;
    this.settings = settingsOf(options);
    this.#identity = defaultIdentity(options.world, this.settings);
    // Derived, so that the random sequence of a seed stays the same.
    this.faultSecret = createHash('sha256').update(`faults ${this.#identity.clientSecret}`).digest('hex');
    this.context = this.#assemble();
    const throttle = options.throttle ?? options.realistic ?? false;
    const throttles =
      throttle === false ? undefined : new Throttles(options.world.clock, throttle === true ? {} : throttle);
    this.#gateway = new Gateway(this.context, this.#router, throttles);
    this.fetch = inProcessFetch(this.#gateway, () => this.url);
    this.resources = readAccess(this.context);
    const { tenantId } = this.settings;
    const server = this;
    this.credentials = {
      tenantId,
      clientId: this.#identity.clientId,
      clientSecret: this.#identity.clientSecret!,
      objectId: this.#identity.objectId,
      get authorityHost() {
        return server.url;
      },
    };
  }

  get url(): string {
    return this.#httpsServer?.url ?? OFFLINE_URL;
  }

  get port(): number | undefined {
    return this.#httpsServer?.port;
  }

  get caPem(): string | undefined {
    return this.#httpsServer?.caPem;
  }

  get faults(): FaultRegister {
    return this.context.faults;
  }

  get vms(): VmControl {
    return this.context.vms;
  }

  token(clientId = this.#identity.clientId): string {
    const identity = this.context.tokens.identity(clientId);
    if (identity === undefined) throw new Error(`no identity has the client id ${clientId}`);
    return this.context.tokens.issue(identity, 'https://management.azure.com/').token;
  }

  addHooks(hooks: VmHooks): () => void {
    this.context.hooks.push(hooks);
    return () => {
      const at = this.context.hooks.indexOf(hooks);
      if (at >= 0) this.context.hooks.splice(at, 1);
    };
  }

  registerProvider(routes: readonly ArmRoute[]): void {
    this.#router.register(routes);
  }

  async listen(): Promise<void> {
    const { listen = true, host = '127.0.0.1', world } = this.#options;
    if (listen === false) return;
    this.#httpsServer = await startHttpsServer(this.#gateway, {
      host,
      port: listen === true ? 0 : listen,
      now: () => world.clock.now(),
    });
  }

  async close(): Promise<void> {
    this.context.schedule.close();
    await this.#httpsServer?.close();
    this.#httpsServer = undefined;
  }

  #assemble(): ArmContext {
    const { world, realistic = false } = this.#options;
    const store = new ResourceStore();
    const schedule = new Schedule(world.clock, (error) =>
      world.log.error('a task of the ARM server failed', { error: String(error) }),
    );
    const faults = new Faults(world.random);
    for (const fault of this.#options.faults ?? []) faults.add(fault);
    const base = {
      world,
      settings: this.settings,
      latencies: { ...(realistic ? REALISTIC_LATENCIES : QUICK_LATENCIES), ...this.#options.latencies },
      store,
      schedule,
      operations: new Operations(world),
      access: new Access(),
      tokens: new Tokens(world, this.#options.tokenLifetimeMs),
      faults,
      calls: new CallLog(this.#options.callLogLimit),
      services: {},
      hooks: [],
      baseUrl: () => this.url,
    };
    const vms = new VmStates(base);
    const context: ArmContext = { ...base, vms };
    const nics = new Nics(context);
    this.#furnish(context);
    for (const provider of [
      computeProvider(vms, nics),
      networkProvider(nics),
      graphProvider,
      ...(this.#options.providers ?? []),
    ])
      this.#router.register(provider(context));
    this.#router.register([
      ...operationRoutes(context.operations),
      ...identityRoutes(context, {
        withMetadata: this.#options.metadataEndpoint ?? false,
        issuers: this.#options.issuers ?? [],
      }),
      ...faultRoutes(context, this.faultSecret),
      ...groupRoutes(context),
    ]);
    return context;
  }

  /** The subscription as it is after an AKS cluster without nodes was created, and who may use it. */
  #furnish(context: ArmContext): void {
    const { settings, store, access, tokens } = context;
    const { subscriptionId, region: location } = settings;
    store.addSubscription(subscriptionId);
    for (const name of [settings.clusterResourceGroup, settings.nodeResourceGroup])
      store.addResourceGroup({ subscriptionId, name, location });
    seedClusterNetwork(context, this.#options.subnetPrefix);
    for (const identity of [this.#identity, ...(this.#options.identities ?? [])])
      tokens.addIdentity(identity);
    access.grant({
      id: 'default-identity',
      principalId: this.#identity.objectId,
      scope: '/',
      actions: this.#options.actions ?? ['*'],
    });
  }
}

function settingsOf(options: ArmServerOptions): ArmSettings {
  const region = options.region ?? DEFAULT_SETTINGS.region;
  const clusterResourceGroup = options.clusterResourceGroup ?? DEFAULT_SETTINGS.clusterResourceGroup;
  const clusterName = options.clusterName ?? DEFAULT_SETTINGS.clusterName;
  return {
    region,
    clusterResourceGroup,
    clusterName,
    subscriptionId: options.subscriptionId ?? DEFAULT_SETTINGS.subscriptionId,
    tenantId: options.tenantId ?? DEFAULT_SETTINGS.tenantId,
    nodeResourceGroup: options.nodeResourceGroup ?? `MC_${clusterResourceGroup}_${clusterName}_${region}`,
    clusterId: options.clusterId ?? DEFAULT_SETTINGS.clusterId,
    ...(options.maxApiVersion === undefined ? {} : { maxApiVersion: options.maxApiVersion }),
  };
}

function defaultIdentity(world: World, { tenantId }: ArmSettings): Identity {
  return {
    name: 'controller',
    tenantId,
    clientId: '00000000-0000-4000-8000-0000000000c1',
    objectId: '00000000-0000-4000-8000-0000000000c2',
    clientSecret: world.random.uuid(),
    managed: true,
  };
}

function readAccess({ store, calls, settings: { subscriptionId } }: ArmContext): ArmResources {
  const list = (type: string) => store.list(type, { subscriptionId });
  return {
    vms: () => list(VM),
    nics: () => list('Microsoft.Network/networkInterfaces'),
    disks: () => list('Microsoft.Compute/disks'),
    extensions: () => list(`${VM}/extensions`),
    get: (id) => store.get(id),
    list,
    calls: () => calls.list(),
    get totalCalls() {
      return calls.total;
    },
  };
}
