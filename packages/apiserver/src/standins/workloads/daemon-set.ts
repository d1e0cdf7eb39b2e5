/** DaemonSets: follows nodes and pods, and does what `daemon-plan.ts` decides. */
import { Controller, DAEMON_SETS, keyOf, parseKey, type Result, storeSource } from '@chandler/kube';
import { nameOf } from '../object-facts.ts';
import { nodeChanged } from '../scheduler/pod-class.ts';
import { writeStatus } from '../status.ts';
import { BY_OWNER } from '../watched.ts';
import { daemonPodSpec, daemonStatus, planDaemon, REVISION_LABEL, revisionOf } from './daemon-plan.ts';
import { nextAvailableMs, podFromTemplate, randomName } from './owned-pods.ts';
import { createPods, deletePods, podsOf, type WorkloadOptions } from './workload.ts';

export function daemonSetController(options: WorkloadOptions): Controller {
  const { world, watched } = options;
  return new Controller({
    name: 'standin.daemonset',
    world,
    concurrency: 2,
    reconcile: (key) => reconcile(options, key),
    sources: [
      storeSource(watched.daemonSets),
      podsOf(watched, 'DaemonSet'),
      storeSource(watched.nodes, {
        filter: ({ type, object, before }) => type !== 'updated' || nodeChanged(before, object),
        keys: () => [...watched.daemonSets.store.values()].map(keyOf),
      }),
    ],
  });
}

// ---------------------------------------------------------------------------------------------------

async function reconcile(options: WorkloadOptions, key: string): Promise<Result> {
  const { world, watched, client } = options;
  const set = watched.daemonSets.store.get(parseKey(key));
  if (!set) return {};
  const podsNow = () => watched.pods.store.by(BY_OWNER, set.metadata.uid);
  const nodes = watched.nodes.store;
  const plan = planDaemon(set, nodes.values(), podsNow(), world.clock.now());
  const owner = { resource: DAEMON_SETS, object: set };
  const labels = { [REVISION_LABEL]: revisionOf(set), 'pod-template-generation': templateGeneration(set) };
  const fresh = plan.create.map((node) => {
    const template = { ...set.spec.template, spec: daemonPodSpec(set, node) };
    return podFromTemplate(template, owner, randomName(nameOf(set), world.random), { labels });
  });
  await createPods(options, owner, fresh);
  await deletePods(options, owner, plan.remove);
  const nowMs = world.clock.now();
  await writeStatus(client, DAEMON_SETS, set, daemonStatus(set, nodes.values(), podsNow(), nowMs));
  const again = nextAvailableMs(podsNow(), set.spec.minReadySeconds ?? 0, nowMs);
  return again === undefined ? {} : { requeueAfterMs: again };
}

function templateGeneration(set: { metadata: { annotations?: Record<string, string> } }): string {
  return set.metadata.annotations?.['deprecated.daemonset.template.generation'] ?? '1';
}
