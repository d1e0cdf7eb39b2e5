/** How many volumes of a CSI driver a node can hold, as its CSINode says, and how many it has. */
import type { Pod, Stored } from '@chandler/kube';
import { namespaceOf } from '../object-facts.ts';
import type { ClusterSnapshot, NodeInfo } from './cluster-snapshot.ts';
import { type Filter, resolvable } from './filter.ts';
import { claimNames } from './volumes.ts';

export const volumeLimitFilter: Filter = (pod, snapshot) => {
  const wanted = driverVolumes(pod, snapshot);
  if (wanted.size === 0) return undefined;
  return (node) => (exceeds(wanted, node, snapshot) ? TOO_MANY : undefined);
};

// ---------------------------------------------------------------------------------------------------

const TOO_MANY = resolvable('node(s) exceed max volume count');

function exceeds(wanted: ReadonlyMap<string, string>, node: NodeInfo, snapshot: ClusterSnapshot): boolean {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of snapshot.lookup.csiNode(node.name)?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  }
  if (limits.size === 0) return false;
  const attached = new Map<string, string>();
  for (const placed of node.pods.values()) {
    for (const [volume, driver] of driverVolumes(placed.pod, snapshot)) attached.set(volume, driver);
  }
  for (const name of snapshot.lookup.attachedTo(node.name)) {
    const csi = snapshot.lookup.volume(name)?.spec.csi;
    if (csi) attached.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
  }
  const counts = new Map<string, number>();
  for (const driver of attached.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  const added = new Set<string>();
  for (const [volume, driver] of wanted) {
    if (attached.has(volume)) continue;
    added.add(driver);
    counts.set(driver, (counts.get(driver) ?? 0) + 1);
  }
  // A node that is over its limit already still takes pods that bring no volume of that driver.
  return [...added].some(
    (driver) => (counts.get(driver) ?? 0) > (limits.get(driver) ?? Number.POSITIVE_INFINITY),
  );
}

/** Volumes of the pod by a name that two pods with the same volume share, and their drivers. */
function driverVolumes(pod: Stored<Pod>, snapshot: ClusterSnapshot): Map<string, string> {
  const volumes = new Map<string, string>();
  for (const name of claimNames(pod)) {
    const claim = snapshot.lookup.claim(namespaceOf(pod), name);
    if (!claim) continue;
    const volume = claim.spec.volumeName ? snapshot.lookup.volume(claim.spec.volumeName) : undefined;
    if (volume) {
      const { csi } = volume.spec;
      if (csi) volumes.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
      continue;
    }
    // Not made yet: it will be of the class's driver.
    const driver = snapshot.lookup.storageClass(claim.spec.storageClassName ?? '')?.provisioner;
    if (driver !== undefined) volumes.set(`${driver}/${namespaceOf(pod)}/${name}`, driver);
  }
  return volumes;
}
