/** A stage for whole operators: API server, stand-ins and a fake cloud in one process, in virtual time. */
import { ADMIN } from '@chandler/apiserver';
import {
  type Fetch,
  fetchTransport,
  KubeClient,
  type KubeObject,
  LEASES,
  type ResourceRef,
  type Stored,
  type Transport,
} from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import {
  type CreateOperator,
  createOperator,
  type Operator,
} from '../../packages/chandler/src/operator/index.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import {
  GlobalSettings,
  OPERATOR_OPTIONS,
  resolveOptions,
} from '../../packages/chandler/src/settings/index.ts';
import { type FakeCloud, fakeCloud, fakeProvider, NO_WIRES } from '../controllers/fake-cloud.ts';
import { checkRoleUse, controllerFetch } from '../e2e/role-use.ts';

export const NAMESPACE = 'kube-system';
export const BUILD = { version: '1.2.3', commit: 'abc', runtime: 'v24.0.0', arch: 'x64' };

export interface OperatorStage {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly cloud: FakeCloud;
  readonly admin: KubeClient;
  /** Every request of operators, `METHOD path`. */
  readonly requests: string[];
  /** Not started. */
  operator(given?: Partial<CreateOperator> & { readonly args?: readonly string[] }): Operator;
  /** Its process was killed and cannot be stopped gracefully. */
  forget(operator: Operator): void;
  apply(resource: ResourceRef, object: object): Promise<Stored>;
  list(resource: ResourceRef): Promise<readonly KubeObject[]>;
  leaseHolder(): Promise<string | undefined>;
  inTime<T>(promise: Promise<T>): Promise<T>;
  until(what: string, holds: () => Promise<boolean> | boolean, withinMs?: number): Promise<void>;
  end(): Promise<void>;
}

export async function operatorStage(
  options: { readonly door?: (playground: Playground) => Fetch } = {},
): Promise<OperatorStage> {
  const world = virtualWorld();
  const playground = await startPlayground({ world, port: false, systemNodes: 0 });
  const account = await controllerFetch(playground.server);
  const door = options.door?.(playground) ?? account;
  const cloud = fakeCloud(world, () => playground.standins!);
  const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  const made = new Set<Operator>();
  const requests: string[] = [];
  const transport = counting(fetchTransport(door), requests);
  const stage: OperatorStage = {
    world,
    playground,
    cloud,
    admin,
    requests,
    operator({ args = [], ...given } = {}) {
      const operator = createOperator({
        world,
        kube: { transport, host: 'kubernetes' },
        provider: fakeProvider(cloud),
        wires: NO_WIRES,
        settings: settingsOf(args),
        namespace: NAMESPACE,
        build: BUILD,
        ...given,
      });
      made.add(operator);
      return operator;
    },
    forget: (operator) => void made.delete(operator),
    apply: (resource, object) => inTime(world, admin.create(resource, object as KubeObject)),
    list: async (resource) => (await inTime(world, admin.list(resource))).items,
    async leaseHolder() {
      const leases = await stage.list(LEASES);
      const lease = leases.find(({ metadata }) => metadata.name === 'karpenter-leader-election');
      return (lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity;
    },
    inTime: (promise) => inTime(world, promise),
    async until(what, holds, withinMs = 120_000) {
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

export function settingsOf(args: readonly string[] = []) {
  const resolved = resolveOptions(OPERATOR_OPTIONS, {
    args,
    env: {},
    readFile: (path) => {
      throw new Error(`no file ${path}`);
    },
  });
  return new GlobalSettings(resolved);
}

/** Before anybody replaces it. */
const realTimeout = setTimeout;

/** Moves time on until the promise is settled. */
export async function inTime<T>(world: VirtualWorld, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => undefined);
  for (let round = 0; !settled && round < 20_000; round++) {
    await world.clock.advance(round < 20 ? 0 : 50);
    // Keys are generated and modules loaded in real time, which on a busy machine takes longer than the rounds of virtual time.
    if (round % 200 === 199) await new Promise((resolve) => realTimeout(resolve, 5));
  }
  if (!settled) throw new Error('nothing happened for a long virtual time');
  return done;
}

// ---------------------------------------------------------------------------------------------------

const STEP_MS = 500;

function counting(send: Transport, requests: string[]): Transport {
  return (request) => {
    requests.push(`${request.method} ${request.path}`);
    return send(request);
  };
}
