/**
 * A cluster with its controller in virtual time whose policy lacks one action of one statement, what happens in it, and what `why`
 * says then. Of AWS, `why` has only what the controller left in the cluster.
 */
import '../playground/aws-scenario-harness.ts';
// Loaded before time moves.
import '../../packages/chandler/src/cloud/aws/testing.ts';
import type { PolicyDocument } from '@chandler/cloudsim/aws';
import { PODS, type ResourceRef } from '@chandler/kube';
import { EC2_NODE_CLASSES, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import type { ObjectReader } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import {
  dumpReader,
  type Explanation,
  explain,
  gather,
  liveReader,
  type Subject,
} from '../../packages/chandler/src/diagnose/index.ts';
import { type ScenarioHarness, startUnled } from '../playground/scenario-harness.ts';
import { awsController } from '../why/aws-objects.ts';
import { dumpWith } from '../why/corpus.ts';
import { PLACE } from './controller-policy.ts';
import type { ScenarioName } from './permissions.table.ts';

/** What `why` says after this happened under this policy. */
export async function whyUnder(
  policies: PolicyDocument | readonly PolicyDocument[],
  name: ScenarioName,
): Promise<Explanation> {
  const { args = [], act, endsAtStart } = SCENARIOS[name];
  const harness = await startUnled({ aws: { server: { policies: [policies].flat() } } }, args);
  try {
    const started = await harness.wait(settled(harness.controller.leading));
    if (endsAtStart !== true && started !== undefined) throw started;
    return await ask(harness, await act(harness), started?.message);
  } finally {
    await harness.stop();
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Scenario {
  readonly args?: readonly string[];
  readonly endsAtStart?: true;
  readonly act: (harness: ScenarioHarness) => Promise<Subject>;
}

const MINUTE_MS = 60_000;
const POD: Subject = { kind: 'pod', namespace: 'default', name: 'web' };
const POOL: Subject = { kind: 'nodepool', name: 'default' };

const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  pod: { act: pendingPod },
  podWithoutDryRun: { args: ['--disable-dry-run=true'], act: pendingPod },
  running: {
    async act(harness) {
      await pendingPod(harness);
      return POOL;
    },
  },
  deleteClaim: {
    async act(harness) {
      await pendingPod(harness);
      return { kind: 'nodeclaim', name: await removeClaim(harness) };
    },
  },
  deleteClass: {
    async act(harness) {
      await pendingPod(harness);
      await removeClaim(harness);
      await harness.wait(harness.admin.delete(EC2_NODE_CLASSES, { name: 'default' }));
      await harness.world.clock.advance(2 * MINUTE_MS);
      return POOL;
    },
  },
  changeTags: { act: (harness) => changeClass(harness, { tags: { team: 'shop' } }) },
  reservation: {
    act: (harness) =>
      changeClass(harness, { capacityReservationSelectorTerms: [{ tags: { team: 'shop' } }] }),
  },
  placementGroup: { act: (harness) => changeClass(harness, { placementGroupSelector: { name: 'shop' } }) },
  reboot: { act: requestReboot },
  start: { act: pendingPod, endsAtStart: true },
  startWithZonalShift: { args: ['--enable-zonal-shift=true'], act: pendingPod, endsAtStart: true },
};

/** What it was rejected with. */
function settled(promise: Promise<unknown>): Promise<Error | undefined> {
  return promise.then(
    () => undefined,
    (error: Error) => error,
  );
}

async function pendingPod({ admin, world, wait }: ScenarioHarness): Promise<Subject> {
  const containers = [{ name: 'main', image: 'i', resources: { requests: { cpu: '1' } } }];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { containers },
  };
  await wait(admin.create(PODS, pod as never));
  await world.clock.advance(3 * MINUTE_MS);
  return POD;
}

/** The only one, and its pod. */
async function removeClaim({ admin, world, wait }: ScenarioHarness): Promise<string> {
  const { items } = await wait(admin.list(NODE_CLAIMS));
  const { name } = items[0]!.metadata;
  await wait(admin.delete(PODS, { namespace: 'default', name: 'web' }));
  await wait(admin.delete(NODE_CLAIMS, { name: name! }));
  await world.clock.advance(3 * MINUTE_MS);
  return name!;
}

async function requestReboot(harness: ScenarioHarness): Promise<Subject> {
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

async function changeClass({ admin, world, wait }: ScenarioHarness, spec: object): Promise<Subject> {
  await world.clock.advance(MINUTE_MS);
  await wait(admin.patch(EC2_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch: { spec } }));
  await world.clock.advance(2 * MINUTE_MS);
  return POOL;
}

/** The Deployment of the controller, and a replica that has ended with these words: nothing runs it here. */
function withStopped(reader: ObjectReader, message: string): ObjectReader {
  const stopped = { reason: 'CrashLoopBackOff', message: `chandler controller: ${message}` };
  const objects = awsController({ ready: 0, stopped, env: { CLUSTER_NAME: PLACE.clusterName } });
  const own = dumpReader(dumpWith(objects, {}, []));
  const isOwn = ({ plural }: ResourceRef, namespace?: string) =>
    plural === 'deployments' || namespace === 'kube-system';
  return {
    ...reader,
    get: (resource, key) => (isOwn(resource, key.namespace) ? own : reader).get(resource, key),
    list: (resource, filter) => (isOwn(resource, filter?.namespace) ? own : reader).list(resource, filter),
  };
}

async function ask(
  { admin, world, wait }: ScenarioHarness,
  subject: Subject,
  stopped: string | undefined,
): Promise<Explanation> {
  const live = liveReader({ client: admin, clock: world.clock });
  const reader = stopped === undefined ? live : withStopped(live, stopped);
  const cloud = awsDiagnosis();
  const planner = cataloguePlanner(world, reader, cloud);
  const gathered = await wait(gather(subject, { reader, cloud, planner }));
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return explain(gathered.subject, gathered.evidence, cloud);
}
