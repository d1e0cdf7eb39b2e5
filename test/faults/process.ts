/**
 * One controller process: the whole operator with the Azure cloud, on a World that can be killed and on
 * connections that lose requests. It consists of production code; a deliberate bug is injected from outside,
 * at the seams defined here.
 */
import type { Controller, Fetch } from '@chandler/kube';
import { type AzureParts, GOOD_ENV } from '../../packages/chandler/src/cloud/azure/testing.ts';
import type { ControllerContext } from '../../packages/chandler/src/controllers/index.ts';
import type { CreateOperator, Operator, OperatorEnd } from '../../packages/chandler/src/operator/index.ts';
import type { Environment } from '../../packages/chandler/src/settings/index.ts';
import type { KillableWorld } from './killable-world.ts';
import { code } from './operator-code.ts';
import { API_SERVER, KUBERNETES_VERSION, type Servers } from './servers.ts';

const {
  AZURE_CONTROLLER_OPTIONS,
  AZURE_RULES,
  azureProvider,
  cloudContext,
  coreControllers,
  createOperator,
  fetchTransport,
  GlobalSettings,
  resolveOptions,
} = code;

/** The seams at which a bug can be injected. */
export interface Seams {
  readonly env?: Environment;
  readonly kubeFetch?: (fetch: Fetch, world: KillableWorld) => Fetch;
  readonly armFetch?: (fetch: Fetch, world: KillableWorld) => Fetch;
  readonly parts?: (parts: AzureParts, world: KillableWorld) => AzureParts;
  readonly context?: (context: ControllerContext) => ControllerContext;
  readonly controllers?: (all: readonly Controller[], context: ControllerContext) => readonly Controller[];
}

export interface Process {
  readonly world: KillableWorld;
  readonly operator: Operator;
  /** Resolves when the process exits by itself; never when it is killed. */
  readonly ended: Promise<OperatorEnd | Error>;
}

export interface ProcessOptions {
  readonly servers: Servers;
  readonly world: KillableWorld;
  /** Through the simulated network. */
  readonly kubeFetch: Fetch;
  readonly armFetch: Fetch;
  /** The interval of lease renewals. */
  readonly renewalMs?: number;
  readonly seams?: Seams;
}

export function startProcess(options: ProcessOptions): Process {
  const { world, seams = {} } = options;
  const settings = settingsOf(options.servers, seams.env ?? {});
  const kube = world.wire('kube', seams.kubeFetch?.(options.kubeFetch, world) ?? options.kubeFetch);
  const operator = createOperator({
    world,
    kube: { transport: fetchTransport(kube), host: 'kubernetes' },
    settings,
    namespace: 'kube-system',
    identity: world.name,
    build: BUILD,
    electionTimes: electionTimes(options.renewalMs),
    ...cloudOf(options),
    ...brokenControllers(seams),
  });
  const ended = operator.start().then(
    () => operator.ended,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  return { world, operator, ended };
}

/** The secrets of this run; they must not leak. */
export function secretsOf({ arm, bootstrapToken }: Servers): Readonly<Record<string, string>> {
  return {
    'the bootstrap token': bootstrapToken.split('.')[1]!,
    'the client secret': arm.credentials.clientSecret,
  };
}

// ---------------------------------------------------------------------------------------------------

const BUILD = { version: '1.2.3', commit: 'abc', runtime: 'v24.0.0', arch: 'x64' };

function cloudOf({
  servers,
  world,
  armFetch,
  seams = {},
}: ProcessOptions): Pick<CreateOperator, 'provider' | 'wires'> {
  return {
    provider: {
      ...azureProvider,
      async createParts(request) {
        const parts = (await azureProvider.createParts(request)) as AzureParts;
        return seams.parts?.(parts, world) ?? parts;
      },
    },
    wires: {
      fetch: world.wire('arm', seams.armFetch?.(armFetch, world) ?? armFetch),
      readFile: () => environmentFile(servers.arm.url),
      version: BUILD.version,
    },
  };
}

function brokenControllers({ controllers, context }: Seams): Pick<CreateOperator, 'controllers'> {
  if (controllers === undefined && context === undefined) return {};
  return {
    controllers(given, parts) {
      const broken = context?.(given) ?? given;
      const all = [
        ...coreControllers(broken, { observability: false }),
        ...(parts.controllers?.(cloudContext(broken)) ?? []),
      ];
      return controllers?.(all, broken) ?? all;
    },
  };
}

/** In the proportions of the real ones. */
function electionTimes(renewalMs = 2_000): NonNullable<CreateOperator['electionTimes']> {
  return { retryPeriodMs: renewalMs, renewDeadlineMs: 5 * renewalMs, leaseDurationMs: 7.5 * renewalMs };
}

function environmentFile(url: string): string {
  return JSON.stringify({
    name: 'AzureUSGovernmentCloud',
    resourceManagerEndpoint: url,
    activeDirectoryEndpoint: url,
    tokenAudience: 'https://management.azure.com',
  });
}

function settingsOf({ arm, ca, bootstrapToken }: Servers, env: Environment) {
  const { settings, credentials } = arm;
  const { subscriptionId, nodeResourceGroup, clusterId } = settings;
  const resolved = resolveOptions(
    AZURE_CONTROLLER_OPTIONS,
    {
      args: [],
      env: {
        ...GOOD_ENV,
        CLUSTER_NAME: settings.clusterName,
        CLUSTER_ENDPOINT: `https://${API_SERVER}:443`,
        KUBELET_BOOTSTRAP_TOKEN: bootstrapToken,
        KUBERNETES_VERSION,
        VNET_SUBNET_ID: `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Network/virtualNetworks/aks-vnet-${clusterId}/subnets/aks-subnet`,
        AZURE_NODE_RESOURCE_GROUP: nodeResourceGroup,
        ARM_RESOURCE_GROUP: settings.clusterResourceGroup,
        ARM_SUBSCRIPTION_ID: subscriptionId,
        LOCATION: settings.region,
        AZURE_ENVIRONMENT_FILEPATH: '/playground.json',
        AZURE_TENANT_ID: credentials.tenantId,
        AZURE_CLIENT_ID: credentials.clientId,
        AZURE_CLIENT_SECRET: credentials.clientSecret,
        CLUSTER_CA_BUNDLE: Buffer.from(ca).toString('base64'),
        PRICING_URL: `${arm.url}/api/retail/prices`,
        ...env,
      },
      readFile: (path) => {
        throw new Error(`no file ${path}`);
      },
    },
    AZURE_RULES,
  );
  if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
  return new GlobalSettings(resolved);
}
