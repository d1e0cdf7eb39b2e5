/** What the server adds to new nodes, claims and volumes. */
import type { KubeObject, Stored } from '@chandler/kube';
import { type AdmissionPlugin, isKind, specOf } from './admission.ts';

export const NOT_READY_TAINT = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;
export const PVC_PROTECTION = 'kubernetes.io/pvc-protection';
export const PV_PROTECTION = 'kubernetes.io/pv-protection';

/** No pods are scheduled to a node until it is reported as ready. */
export const TAINT_NODES_BY_CONDITION: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate({ call, operation, object }) {
    if (!isKind(call, '', 'nodes') || operation !== 'CREATE') return;
    const spec = specOf<{ taints?: { key: string; effect: string }[] }>(object!);
    const { key, effect } = NOT_READY_TAINT;
    if (spec.taints?.some((taint) => taint.key === key && taint.effect === effect)) return;
    spec.taints = [...(spec.taints ?? []), { key, effect }];
  },
};

/** A claim or volume in use is only marked as deleted; the collector removes its finalizer later. */
export const STORAGE_PROTECTION: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ call, operation, object }) {
    if (operation !== 'CREATE') return;
    if (isKind(call, '', 'persistentvolumeclaims')) addFinalizer(object!, PVC_PROTECTION);
    else if (isKind(call, '', 'persistentvolumes')) addFinalizer(object!, PV_PROTECTION);
  },
};

/** A claim that names no class gets the default one, the newest of several. */
export const DEFAULT_STORAGE_CLASS: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  mutate({ call, operation, object }) {
    if (operation !== 'CREATE' || !isKind(call, '', 'persistentvolumeclaims')) return;
    const spec = specOf<{ storageClassName?: string }>(object!);
    const annotated = object!.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
    if (spec.storageClassName !== undefined || annotated !== undefined) return;
    let newest: Stored | undefined;
    for (const candidate of call.list('storageclasses.storage.k8s.io')) {
      if (candidate.metadata.annotations?.[IS_DEFAULT_CLASS] !== 'true') continue;
      const later = (candidate.metadata.creationTimestamp ?? '') > (newest?.metadata.creationTimestamp ?? '');
      if (newest === undefined || later) newest = candidate;
    }
    if (newest !== undefined) spec.storageClassName = newest.metadata.name;
  },
};

// ---------------------------------------------------------------------------------------------------

const IS_DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

function addFinalizer(object: KubeObject, finalizer: string): void {
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
}
