/**
 * Before a pod is bound to its node, claims that wait for it are prepared: an existing volume is reserved, or the claim is
 * annotated with the node and a volume is provisioned. Resolves when all claims are bound.
 */
import {
  type Clock,
  type KubeClient,
  keyOfObject,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
  type Pod,
  type Reflector,
  type Stored,
} from '@chandler/kube';
import { nameOf, namespaceOf } from '../object-facts.ts';
import type { ClusterSnapshot, NodeInfo } from './cluster-snapshot.ts';
import { chooseVolumes, claimNames, isBound, sortClaims } from './volumes.ts';

export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

export interface VolumeBindingOptions {
  readonly client: KubeClient;
  readonly claims: Reflector<PersistentVolumeClaim>;
  readonly clock: Clock;
  readonly snapshot: ClusterSnapshot;
  /** How long a claim may take. Default 10 min, as kube-scheduler. */
  readonly timeoutMs?: number;
}

/** False when the claims were not bound in time. */
export async function bindVolumes(
  options: VolumeBindingOptions,
  pod: Stored<Pod>,
  node: NodeInfo,
  signal: AbortSignal,
): Promise<boolean> {
  const found = sortClaims(pod, claimNames(pod), options.snapshot);
  if ('blocked' in found) return false;
  if (found.delayed.length === 0) return true;
  const chosen = chooseVolumes(found.delayed, options.snapshot, node);
  if (!chosen) return false;
  for (const [claim, volume] of chosen) {
    if (volume) {
      const claimRef = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: namespaceOf(claim),
        name: nameOf(claim),
        uid: claim.metadata.uid,
      };
      await options.client.patch(PERSISTENT_VOLUMES, keyOfObject(volume), {
        type: 'merge',
        patch: { metadata: { resourceVersion: volume.metadata.resourceVersion }, spec: { claimRef } },
      });
    } else if (claim.metadata.annotations?.[SELECTED_NODE] !== node.name) {
      await options.client.patch(PERSISTENT_VOLUME_CLAIMS, keyOfObject(claim), {
        type: 'merge',
        patch: { metadata: { annotations: { [SELECTED_NODE]: node.name } } },
      });
    }
  }
  return untilBound(options, [...chosen.keys()], signal);
}

// ---------------------------------------------------------------------------------------------------

function untilBound(
  { claims, clock, timeoutMs = 600_000 }: VolumeBindingOptions,
  waiting: readonly Stored<PersistentVolumeClaim>[],
  signal: AbortSignal,
): Promise<boolean> {
  const allBound = () =>
    waiting.every((claim) => {
      const now = claims.store.get(keyOfObject(claim));
      return now !== undefined && isBound(now);
    });
  if (allBound()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (bound: boolean) => {
      unsubscribe();
      timer.cancel();
      signal.removeEventListener('abort', onStop);
      resolve(bound);
    };
    const onStop = () => finish(false);
    const unsubscribe = claims.store.subscribe(() => allBound() && finish(true));
    const timer = clock.after(timeoutMs, () => finish(false));
    signal.addEventListener('abort', onStop, { once: true });
  });
}
