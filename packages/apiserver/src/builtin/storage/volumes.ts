/** PersistentVolumes. */
import type { V1PersistentVolume, V1PersistentVolumeSpec } from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import { jsonDifference } from '../internal/unified-diff.ts';
import { quantityOf } from '../pods/validate-resources.ts';
import { checkNodeSelector } from '../pods/validate-scheduling.ts';
import type { KindRules } from '../rules.ts';
import { type FieldErrors, NOT_NEGATIVE, sameValue } from '../validation/field-errors.ts';
import { subdomainName } from '../validation/names.ts';
import { checkAccessModes, checkVolumeMode } from './claims.ts';

export const volumeRules: KindRules = {
  revalidatesMetadata: true,
  generation: false,
  keepsStatusOnCreate: true,
  defaults: (object) => {
    const volume = object as unknown as V1PersistentVolume;
    volume.status ??= {};
    const status = volume.status;
    status.phase ??= 'Pending';
    const spec = volume.spec!;
    spec.persistentVolumeReclaimPolicy ??= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    if (spec.hostPath) spec.hostPath.type ??= '';
    if (spec.azureDisk) {
      spec.azureDisk.cachingMode ??= 'ReadWrite';
      spec.azureDisk.kind ??= 'Shared';
      spec.azureDisk.fsType ??= 'ext4';
      spec.azureDisk.readOnly ??= false;
    }
  },
  prepareForCreate: (object, context) => {
    object['status'] = { phase: 'Pending', lastPhaseTransitionTime: context.now };
  },
  prepareForUpdate: (next, current, context) => {
    if (context.subresource !== 'status') return;
    const status = next['status'] as { phase?: string; lastPhaseTransitionTime?: string };
    const before = current['status'] as { phase?: string; lastPhaseTransitionTime?: string };
    if (status.phase !== before.phase) status.lastPhaseTransitionTime ??= context.now;
    else if (status.lastPhaseTransitionTime === undefined && before.lastPhaseTransitionTime !== undefined) {
      status.lastPhaseTransitionTime = before.lastPhaseTransitionTime;
    }
  },
  validate: (object, errors) =>
    checkVolumeSpec((object as unknown as V1PersistentVolume).spec!, 'spec', false, errors),
  validateUpdate: (next, current, errors) => {
    const spec = (next as unknown as V1PersistentVolume).spec!;
    const before = (current as unknown as V1PersistentVolume).spec!;
    const source = sourceOf(spec);
    if (!sameValue(source, sourceOf(before))) {
      errors.forbidden(
        'spec.persistentvolumesource',
        `spec.persistentvolumesource is immutable after creation\n${jsonDifference(internalValue(SOURCE, sourceOf(before)), internalValue(SOURCE, source))}`,
      );
    }
    errors.immutable('volumeMode', spec.volumeMode, before.volumeMode);
    if (before.nodeAffinity !== undefined && !sameValue(spec.nodeAffinity, before.nodeAffinity)) {
      errors.invalid('nodeAffinity', spec.nodeAffinity, 'field is immutable');
    }
  },
};

export function checkVolumeSpec(
  spec: V1PersistentVolumeSpec,
  path: string,
  inline: boolean,
  errors: FieldErrors,
): void {
  if (inline) checkInline(spec, path, errors);
  if ((spec.accessModes ?? []).length === 0) errors.required(`${path}.accessModes`);
  checkAccessModes(spec.accessModes, path, errors);
  if (!inline) checkCapacity(spec, path, errors);
  const policy = spec.persistentVolumeReclaimPolicy;
  if (policy && !RECLAIM_POLICIES.includes(policy)) {
    errors.notSupported(`${path}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES);
  }
  if (spec.nodeAffinity !== undefined) {
    if (spec.nodeAffinity.required)
      checkNodeSelector(spec.nodeAffinity.required, `${path}.nodeAffinity.required`, errors);
    else errors.required(`${path}.nodeAffinity.required`, 'must specify required node constraints');
  }
  checkSource(spec, path, errors);
  if (spec.storageClassName) {
    errors.invalidFor(
      `${path}.storageClassName`,
      spec.storageClassName,
      subdomainName(spec.storageClassName),
    );
  }
  checkVolumeMode(spec.volumeMode, path, errors);
}

// ---------------------------------------------------------------------------------------------------

const SOURCE = 'core.PersistentVolumeSource';
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

/** Every volume source, with its required fields. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  hostPath: ['path'],
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  glusterfs: ['endpoints', 'path'],
  flocker: [],
  nfs: ['server', 'path'],
  rbd: ['monitors', 'image'],
  quobyte: ['registry', 'volume'],
  cephfs: ['monitors'],
  iscsi: ['targetPortal', 'iqn'],
  cinder: ['volumeID'],
  fc: [],
  flexVolume: ['driver'],
  azureFile: ['secretName', 'shareName'],
  vsphereVolume: ['volumePath'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  azureDisk: ['diskName', 'diskURI'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  local: ['path'],
  storageos: ['volumeName'],
  csi: ['driver', 'volumeHandle'],
};

function sourceOf(spec: V1PersistentVolumeSpec): Record<string, unknown> {
  const source: Record<string, unknown> = {};
  for (const type in SOURCES) {
    const given = (spec as unknown as Record<string, unknown>)[type];
    if (given !== undefined) source[type] = given;
  }
  return source;
}

function checkInline(spec: V1PersistentVolumeSpec, path: string, errors: FieldErrors): void {
  const detail = 'may not be specified in the context of inline volumes';
  if (spec.claimRef !== undefined) errors.forbidden(`${path}.claimRef`, detail);
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.forbidden(`${path}.capacity`, detail);
  if (spec.csi === undefined)
    errors.required(`${path}.csi`, 'has to be specified in the context of inline volumes');
}

function checkCapacity(spec: V1PersistentVolumeSpec, path: string, errors: FieldErrors): void {
  const names = Object.keys(spec.capacity ?? {});
  if (names.length === 0) errors.required(`${path}.capacity`);
  if (!names.includes('storage') || names.length > 1) {
    errors.list.push({
      reason: 'FieldValueNotSupported',
      field: `${path}.capacity`,
      value: sortedAmounts(spec.capacity),
      detail: 'supported values: "storage"',
    });
  }
  for (const name of names) {
    const amount = spec.capacity![name]!;
    const sign = quantityOf(amount).sign();
    if (sign < 0) errors.invalid(`${path}.capacity[${name}]`, amount, NOT_NEGATIVE);
    if (sign <= 0) errors.invalid(`${path}.capacity[${name}]`, amount, 'must be greater than zero');
  }
}

/** Go prints maps in the order of their keys. */
function sortedAmounts(amounts: Readonly<Record<string, string>> | undefined): unknown {
  if (amounts === undefined) return null;
  return Object.fromEntries(Object.entries(amounts).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function checkSource(spec: V1PersistentVolumeSpec, path: string, errors: FieldErrors): void {
  let found = false;
  for (const type in SOURCES) {
    const source = (spec as unknown as Record<string, Record<string, unknown> | undefined>)[type];
    if (source === undefined) continue;
    if (found) errors.forbidden(`${path}.${type}`, 'may not specify more than 1 volume type');
    else {
      for (const field of SOURCES[type]!) {
        const value = source[field];
        if (!value || (Array.isArray(value) && value.length === 0))
          errors.required(`${path}.${type}.${field}`);
      }
    }
    found = true;
  }
  if (spec.local !== undefined && spec.nodeAffinity === undefined) {
    errors.required(`${path}.nodeAffinity`, 'Local volume requires node affinity');
  }
  if (!found) errors.required(path, 'must specify a volume type');
}
