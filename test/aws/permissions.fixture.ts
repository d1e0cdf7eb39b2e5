/**
 * A cluster with its controller in virtual time whose policy lacks one action of one statement, what happens in it, and what `why`
 * says then. Of AWS, `why` has only what the controller left in the cluster.
 */
import '../playground/aws-scenario-harness.ts';
// Loaded before time moves.
import '../../packages/chandler/src/cloud/aws/testing.ts';
import type { PolicyDocument } from '@chandler/cloudsim/aws';
import { EC2_NODE_CLASSES } from '../../packages/chandler/src/api/index.ts';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import type { Explanation, Subject } from '../../packages/chandler/src/diagnose/index.ts';
import {
  askWhy,
  MINUTE_MS,
  POOL,
  pendingPod,
  removeClaim,
  requestReboot,
  startFailure,
} from '../playground/permission-scenarios.ts';
import { type ScenarioHarness, startUnled } from '../playground/scenario-harness.ts';
import { awsController } from '../why/aws-objects.ts';
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
    const started = await startFailure(harness);
    if (endsAtStart !== true && started !== undefined) throw started;
    const stopped = started === undefined ? undefined : stoppedController(started.message);
    return await askWhy(harness, await act(harness), awsDiagnosis(), stopped);
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

const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  pod: { act: (harness) => pendingPod(harness) },
  podWithoutDryRun: { args: ['--disable-dry-run=true'], act: (harness) => pendingPod(harness) },
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
  start: { act: (harness) => pendingPod(harness), endsAtStart: true },
  startWithZonalShift: {
    args: ['--enable-zonal-shift=true'],
    act: (harness) => pendingPod(harness),
    endsAtStart: true,
  },
};

async function changeClass({ admin, world, wait }: ScenarioHarness, spec: object): Promise<Subject> {
  await world.clock.advance(MINUTE_MS);
  await wait(admin.patch(EC2_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch: { spec } }));
  await world.clock.advance(2 * MINUTE_MS);
  return POOL;
}

/** The Deployment of the controller, and a replica that has ended with these words. */
function stoppedController(message: string) {
  const stopped = { reason: 'CrashLoopBackOff', message: `chandler controller: ${message}` };
  return awsController({ ready: 0, stopped, env: { CLUSTER_NAME: PLACE.clusterName } });
}
