/**
 * Volume rules: the node can reach every existing volume, may provision the others, and can attach all of
 * them.
 */
import type {
  NodeSelectorTerm,
  PersistentVolume,
  Pod,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { admits, type FinalNode, type Labels } from './final-nodes.ts';
import { HOST } from './shorthand.ts';
import type { Violation } from './violation.ts';

export function checkVolumes(input: SchedulingInput, nodes: readonly FinalNode[]): Violation[] {
  return nodes
    .filter((node) => node.placed.length > 0)
    .flatMap((node) => [
      ...node.placed.flatMap((pod) => checkReach(input, pod, node)),
      ...checkAttached(input, node),
    ]);
}

/** Names of the claims behind a pod's volumes. */
export function claimsOf(pod: Pod): string[] {
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${pod.metadata.name}-${name}`] : [];
  });
}

// ---------------------------------------------------------------------------------------------------

function checkReach(input: SchedulingInput, pod: Pod, node: FinalNode): Violation[] {
  return claimsOf(pod).flatMap((name) => {
    const say = (detail: string): Violation[] => [
      { rule: 'volumes', subject: podKey(pod), detail: `${name}: ${detail}` },
    ];
    const claim = claimNamed(input, pod, name);
    if (!claim) return say('there is no such claim');
    const volume = volumeNamed(input, claim.spec.volumeName);
    if (volume) {
      const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms;
      return terms === undefined || terms.some((term) => reaches(term, volume, node.labels))
        ? []
        : say(`out of reach of ${node.name}`);
    }
    const storageClass = (input.volumes?.classes ?? []).find(
      (c) => c.metadata.name === claim.spec.storageClassName,
    );
    const topologies = storageClass?.allowedTopologies ?? [];
    const allowed = topologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(node.labels[key] ?? '')),
    );
    return topologies.length === 0 || allowed ? [] : say(`cannot be made on ${node.name}`);
  });
}

/** A local volume names its host, and that host may be gone: then the name does not count. */
function reaches(
  { matchExpressions = [] }: NodeSelectorTerm,
  volume: PersistentVolume,
  labels: Labels,
): boolean {
  const isLocal = volume.spec.local !== undefined || volume.spec.hostPath !== undefined;
  return matchExpressions
    .filter(({ key }) => !(isLocal && key === HOST))
    .every((requirement) => admits(requirement, labels[requirement.key]));
}

function checkAttached(input: SchedulingInput, node: FinalNode): Violation[] {
  const attached = new Map<string, Set<string>>();
  const fresh = new Set<string>();
  for (const pod of [...node.bound, ...node.placed]) {
    for (const name of claimsOf(pod)) {
      const driver = driverOf(input, pod, name);
      if (driver === undefined) continue;
      const names = attached.get(driver) ?? new Set();
      const claim = claimNamed(input, pod, name);
      names.add(claim?.spec.volumeName || `${pod.metadata.namespace ?? 'default'}/${name}`);
      attached.set(driver, names);
      if (node.placed.includes(pod)) fresh.add(driver);
    }
  }
  return [...attached].flatMap(([driver, names]) => {
    const limit = limitOf(input, node, driver);
    if (names.size <= limit || !fresh.has(driver)) return [];
    return [
      {
        rule: 'volumes' as const,
        subject: node.name,
        detail: `${names.size} volumes of ${driver}, limit ${limit}`,
      },
    ];
  });
}

function limitOf(input: SchedulingInput, node: FinalNode, driver: string): number {
  if (node.choice) {
    const limits = input.volumes?.newNodeLimits?.[driver];
    return limits?.[node.choice.type.name] ?? limits?.['*'] ?? Number.POSITIVE_INFINITY;
  }
  const csiNode = (input.volumes?.csiNodes ?? []).find(({ metadata }) => metadata.name === node.name);
  const found = csiNode?.spec.drivers?.find(({ name }) => name === driver);
  return found?.allocatable?.count ?? Number.POSITIVE_INFINITY;
}

function driverOf(input: SchedulingInput, pod: Pod, name: string): string | undefined {
  const claim = claimNamed(input, pod, name);
  const volume = volumeNamed(input, claim?.spec.volumeName);
  if (volume)
    return volume.spec.csi?.driver ?? (volume.spec.awsElasticBlockStore ? 'ebs.csi.aws.com' : undefined);
  const storageClass = (input.volumes?.classes ?? []).find(
    (c) => c.metadata.name === claim?.spec.storageClassName,
  );
  return storageClass && (IN_TREE.get(storageClass.provisioner) ?? storageClass.provisioner);
}

const IN_TREE: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
]);

function claimNamed(input: SchedulingInput, pod: Pod, name: string) {
  const namespace = pod.metadata.namespace ?? 'default';
  return (input.volumes?.claims ?? []).find(
    ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace,
  );
}

function volumeNamed(input: SchedulingInput, name: string | undefined): PersistentVolume | undefined {
  return name ? (input.volumes?.volumes ?? []).find(({ metadata }) => metadata.name === name) : undefined;
}
