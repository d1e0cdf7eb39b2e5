/**
 * The whole of it in one process and in virtual time: API server, stand-ins, ARM server with a cluster's resources, and
 * operators that use both through the official SDKs. No socket, no real timer.
 */
import { ADMIN } from '@chandler/apiserver';
import { controllerEnvironment, filesIn, type RunningAzure } from '@chandler/cloudsim/azure';
import {
  type ArmServer,
  type CatalogueOptions,
  type PlaygroundAzure,
  SIZE_FAMILIES,
} from '@chandler/cloudsim/azure/testing';
import {
  fetchTransport,
  KubeClient,
  type KubeObject,
  type ResourceRef,
  type Stored,
  type Transport,
} from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { createAuthority } from '@chandler/kube/tls';
import {
  AZURE_CONTROLLER_OPTIONS,
  AZURE_RULES,
  azureProvider,
} from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  type CreateOperator,
  createOperator,
  type Operator,
} from '../../packages/chandler/src/operator/index.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import {
  type Environment,
  GlobalSettings,
  resolveOptions,
} from '../../packages/chandler/src/settings/index.ts';
import { checkRoleUse, controllerFetch } from '../e2e/role-use.ts';

import { BUILD, inTime, NAMESPACE } from './operator-stage.ts';

export interface AzureStage {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly arm: ArmServer;
  readonly azure: PlaygroundAzure;
  readonly admin: KubeClient;
  operator(given?: GivenOperator): Operator;
  apply(resource: ResourceRef, object: object): Promise<Stored>;
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

/** Default: the whole catalogue. */
export async function azureStage(catalogue: CatalogueOptions = {}): Promise<AzureStage> {
  // The token library uses only real time.
  const world = virtualWorld({ startMs: Date.now() });
  const playground = await inTime(
    world,
    startPlayground({
      world,
      port: false,
      systemNodes: 0,
      azure: { azure: { catalogue }, server: { tokenLifetimeMs: 30 * 24 * 3600_000 } },
    }),
  );
  const running = playground.azure!;
  const { arm, azure } = running;
  const account = await controllerFetch(playground.server, running.bootstrapToken);
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
      const files = filesOf(running, ca);
      const settings = settingsOf(running, files, env, args);
      const wire = transport ?? fetchTransport(account);
      const operator = createOperator({
        world,
        kube: { transport: wire, host: 'kubernetes' },
        settings,
        namespace: NAMESPACE,
        build: BUILD,
        provider: azureProvider,
        wires: {
          fetch: arm.fetch,
          readFile: readerOf(files),
          version: BUILD.version,
        },
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
      await inTime(world, playground.stop());
      checkRoleUse(playground.server);
    },
  };
  return stage;
}

// ---------------------------------------------------------------------------------------------------

const STEP_MS = 1000;

const PATHS = filesIn('/azure');

/** What the playground would write beside a kubeconfig. */
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

function settingsOf(
  azure: RunningAzure,
  files: Readonly<Record<string, string>>,
  env: Environment,
  args: readonly string[],
) {
  const around = { azure, serverUrl: 'https://127.0.0.1:6443', kubeconfig: '' };
  const resolved = resolveOptions(
    AZURE_CONTROLLER_OPTIONS,
    {
      args,
      env: {
        ...controllerEnvironment(around, PATHS),
        CLUSTER_CA_BUNDLE: Buffer.from(files[PATHS.caFile]!).toString('base64'),
        ...env,
      },
      readFile: readerOf(files),
    },
    AZURE_RULES,
  );
  if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
  return new GlobalSettings(resolved);
}

/** One family is enough where the catalogue does not matter, and makes plans fast. */
export const FEW_SIZES: CatalogueOptions = {
  families: SIZE_FAMILIES.filter(({ quotaFamily }) => quotaFamily === 'standardDSv5Family'),
};
