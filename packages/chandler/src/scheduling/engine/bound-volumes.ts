/**
 * What the volumes of bound pods mean for their nodes: attachments by driver, and claims that several pods share. A planner
 * compares it from plan to plan: pods with volumes come and go, and the cluster is read again only where it changed.
 */
import type { Pod, VolumeFacts } from '../model.ts';
import type { VolumeIndex } from '../volumes/volume-index.ts';
import { changeOf } from './list-change.ts';

type CsiNodes = NonNullable<VolumeFacts['csiNodes']>;

export interface BoundVolumes {
  /** By pod: equal texts for equal use of its node. */
  readonly uses: ReadonlyMap<Pod, string>;
  readonly csiNodes: CsiNodes;
}

/** @param mounting the bound pods with claims. */
export function readBoundVolumes(
  volumes: VolumeIndex,
  mounting: readonly Pod[],
  csiNodes: CsiNodes = [],
): BoundVolumes {
  return { uses: new Map(mounting.map((pod) => [pod, volumes.useOf(pod)])), csiNodes: csiNodes.slice() };
}

/**
 * The nodes whose limits or attachments differ, although they have the same pods. Undefined: too many have changed.
 */
export function nodesChangedByVolumes(
  before: BoundVolumes,
  after: BoundVolumes,
): ReadonlySet<string> | undefined {
  const change = changeOf(before.csiNodes, after.csiNodes);
  if (change === undefined) return undefined;
  const nodes = new Set<string>();
  for (const { metadata } of [...change.removed, ...change.added]) nodes.add(metadata.name ?? '');
  for (const [pod, use] of after.uses) {
    const used = before.uses.get(pod);
    if (used !== undefined && used !== use) nodes.add(pod.spec?.nodeName ?? '');
  }
  return nodes;
}
