/** Several simulated clouds as one, for what does not matter which of them it is: what a cluster has, and what instances cost. */
import type { KubeObject } from '@chandler/kube';
import type { CloudSimulation, PlaygroundCloud } from './playground-cloud.ts';

/** What a cluster on all of them has from the start. Undefined: there is no cloud. */
export function joinedSimulation(
  simulations: readonly CloudSimulation[],
): Omit<CloudSimulation, 'start'> | undefined {
  if (simulations.length === 0) return undefined;
  return {
    storageClasses: simulations.flatMap(({ storageClasses }, at) =>
      at === 0 ? storageClasses : storageClasses.map(notDefault),
    ),
    csiDrivers: Object.assign({}, ...simulations.map(({ csiDrivers }) => csiDrivers)) as Record<
      string,
      number | undefined
    >,
    sharedDrivers: simulations.flatMap(({ sharedDrivers }) => sharedDrivers),
    agentTaints: [...new Set(simulations.flatMap(({ agentTaints }) => agentTaints))],
  };
}

export type CloudInstances = Pick<PlaygroundCloud, 'instances' | 'instanceOf' | 'instanceNoun'>;

/** The instances of all of them. Undefined: there is no cloud. */
export function joinedInstances(clouds: readonly CloudInstances[]): CloudInstances | undefined {
  if (clouds.length <= 1) return clouds[0];
  return {
    instanceNoun: 'instance',
    instances: () => clouds.flatMap((cloud) => cloud.instances()),
    instanceOf: (claim) => clouds.map((cloud) => cloud.instanceOf(claim)).find((name) => name !== undefined),
  };
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';

/** A cluster has one default. */
function notDefault(storageClass: KubeObject): KubeObject {
  const { [DEFAULT_ANNOTATION]: _, ...annotations } = storageClass.metadata.annotations ?? {};
  return { ...storageClass, metadata: { ...storageClass.metadata, annotations } };
}
