/** What happens in a cluster whose controller lacks a permission, and what `why` says then: the same for every cloud. */
import { PODS, type ResourceRef } from '@chandler/kube';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import type { ObjectReader, ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import type { CloudDiagnosis } from '../../packages/chandler/src/cloud/index.ts';
import {
  dumpReader,
  type Explanation,
  explain,
  gather,
  liveReader,
  type Subject,
} from '../../packages/chandler/src/diagnose/index.ts';
import { dumpWith } from '../why/corpus.ts';
import type { ScenarioHarness } from './scenario-harness.ts';

export const MINUTE_MS = 60_000;
export const POD: Subject = { kind: 'pod', namespace: 'default', name: 'web' };
export const POOL: Subject = { kind: 'nodepool', name: 'default' };

export async function pendingPod({ admin, world, wait }: ScenarioHarness, minutes = 3): Promise<Subject> {
  const containers = [{ name: 'main', image: 'i', resources: { requests: { cpu: '1' } } }];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { containers },
  };
  await wait(admin.create(PODS, pod as never));
  await world.clock.advance(minutes * MINUTE_MS);
  return POD;
}

/** The only one, and its pod. */
export async function removeClaim({ admin, world, wait }: ScenarioHarness): Promise<string> {
  const { items } = await wait(admin.list(NODE_CLAIMS));
  const { name } = items[0]!.metadata;
  await wait(admin.delete(PODS, { namespace: 'default', name: 'web' }));
  await wait(admin.delete(NODE_CLAIMS, { name: name! }));
  await world.clock.advance(3 * MINUTE_MS);
  return name!;
}

export async function requestReboot(harness: ScenarioHarness): Promise<Subject> {
  await pendingPod(harness);
  const { admin, world, wait } = harness;
  const [claim] = (await wait(admin.list(NODE_CLAIMS))).items;
  const lastTransitionTime = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const asked = {
    type: 'Rebooting',
    status: 'True',
    reason: 'RebootRequested',
    message: '',
    lastTransitionTime,
  };
  const conditions = [...(claim!.status?.conditions ?? []), asked];
  const patch = { status: { conditions } };
  await wait(admin.patchStatus(NODE_CLAIMS, { name: claim!.metadata.name! }, { type: 'merge', patch }));
  await world.clock.advance(3 * MINUTE_MS);
  return POOL;
}

/** What it was rejected with; undefined: it leads. */
export function startFailure({ controller, wait }: ScenarioHarness): Promise<Error | undefined> {
  return wait(
    controller.leading.then(
      () => undefined,
      (error: Error) => error,
    ),
  );
}

/** @param stopped the Deployment of a controller, and a replica that has ended: nothing runs it here. */
export async function askWhy(
  { admin, world, wait }: ScenarioHarness,
  subject: Subject,
  cloud: CloudDiagnosis,
  stopped?: readonly ReadObject[],
): Promise<Explanation> {
  const live = liveReader({ client: admin, clock: world.clock });
  const reader = stopped === undefined ? live : withController(live, stopped);
  const planner = cataloguePlanner(world, reader, cloud);
  const gathered = await wait(gather(subject, { reader, cloud, planner }));
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return explain(gathered.subject, gathered.evidence, cloud);
}

// ---------------------------------------------------------------------------------------------------------------

function withController(reader: ObjectReader, objects: readonly ReadObject[]): ObjectReader {
  const own = dumpReader(dumpWith(objects, {}, []));
  const isOwn = ({ plural }: ResourceRef, namespace?: string) =>
    plural === 'deployments' || namespace === 'kube-system';
  return {
    ...reader,
    get: (resource, key) => (isOwn(resource, key.namespace) ? own : reader).get(resource, key),
    list: (resource, filter) => (isOwn(resource, filter?.namespace) ? own : reader).list(resource, filter),
  };
}
