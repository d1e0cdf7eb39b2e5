/**
 * Volume attachments that must be removed before the instance is terminated, except those of pods that are not
 * drained.
 */
import type { Pod, Stored, VolumeAttachment } from '@chandler/kube';
import { BY_NODE, type ClusterNode } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';
import { isDrainable } from './drain-plan.ts';

export function attachmentsToAwait(
  context: ControllerContext,
  node: ClusterNode,
): readonly Stored<VolumeAttachment>[] {
  const { stores, cluster, world } = context;
  const nowMs = world.clock.now();
  const attached = stores.attachments.store.by(BY_NODE, node.name);
  if (attached.length === 0) return attached;
  const staying = new Set(
    cluster
      .podsOn(node)
      .filter((pod) => !isDrainable(pod, nowMs))
      .flatMap((pod) => volumesOf(context, pod)),
  );
  return attached.filter(({ spec }) => {
    const volume = spec?.source?.persistentVolumeName;
    return volume !== undefined && !staying.has(volume);
  });
}

// ---------------------------------------------------------------------------------------------------

function volumesOf({ stores }: ControllerContext, pod: Stored<Pod>): readonly string[] {
  const namespace = pod.metadata.namespace;
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim =
      persistentVolumeClaim?.claimName ??
      (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
    if (claim === undefined) return [];
    return stores.volumeClaims.store.get({ namespace, name: claim })?.spec.volumeName ?? [];
  });
}
