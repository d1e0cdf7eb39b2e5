/**
 * The whole thing for one case of the corpus, in one process and in virtual time: API server with stand-ins, ARM server with
 * machines, an operator over the official SDKs; and the two doors that a person with `why` has, one to the cluster and one
 * to Azure. Losses inside the controller are put in from outside, at its options and at its wire.
 */
import type { KubeObject } from '../../src/api/object.ts';
import { type AzureEye, azureEye } from '../../src/diagnose/index.ts';
import { fetchTransport, KubeClient, type ResourceRef } from '../../src/kube/index.ts';
import {
  azureAccess,
  azureCloudParts,
  CONTROLLER_OPTIONS,
  type ControllerValues,
  createOperator,
  type Operator,
} from '../../src/operator/index.ts';
import { createAuthority } from '../../src/playground/apiserver/edge/tls.ts';
import { ADMIN } from '../../src/playground/apiserver/server.ts';
import type { RunningAzure } from '../../src/playground/azure/machines/azure-playground.ts';
import { controllerEnvironment, filesIn } from '../../src/playground/azure/machines/controller-files.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { KUBELET_VERSION } from '../../src/playground/standins/kubelet/node-object.ts';
import { AZURE_RULES } from '../../src/settings/azure-options.ts';
import { GlobalSettings } from '../../src/settings/global-settings.ts';
import type { Environment } from '../../src/settings/option-row.ts';
import { resolveOptions } from '../../src/settings/resolve-options.ts';
import type { Fetch } from '../../src/world.ts';
import { FEW_SIZES } from '../operator/azure-stage.ts';
import { BUILD, inTime, NAMESPACE } from '../operator/operator-stage.ts';
import { type VirtualWorld, virtualWorld } from '../world/virtual-world.ts';

export type Loss = 'options' | 'provider' | 'policy';

export interface WhyStage {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly azure: RunningAzure;
  readonly admin: KubeClient;
  readonly eye: AzureEye;
  operator(env: Environment, lose?: Loss): Operator;
  apply(resource: ResourceRef, object: object): Promise<KubeObject>;
  list(resource: ResourceRef): Promise<readonly KubeObject[]>;
  inTime<T>(promise: Promise<T>): Promise<T>;
  /** False when it does not come about in time. */
  until(holds: () => Promise<boolean>, withinMs: number): Promise<boolean>;
  end(): Promise<void>;
}

export async function whyStage(): Promise<WhyStage> {
  // The library that asks for tokens knows only the real time.
  const world = virtualWorld({ startMs: Date.now() });
  const playground = await inTime(
    world,
    startPlayground({
      world,
      port: false,
      systemNodes: 0,
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
    eye: azureEye({ clients, world, fetch: azure.arm.fetch }),
    operator(env, lose) {
      const settings = settingsOf(azure, files, env);
      const operator = createOperator({
        world,
        kube: { transport: fetchTransport(playground.server.fetchAs(ADMIN)), host: 'kubernetes' },
        settings,
        namespace: NAMESPACE,
        build: BUILD,
        cloudParts: azureCloudParts(lose === 'provider' ? forgetful(settings) : settings, {
          fetch: lose === 'policy' ? stripped(azure.arm.fetch) : azure.arm.fetch,
          readFile: readerOf(files),
          version: BUILD.version,
        }),
      });
      made.push(operator);
      return operator;
    },
    apply: (resource, object) => inTime(world, admin.create(resource, object as KubeObject)),
    list: async (resource) => (await inTime(world, admin.list(resource))).items,
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
    CONTROLLER_OPTIONS,
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
  if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
  return new GlobalSettings(resolved);
}

/** A provider that has its options, and when it makes use of them the set is not there any more. */
function forgetful(settings: { readonly values: ControllerValues }): { readonly values: ControllerValues } {
  return {
    get values() {
      let asked = 0;
      const { values } = settings;
      return new Proxy(values, {
        get(target, name) {
          const value = Reflect.get(target, name) as { readonly value: unknown };
          if (name !== 'nodeOsdiskDiskencryptionsetId') return value;
          return asked++ === 0 ? value : { ...value, value: '' };
        },
      });
    },
  };
}

/** A policy with the effect modify: the machine is made, without what was asked for. */
function stripped(send: Fetch): Fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = init?.body;
    if (init?.method !== 'PUT' || !/\/virtualMachines\/[^/?]+\?/.test(url) || typeof body !== 'string')
      return send(input, init);
    return send(input, { ...init, body: body.replace(/"diskEncryptionSet":\{"id":"[^"]*"\}/, '') });
  };
}
