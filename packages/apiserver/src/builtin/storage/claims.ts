/** PersistentVolumeClaims: the requested storage; a bound claim may only grow. */
import type { V1PersistentVolumeClaim, V1PersistentVolumeClaimSpec } from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import { jsonDifference } from '../internal/unified-diff.ts';
import { quantityOf } from '../pods/validate-resources.ts';
import type { KindRules } from '../rules.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkSelector } from '../validation/labels.ts';
import { labelName, subdomainName } from '../validation/names.ts';

export const claimRules: KindRules = {
  revalidatesMetadata: true,
  generation: false,
  keepsStatusOnCreate: true,
  defaults: (object) => defaultClaim(object as unknown as V1PersistentVolumeClaim),
  prepareForCreate: (object) => {
    object['status'] = { phase: 'Pending' };
    copyDataSource((object as unknown as V1PersistentVolumeClaim).spec!);
  },
  prepareForUpdate: (next, _current, context) => {
    if (context.subresource === undefined) copyDataSource((next as unknown as V1PersistentVolumeClaim).spec!);
  },
  validate: (object, errors) =>
    checkClaimSpec((object as unknown as V1PersistentVolumeClaim).spec!, 'spec', errors),
  validateUpdate: (next, current, errors) => {
    checkClaimUpdate(
      next as unknown as V1PersistentVolumeClaim,
      current as unknown as V1PersistentVolumeClaim,
      errors,
    );
  },
};

export function defaultClaim(claim: V1PersistentVolumeClaim): void {
  claim.status ??= {};
  const status = claim.status;
  status.phase ??= 'Pending';
  claim.spec!.volumeMode ??= 'Filesystem';
}

export function checkClaimSpec(spec: V1PersistentVolumeClaimSpec, path: string, errors: FieldErrors): void {
  if ((spec.accessModes ?? []).length === 0) {
    errors.required(`${path}.accessModes`, 'at least 1 access mode is required');
  }
  checkSelector(spec.selector, `${path}.selector`, errors);
  checkAccessModes(spec.accessModes, path, errors);
  const storage = spec.resources?.requests?.['storage'];
  if (storage === undefined) errors.required(`${path}.resources[storage]`);
  else if (quantityOf(storage).sign() <= 0)
    errors.invalid(`${path}.resources[storage]`, storage, 'must be greater than zero');
  if (spec.storageClassName) {
    errors.invalidFor(
      `${path}.storageClassName`,
      spec.storageClassName,
      subdomainName(spec.storageClassName),
    );
  }
  checkVolumeMode(spec.volumeMode, path, errors);
  checkDataSources(spec, path, errors);
}

export function checkAccessModes(
  modes: readonly string[] | undefined | null,
  path: string,
  errors: FieldErrors,
): void {
  for (const mode of modes ?? []) {
    if (!ACCESS_MODES.includes(mode)) errors.notSupported(`${path}.accessModes`, mode, ACCESS_MODES);
  }
  const known = (modes ?? []).filter((mode) => ACCESS_MODES.includes(mode));
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    errors.forbidden(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes');
  }
}

export function checkVolumeMode(mode: string | undefined, path: string, errors: FieldErrors): void {
  if (mode !== undefined && !VOLUME_MODES.includes(mode))
    errors.notSupported(`${path}.volumeMode`, mode, VOLUME_MODES);
}

// ---------------------------------------------------------------------------------------------------

const SPEC = 'core.PersistentVolumeClaimSpec';
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

/** Old and new name of the same field; one is used when the other is absent. */
function copyDataSource(spec: V1PersistentVolumeClaimSpec): void {
  const old = spec.dataSource;
  // The old field supports only claims and snapshots; anything else is dropped silently.
  if (old !== undefined && spec.dataSourceRef === undefined && !isClaimOrSnapshot(old))
    delete spec.dataSource;
  if (spec.dataSource !== undefined && spec.dataSourceRef === undefined)
    spec.dataSourceRef = { ...spec.dataSource };
  else if (
    spec.dataSourceRef !== undefined &&
    spec.dataSource === undefined &&
    !spec.dataSourceRef.namespace
  ) {
    const { namespace: _, ...local } = spec.dataSourceRef;
    spec.dataSource = local;
  }
}

function isClaimOrSnapshot({ kind, apiGroup }: { kind: string; apiGroup?: string }): boolean {
  if (!apiGroup) return kind === 'PersistentVolumeClaim';
  return kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';
}

function checkDataSources(spec: V1PersistentVolumeClaimSpec, path: string, errors: FieldErrors): void {
  for (const field of ['dataSource', 'dataSourceRef'] as const) {
    const source = spec[field];
    if (source === undefined) continue;
    if (!source.name) errors.required(`${path}.${field}.name`);
    if (!source.kind) errors.required(`${path}.${field}.kind`);
    if (!source.apiGroup && source.kind !== 'PersistentVolumeClaim') {
      errors.invalid(
        `${path}.${field}`,
        source.kind,
        "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
      );
    }
    if (source.apiGroup)
      errors.invalidFor(`${path}.${field}.apiGroup`, source.apiGroup, subdomainName(source.apiGroup));
  }
  const namespace = spec.dataSourceRef?.namespace;
  if (namespace) errors.invalidFor(`${path}.dataSourceRef.namespace`, namespace, labelName(namespace));
}

function checkClaimUpdate(
  next: V1PersistentVolumeClaim,
  current: V1PersistentVolumeClaim,
  errors: FieldErrors,
): void {
  const wanted = structuredClone(next.spec!);
  const before = structuredClone(current.spec!);
  if (!before.volumeName && wanted.volumeName) before.volumeName = wanted.volumeName;
  if (before.storageClassName === undefined && wanted.storageClassName !== undefined) {
    before.storageClassName = wanted.storageClassName;
  }
  if (next.status?.phase === 'Bound') {
    const size = before.resources?.requests?.['storage'];
    if (wanted.resources?.requests !== undefined && size !== undefined)
      wanted.resources.requests['storage'] = size;
    if (before.volumeAttributesClassName === undefined) delete wanted.volumeAttributesClassName;
    else wanted.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  if (!sameValue(wanted, before)) {
    errors.forbidden(
      'spec',
      `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${jsonDifference(internalValue(SPEC, before), internalValue(SPEC, wanted))}`,
    );
  }
  checkSize(next, current, errors);
  errors.immutable('volumeMode', next.spec!.volumeMode, current.spec!.volumeMode);
}

function checkSize(
  next: V1PersistentVolumeClaim,
  current: V1PersistentVolumeClaim,
  errors: FieldErrors,
): void {
  const size = next.spec!.resources?.requests?.['storage'] ?? '0';
  const before = current.spec!.resources?.requests?.['storage'] ?? '0';
  const actual = current.status?.capacity?.['storage'] ?? '0';
  if (quantityOf(size).compare(quantityOf(before)) >= 0) return;
  if (quantityOf(size).compare(quantityOf(actual)) <= 0) {
    errors.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity');
  }
}
