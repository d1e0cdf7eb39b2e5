/**
 * The node classes and NodePools that a playground with controllers starts with. With two clouds each pool has the name of its
 * cloud, and only the first takes pods that ask for neither: otherwise both controllers would launch a node for the same pod.
 */
import type { KubeObject } from '@chandler/kube';
import type { Playground } from './playground.ts';

/** On the nodes of the second cloud; its value is the name of the cloud. */
export const CLOUD_TAINT = 'chandler.sh/cloud';

export function defaultObjects({ clouds }: Pick<Playground, 'clouds'>): readonly KubeObject[] {
  return clouds.flatMap((cloud, at) => {
    const { name, defaultNodeClass } = cloud;
    const taints = at === 0 ? {} : { taints: [{ key: CLOUD_TAINT, value: name, effect: 'NoSchedule' }] };
    const choice = clouds.length === 1 ? {} : { name: poolName(name), ...taints };
    return [defaultNodeClass, cloud.defaultPool(choice)];
  });
}

/** Where pods get their nodes, for people. Undefined: there is no choice. */
export function placementHint({ clouds: [first, second] }: Pick<Playground, 'clouds'>): string | undefined {
  if (first === undefined || second === undefined) return undefined;
  return (
    `Pods get nodes on ${first.title}. For a node on ${second.title}, a pod needs the nodeSelector karpenter.sh/nodepool: ` +
    `${poolName(second.name)} and a toleration of the taint ${CLOUD_TAINT}.`
  );
}

// ---------------------------------------------------------------------------------------------------

function poolName(cloud: string): string {
  return `default-${cloud}`;
}
