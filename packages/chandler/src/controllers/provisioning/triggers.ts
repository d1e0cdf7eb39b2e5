/** Which changes open a batch of pending pods. A listener is called for every change, so it reads no whole store. */
import type { KubeObject, Pod, Reflector, Source, StoreChange, Stored } from '@chandler/kube';
import {
  conditionOf,
  failedToBootstrap,
  isProvisionable,
  type ObjectCondition,
  wantsNoPool,
} from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';

/** Pending pods open a batch; so does every change that may make pending pods schedulable. */
export function triggers(
  context: ControllerContext,
  trigger: (key: string) => void,
  stop: () => void,
): Source {
  const { stores } = context;
  const reflectors = [stores.pods, stores.nodes, stores.pools, stores.claims, ...stores.nodeClasses.values()];
  return {
    synced: Promise.all(reflectors.map((reflector) => reflector.synced)),
    start() {
      /** UIDs of pods that are planned, or would be if a pool took them. */
      const pending = new Set<string>();
      const onPod = (pod: Stored<Pod>) => {
        const { uid } = pod.metadata;
        if (!isProvisionable(pod) || wantsNoPool(pod)) {
          pending.delete(uid);
          return;
        }
        pending.add(uid);
        context.podTimes.seen(uid);
        trigger(`pod/${uid}`);
      };
      const forgetPod = ({ metadata }: Stored<Pod>) => {
        pending.delete(metadata.uid);
        context.podTimes.forget(metadata.uid);
      };
      for (const pod of stores.pods.store.values()) onPod(pod);
      const onOther = ({ object, type }: { object: KubeObject; type: string }) => {
        if (type === 'deleted' || pending.size > 0) trigger(`${object.kind}/${object.metadata.uid}`);
      };
      const unsubscribe = [
        stores.pods.store.subscribe(({ object, before, type }) => {
          if (type !== 'deleted') onPod(object);
          else for (const pod of [object, before]) if (pod !== undefined) forgetPod(pod);
        }),
        stores.nodes.store.subscribe((change) => {
          const { before, object } = change;
          if (
            object.metadata.deletionTimestamp !== undefined &&
            before?.metadata.deletionTimestamp === undefined
          )
            trigger(`node/${object.metadata.uid}`);
        }),
        stores.claims.store.subscribe((change) => {
          const { object, before } = change;
          const going = object.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp;
          if (going || failedToBootstrap(object) !== failedToBootstrap(before ?? {})) onOther(change);
        }),
        ...[stores.pools as unknown as Reflector, ...stores.nodeClasses.values()].map((reflector) =>
          reflector.store.subscribe((change) => {
            if (bringsPlaces(change)) onOther(change);
          }),
        ),
      ];
      return () => {
        stop();
        for (const each of unsubscribe) each();
      };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** Changes of status alone must not extend a batch. */
function bringsPlaces({ object, before }: StoreChange): boolean {
  if (before === undefined) return true;
  const { generation, deletionTimestamp } = object.metadata;
  if (generation !== before.metadata.generation || deletionTimestamp !== before.metadata.deletionTimestamp)
    return true;
  return readiness(object) !== readiness(before);
}

function readiness(object: KubeObject): string | undefined {
  return conditionOf(object as { status?: { conditions?: ObjectCondition[] } }, 'Ready')?.status;
}
