/**
 * The whole thing for one case of the corpus, in one process and in virtual time: API server with stand-ins, ARM server with
 * machines, an operator over the official SDKs; and what a person with `why` reads: the cluster, and
 * Azure. Losses inside the controller are put in as in the playground, by the fault `drop-des`.
 */
import { ADMIN } from '@chandler/apiserver';
import { KUBELET_VERSION } from '@chandler/apiserver/standins';
import { controllerEnvironment, dropsValueAt, filesIn, type RunningAzure } from '@chandler/cloudsim/azure';
import { fetchTransport, KubeClient, type KubeObject, type ResourceRef } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { createAuthority } from '@chandler/kube/tls';
import type { ArmClients } from '../../packages/chandler/src/arm/index.ts';
import {
  AZURE_CONTROLLER_OPTIONS,
  AZURE_RULES,
  type AzureReader,
  azureAccess,
  azureReader,
  createAzureProvider,
} from '../../packages/chandler/src/cloud/azure/index.ts';
import { createOperator, type Operator } from '../../packages/chandler/src/operator/index.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { injectFaults } from '../../packages/chandler/src/playground/testing.ts';
import {
  type Environment,
  GlobalSettings,
  resolveOptions,
} from '../../packages/chandler/src/settings/index.ts';

import { FEW_SIZES } from '../operator/azure-stage.ts';
import { BUILD, inTime, NAMESPACE } from '../operator/operator-stage.ts';

export interface WhyStage {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly azure: RunningAzure;
  readonly admin: KubeClient;
  readonly clients: ArmClients;
  readonly reader: AzureReader;
  /** @throws {OptionsRefused} */
  operator(env: Environment): Operator;
  apply(resource: ResourceRef, object: object): Promise<KubeObject>;
  /** Without the node that was there before. */
  list(resource: ResourceRef): Promise<readonly KubeObject[]>;
  inTime<T>(promise: Promise<T>): Promise<T>;
  /** False when it does not come about in time. */
  until(holds: () => Promise<boolean>, withinMs: number): Promise<boolean>;
  end(): Promise<void>;
}

/** The process ends with these words. */
export class OptionsRefused extends Error {}

export async function whyStage(): Promise<WhyStage> {
  // The library that asks for tokens knows only the real time.
  const world = virtualWorld({ startMs: Date.now() });
  const playground = await inTime(
    world,
    startPlayground({
      world,
      port: false,
      // As on AKS, where a cluster has nodes that show its region, and take no pods of users.
      systemNodes: 1,
      systemTaint: true,
      azure: { azure: { catalogue: FEW_SIZES }, server: { tokenLifetimeMs: 30 * 24 * 3600_000 } },
    }),
  );
  const azure = playground.azure!;
  const ca = (await createAuthority(() => world.clock.now())).certificatePem;
  const files = filesOf(azure, ca);
  const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  const made: Operator[] = [];
  const { values } = settingsOf(azure, files, {});
  const { clients } = azureAccess({
    world,
    values,
    fetch: azure.arm.fetch,
    readFile: readerOf(files),
    version: BUILD.version,
  });
  return {
    world,
    playground,
    azure,
    admin,
    clients,
    reader: azureReader({ clients, world, fetch: azure.arm.fetch }),
    operator(env) {
      const settings = settingsOf(azure, files, env);
      const operator = createOperator({
        world,
        kube: { transport: fetchTransport(playground.server.fetchAs(ADMIN)), host: 'kubernetes' },
        settings,
        namespace: NAMESPACE,
        build: BUILD,
        provider: createAzureProvider(injectFaults(dropsValueAt(azure.arm.faults))),
        wires: {
          fetch: azure.arm.fetch,
          readFile: readerOf(files),
          version: BUILD.version,
        },
      });
      made.push(operator);
      return operator;
    },
    apply: (resource, object) => inTime(world, admin.create(resource, object as KubeObject)),
    list: async (resource) => {
      const { items } = await inTime(world, admin.list(resource));
      return items.filter(({ metadata }) => !metadata.name?.startsWith('system-'));
    },
    inTime: (promise) => inTime(world, promise),
    async until(holds, withinMs) {
      for (let waited = 0; waited <= withinMs; waited += STEP_MS) {
        if (await holds()) return true;
        await world.clock.advance(STEP_MS);
      }
      return false;
    },
    async end() {
      for (const operator of made) await inTime(world, operator.stop());
      await inTime(world, playground.stop());
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const STEP_MS = 2000;
const PATHS = filesIn('/azure');

function filesOf({ arm, bootstrapToken }: RunningAzure, ca: string): Readonly<Record<string, string>> {
  return {
    [PATHS.clientSecretFile]: arm.credentials.clientSecret,
    [PATHS.tokenFile]: bootstrapToken,
    [PATHS.caFile]: ca,
    [PATHS.environmentFile]: JSON.stringify({
      name: 'AzurePublicCloud',
      resourceManagerEndpoint: arm.url,
      activeDirectoryEndpoint: arm.url,
      tokenAudience: arm.url,
    }),
  };
}

function readerOf(files: Readonly<Record<string, string>>): (path: string) => string {
  return (path) => {
    const text = files[path];
    if (text === undefined) throw new Error(`no file ${path}`);
    return text;
  };
}

function settingsOf(azure: RunningAzure, files: Readonly<Record<string, string>>, env: Environment) {
  // By name, as nodes of a real cluster know it.
  const cluster = azure.arm.resources.list('Microsoft.ContainerService/managedClusters')[0];
  const around = { azure, serverUrl: `https://${String(cluster?.properties['fqdn'])}:443`, kubeconfig: '' };
  const resolved = resolveOptions(
    AZURE_CONTROLLER_OPTIONS,
    {
      args: [],
      env: {
        ...controllerEnvironment(around, PATHS),
        KUBERNETES_VERSION: KUBELET_VERSION.slice(1),
        CLUSTER_CA_BUNDLE: Buffer.from(files[PATHS.caFile]!).toString('base64'),
        ...env,
      },
      readFile: readerOf(files),
    },
    AZURE_RULES,
  );
  if (resolved.problems.length > 0)
    throw new OptionsRefused(
      resolved.problems.map(({ where, message }) => `${where}: ${message}`).join('; '),
    );
  return new GlobalSettings(resolved);
}
