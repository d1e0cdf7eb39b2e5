/**
 * The whole of it in one process and in virtual time: API server, stand-ins, ARM server with a cluster's resources, and
 * operators that speak to both over the official SDKs. No socket, no real timer.
 */
import type { KubeObject } from '../../src/api/object.ts';
import { fetchTransport, KubeClient, type ResourceRef, type Transport } from '../../src/kube/index.ts';
import {
  azureCloudParts,
  CONTROLLER_OPTIONS,
  type CreateOperator,
  createOperator,
  type Operator,
} from '../../src/operator/index.ts';
import { createAuthority } from '../../src/playground/apiserver/edge/tls.ts';
import { ADMIN } from '../../src/playground/apiserver/server.ts';
import { type ArmServer, startArmServer } from '../../src/playground/azure/arm-server.ts';
import { type PlaygroundAzure, playgroundAzure } from '../../src/playground/azure/cluster/index.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { AZURE_RULES } from '../../src/settings/azure-options.ts';
import { GlobalSettings } from '../../src/settings/global-settings.ts';
import type { Environment } from '../../src/settings/option-row.ts';
import { resolveOptions } from '../../src/settings/resolve-options.ts';
import { GOOD_ENV } from '../../src/settings/settings.fixture.ts';
import { type VirtualWorld, virtualWorld } from '../world/virtual-world.ts';
import { plainMachines } from './azure-machines.ts';
import { BUILD, inTime, NAMESPACE } from './operator-stage.ts';

export interface AzureStage {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly arm: ArmServer;
  readonly azure: PlaygroundAzure;
  readonly admin: KubeClient;
  operator(given?: GivenOperator): Operator;
  apply(resource: ResourceRef, object: object): Promise<KubeObject>;
  list(resource: ResourceRef): Promise<readonly KubeObject[]>;
  inTime<T>(promise: Promise<T>): Promise<T>;
  until(what: string, holds: () => Promise<boolean> | boolean, withinMs?: number): Promise<void>;
  end(): Promise<void>;
}

export interface GivenOperator extends Partial<CreateOperator> {
  readonly env?: Environment;
  readonly args?: readonly string[];
  readonly transport?: Transport;
}

export async function azureStage(): Promise<AzureStage> {
  // The library that asks for tokens knows only the real time.
  const world = virtualWorld({ startMs: Date.now() });
  const playground = await startPlayground({ world, port: false, systemNodes: 0 });
  const azure = playgroundAzure();
  const arm = await startArmServer({
    world,
    listen: false,
    providers: azure.providers,
    tokenLifetimeMs: 30 * 24 * 3600_000,
  });
  const stopMachines = plainMachines(arm, playground.standins!, world);
  const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  const ca = (await createAuthority(() => world.clock.now())).certificatePem;
  const made: Operator[] = [];
  const stage: AzureStage = {
    world,
    playground,
    arm,
    azure,
    admin,
    operator({ env = {}, args = [], transport, ...given } = {}) {
      const settings = settingsOf(arm, ca, env, args);
      const wire = transport ?? fetchTransport(playground.server.fetchAs(ADMIN));
      const operator = createOperator({
        world,
        kube: { transport: wire, host: 'kubernetes' },
        settings,
        namespace: NAMESPACE,
        build: BUILD,
        cloudParts: azureCloudParts(settings, {
          fetch: arm.fetch,
          readFile: () => environmentFile(arm),
          version: BUILD.version,
        }),
        ...given,
      });
      made.push(operator);
      return operator;
    },
    apply: (resource, object) => inTime(world, admin.create(resource, object as KubeObject)),
    list: async (resource) => (await inTime(world, admin.list(resource))).items,
    inTime: (promise) => inTime(world, promise),
    async until(what, holds, withinMs = 300_000) {
      for (let waited = 0; waited <= withinMs; waited += STEP_MS) {
        if (await holds()) return;
        await world.clock.advance(STEP_MS);
      }
      throw new Error(`after ${withinMs / 1000} s still not so: ${what}`);
    },
    async end() {
      for (const operator of made) await inTime(world, operator.stop());
      stopMachines();
      await arm.close();
      await inTime(world, playground.stop());
    },
  };
  return stage;
}

// ---------------------------------------------------------------------------------------------------

const STEP_MS = 1000;

function environmentFile({ url }: ArmServer): string {
  return JSON.stringify({
    name: 'Playground',
    resourceManagerEndpoint: url,
    activeDirectoryEndpoint: url,
    tokenAudience: 'https://management.azure.com',
  });
}

function settingsOf(arm: ArmServer, ca: string, env: Environment, args: readonly string[]) {
  const { settings, credentials } = arm;
  const resolved = resolveOptions(
    CONTROLLER_OPTIONS,
    {
      args,
      env: {
        ...GOOD_ENV,
        CLUSTER_NAME: settings.clusterName,
        VNET_SUBNET_ID: `/subscriptions/${settings.subscriptionId}/resourceGroups/${settings.nodeResourceGroup}/providers/Microsoft.Network/virtualNetworks/aks-vnet-${settings.clusterId}/subnets/aks-subnet`,
        AZURE_NODE_RESOURCE_GROUP: settings.nodeResourceGroup,
        ARM_RESOURCE_GROUP: settings.clusterResourceGroup,
        ARM_SUBSCRIPTION_ID: settings.subscriptionId,
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
