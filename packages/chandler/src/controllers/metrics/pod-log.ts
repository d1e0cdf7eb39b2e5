/** Logs (debug) when a pending pod is bound, and when it runs. Independent of the metrics, which can be disabled. */
import type { Controller, Pod, Stored } from '@chandler/kube';
import type { ControllerContext } from '../context.ts';
import { observer } from './observer.ts';
import { PodSteps } from './pod-steps.ts';

const NAME = 'log.pod';

export function podLog({ world, stores }: ControllerContext): Controller {
  const log = world.log.with({ controller: NAME });
  const steps = new PodSteps({
    bound: (pod) => log.debug('pod bound', whereOf(pod)),
    started: (pod) => log.debug('pod ready', whereOf(pod)),
  });
  return observer({
    name: NAME,
    world,
    synced: [stores.pods.synced],
    listen() {
      for (const object of stores.pods.store.values()) steps.on({ type: 'added', object });
      return [stores.pods.store.subscribe((change) => steps.on(change))];
    },
  });
}

// ---------------------------------------------------------------------------------------------------

function whereOf({ metadata, spec }: Stored<Pod>): Readonly<Record<string, string | undefined>> {
  return { name: metadata.name, namespace: metadata.namespace, node: spec.nodeName };
}
