/**
 * A cluster as Karpenter left it, in one process and in virtual time: an API server, a scheduler, the ARM server. Nodes
 * that existed before have no VM that could change anything; every change was written by a controller.
 */
import '../e2e/loaded-modules.ts';
import { ADMIN } from '@chandler/apiserver';
import { controllerEnvironment, filesIn } from '@chandler/cloudsim/azure';
import type { ArmServer } from '@chandler/cloudsim/azure/testing';
import { fetchTransport, KubeClient, type Transport } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { createAuthority } from '@chandler/kube/tls';
import {
  AZURE_CONTROLLER_OPTIONS,
  AZURE_RULES,
  azureProvider,
} from '../../packages/chandler/src/cloud/azure/index.ts';
import { createOperator, type Operator } from '../../packages/chandler/src/operator/index.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { GlobalSettings, resolveOptions } from '../../packages/chandler/src/settings/index.ts';

import { checkRoleUse, controllerFetch } from '../e2e/role-use.ts';
import { FEW_SIZES } from '../operator/azure-stage.ts';
import { BUILD, inTime, NAMESPACE } from '../operator/operator-stage.ts';

export interface TakeoverStage {
  readonly world: VirtualWorld;
  readonly arm: ArmServer;
  readonly admin: KubeClient;
  /** What operators wrote, leases apart: `PATCH /api/v1/nodes/a` with the body. */
  readonly writes: { readonly line: string; readonly body: string }[];
  /** What operators asked of Azure that was no read, since `forget`. */
  armWrites(): readonly string[];
  /** Both lists begin again. */
  forget(): void;
  /** Not started. */
  operator(env?: Readonly<Record<string, string>>): Operator;
  inTime<T>(promise: Promise<T>): Promise<T>;
  until(what: string, holds: () => Promise<boolean> | boolean, withinMs?: number): Promise<void>;
  end(): Promise<void>;
}

export async function takeoverStage(): Promise<TakeoverStage> {
  // The token library uses only real time.
  const world = virtualWorld({ startMs: Date.now() });
  const playground = await inTime(
    world,
    startPlayground({
      world,
      port: false,
      systemNodes: 0,
      standinOptions: {
        without: ['workloads', 'disruption', 'volumes', 'service-accounts'],
        // Nodes of before have no kubelet that would send heartbeats.
        nodeGraceMs: 1000 * 3600_000,
      },
      azure: {
        azure: { catalogue: { ...FEW_SIZES, quota: { family: 100_000, regional: 100_000 } } },
        server: { tokenLifetimeMs: 30 * 24 * 3600_000 },
      },
    }),
  );
  const { arm } = playground.azure!;
  const ca = (await createAuthority(() => world.clock.now())).certificatePem;
  const writes: { line: string; body: string }[] = [];
  const { bootstrapToken } = playground.azure!;
  const account = await controllerFetch(playground.server, bootstrapToken);
  const wire = watched(fetchTransport(account), writes);
  const made: Operator[] = [];
  let callsBefore = 0;
  return {
    world,
    arm,
    writes,
    admin: new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) }),
    armWrites() {
      const { calls, totalCalls } = arm.resources;
      const since = callsBefore === totalCalls ? [] : calls().slice(callsBefore - totalCalls);
      return since
        .filter(({ method, path }) => method !== 'GET' && !READING_POSTS.test(path))
        .map(({ method, path }) => `${method} ${path}`);
    },
    forget() {
      writes.length = 0;
      callsBefore = arm.resources.totalCalls;
    },
    operator(env = {}) {
      const operator = operatorOf({ world, playground, wire, ca, env });
      made.push(operator);
      return operator;
    },
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
}

// ---------------------------------------------------------------------------------------------------

const STEP_MS = 1000;
/** Tokens are requested and Resource Graph is queried by POST. */
const READING_POSTS = /\/token|providers\/Microsoft\.ResourceGraph\/resources/i;
const PATHS = filesIn('/azure');

function watched(send: Transport, writes: { line: string; body: string }[]): Transport {
  return (request) => {
    const { method, path, body } = request;
    if (method !== 'GET' && !path.includes('/leases'))
      writes.push({
        line: `${method} ${path}`,
        body: body === undefined ? '' : Buffer.from(body).toString(),
      });
    return send(request);
  };
}

function operatorOf(at: {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly wire: Transport;
  readonly ca: string;
  readonly env: Readonly<Record<string, string>>;
}): Operator {
  const azure = at.playground.azure!;
  const { arm, bootstrapToken } = azure;
  const files: Readonly<Record<string, string>> = {
    [PATHS.clientSecretFile]: arm.credentials.clientSecret,
    [PATHS.tokenFile]: bootstrapToken,
    [PATHS.caFile]: at.ca,
    [PATHS.environmentFile]: JSON.stringify({
      name: 'AzurePublicCloud',
      resourceManagerEndpoint: arm.url,
      activeDirectoryEndpoint: arm.url,
      tokenAudience: arm.url,
    }),
  };
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`no file ${path}`);
    return text;
  };
  const around = { azure, serverUrl: 'https://127.0.0.1:6443', kubeconfig: '' };
  const ca = Buffer.from(at.ca).toString('base64');
  const env = { ...controllerEnvironment(around, PATHS), CLUSTER_CA_BUNDLE: ca, ...at.env };
  const resolved = resolveOptions(AZURE_CONTROLLER_OPTIONS, { args: [], env, readFile }, AZURE_RULES);
  if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
  const settings = new GlobalSettings(resolved);
  return createOperator({
    world: at.world,
    kube: { transport: at.wire, host: 'kubernetes' },
    settings,
    namespace: NAMESPACE,
    build: BUILD,
    provider: azureProvider,
    wires: { fetch: arm.fetch, readFile, version: BUILD.version },
  });
}
