/** Smoke tests in a playground with its controller, in virtual time. */
import { type KubeClient, type KubeObject, NAMESPACES, PODS } from '@chandler/kube';
import { NODE_CLAIMS, SMOKE_TEST_LABEL } from '../../../packages/chandler/src/api/index.ts';
import { cataloguePlanner } from '../../../packages/chandler/src/cli/testing.ts';
import { diagnosisOf } from '../../../packages/chandler/src/cloud/registry.ts';
import {
  type Explanation,
  explain,
  gather,
  liveReader,
  type Subject,
} from '../../../packages/chandler/src/diagnose/index.ts';
import type { SmokeOptions, SmokeResult } from '../../../packages/chandler/src/readiness/index.ts';
import { runSmoke } from '../../../packages/chandler/src/readiness/testing.ts';
import type { ScenarioHarness } from '../../playground/scenario-harness.ts';

export interface SmokeRun {
  readonly result: SmokeResult | undefined;
  readonly error: unknown;
  readonly lines: readonly string[];
}

/** @param interruptAt a line of progress upon which the user interrupts it. */
export async function smokeRun(
  harness: ScenarioHarness,
  given: Partial<SmokeOptions> = {},
  interruptAt?: RegExp,
): Promise<SmokeRun> {
  const { world, admin } = harness;
  const lines: string[] = [];
  const interrupt = new AbortController();
  const running = runSmoke({
    client: admin,
    clock: world.clock,
    random: world.random,
    signal: interrupt.signal,
    replicas: 10,
    cpu: '1',
    memory: '1Gi',
    image: 'registry.k8s.io/pause:3.10',
    timeoutMs: 15 * 60_000,
    awaitsRemoval: true,
    explain: (subject) => explained(harness, subject),
    report(line) {
      lines.push(line);
      if (interruptAt?.test(line)) interrupt.abort(new Error('stopped by SIGINT'));
    },
    ...given,
  });
  const ended = await inTime(
    harness,
    running.then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error }),
    ),
  );
  return { ...ended, lines };
}

/** Names of what smoke tests left in the cluster. */
export async function leftovers(harness: ScenarioHarness): Promise<readonly string[]> {
  const { admin } = harness;
  const lists = await inTime(harness, Promise.all([namesOf(admin, NAMESPACES), namesOf(admin, PODS)]));
  return lists.flat();
}

export async function claimsOf(harness: ScenarioHarness): Promise<readonly KubeObject[]> {
  return (await inTime(harness, harness.admin.list(NODE_CLAIMS))).items;
}

/** Modules load in real time, the rest happens in virtual time. */
export async function inTime<T>({ world }: Pick<ScenarioHarness, 'world'>, promise: Promise<T>): Promise<T> {
  let isDone = false;
  const ended = promise.finally(() => {
    isDone = true;
  });
  ended.catch(() => undefined);
  while (!isDone) {
    await world.clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
}

// ---------------------------------------------------------------------------------------------------

async function namesOf(
  client: KubeClient,
  resource: typeof NAMESPACES | typeof PODS,
): Promise<readonly string[]> {
  const { items } = await client.list(resource as typeof NAMESPACES, { labelSelector: SMOKE_TEST_LABEL });
  return items.map(({ metadata }) => `${resource.kind}/${metadata.name}`);
}

async function explained(
  { playground, admin, world }: ScenarioHarness,
  subject: Subject,
): Promise<Explanation | undefined> {
  const cloud = await diagnosisOf(playground.cloud!.name).diagnosis();
  const reader = liveReader({ client: admin, clock: world.clock });
  const gathered = await gather(subject, {
    reader,
    cloud,
    planner: cataloguePlanner(world, reader, cloud),
    expectsCustomerKey: false,
  });
  return gathered.state === 'gathered' ? explain(gathered.subject, gathered.evidence, cloud) : undefined;
}
