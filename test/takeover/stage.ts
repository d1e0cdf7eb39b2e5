/**
 * A cluster as Karpenter left it, in one process and in virtual time: an API server, a scheduler, the servers of a cloud. Nodes
 * that existed before have no machine that could change anything; every change was written by a controller.
 */
import '../e2e/loaded-modules.ts';
import '../e2e/loaded-aws-modules.ts';
import { ADMIN } from '@chandler/apiserver';
import { type Fetch, fetchTransport, KubeClient, type Transport } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import type { CloudProvider } from '../../packages/chandler/src/cloud/index.ts';
import {
  type CreateOperator,
  createOperator,
  type Operator,
} from '../../packages/chandler/src/operator/index.ts';
import {
  type Playground,
  type PlaygroundOptions,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';
import {
  type Environment,
  GlobalSettings,
  OPERATOR_OPTIONS,
  resolveOptions,
} from '../../packages/chandler/src/settings/index.ts';

import type { BaseRoles } from '../e2e/role-rules.ts';
import { checkRoleUse, controllerFetch } from '../e2e/role-use.ts';
import { BUILD, inTime, NAMESPACE } from '../operator/operator-stage.ts';
import type { Writable } from './writing.ts';

/** What a stage needs of a cloud. */
export interface StageCloud {
  readonly simulated: Pick<PlaygroundOptions, 'azure' | 'aws'>;
  /** The file of deploy/ with the permissions of the controller. */
  readonly roles: BaseRoles;
  /** What its servers were asked, the last calls. */
  calls(playground: Playground): { readonly total: number; list(): readonly CloudCall[] };
  /** How an operator reaches it. */
  access(playground: Playground): CloudAccess;
}

export interface CloudCall {
  /** `PUT /subscriptions/…`, `ec2:CreateFleet`. */
  readonly line: string;
  readonly writes: boolean;
}

export interface CloudAccess {
  readonly provider: CloudProvider;
  readonly env: Environment;
  readonly files: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** Of the API server; absent: the environment has it. */
  readonly clusterCaPem?: string;
}

export interface TakeoverStage extends Writable {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  /** What operators wrote, leases apart: `PATCH /api/v1/nodes/a` with the body. */
  readonly writes: { readonly line: string; readonly body: string }[];
  /** What was asked of the cloud that was no read, since `forget`. */
  cloudWrites(): readonly string[];
  /** Both lists begin again. */
  forget(): void;
  /** Not started. */
  operator(env?: Environment, given?: Pick<CreateOperator, 'observe'>): Operator;
  until(what: string, holds: () => Promise<boolean> | boolean, withinMs?: number): Promise<void>;
  end(): Promise<void>;
}

export async function takeoverStage(cloud: StageCloud): Promise<TakeoverStage> {
  // A library for tokens uses only real time.
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
      ...cloud.simulated,
    }),
  );
  const { server } = playground;
  const writes: { line: string; body: string }[] = [];
  const account = await controllerFetch(server, playground.azure?.bootstrapToken, [], cloud.roles);
  const wire = watched(fetchTransport(account), writes);
  const calls = cloud.calls(playground);
  const made: Operator[] = [];
  let callsBefore = 0;
  return {
    world,
    playground,
    writes,
    admin: new KubeClient({ transport: fetchTransport(server.fetchAs(ADMIN)) }),
    cloudWrites() {
      const since = calls.total - callsBefore;
      const own = since === 0 ? [] : calls.list().slice(-since);
      if (own.length < since) throw new Error('the cloud has forgotten calls');
      return own.filter((call) => call.writes).map(({ line }) => line);
    },
    forget() {
      writes.length = 0;
      callsBefore = calls.total;
    },
    operator(env = {}, given = {}) {
      const operator = operatorOf(world, wire, cloud.access(playground), env, given);
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
      checkRoleUse(server);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const STEP_MS = 1000;

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

function operatorOf(
  world: VirtualWorld,
  transport: Transport,
  access: CloudAccess,
  env: Environment,
  given: Pick<CreateOperator, 'observe'>,
): Operator {
  const { provider, files, fetch, clusterCaPem } = access;
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`no file ${path}`);
    return text;
  };
  const { table, rules } = provider.options;
  const input = { args: [], env: { ...access.env, ...env }, readFile };
  const resolved = resolveOptions({ ...OPERATOR_OPTIONS, ...table }, input, rules);
  if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
  return createOperator({
    world,
    kube: { transport, host: 'kubernetes' },
    settings: new GlobalSettings(resolved),
    namespace: NAMESPACE,
    build: BUILD,
    provider,
    wires: { fetch, readFile, version: BUILD.version, clusterCaPem },
    ...given,
  });
}
