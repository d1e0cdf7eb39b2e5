/** Where a container mounts the pod's volumes. */
import type { V1Container, V1VolumeMount } from '@kubernetes/client-node';
import type { FieldErrors } from '../validation/field-errors.ts';

type Volumes = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

export function checkMounts(
  container: V1Container,
  volumes: Volumes,
  path: string,
  errors: FieldErrors,
): void {
  const points = new Set<string>();
  const devices = container.volumeDevices ?? [];
  container.volumeMounts!.forEach((mount, index) => {
    const at = `${path}[${index}]`;
    if (!mount.name) errors.required(`${at}.name`);
    if (!volumes.has(mount.name)) errors.notFound(`${at}.name`, mount.name);
    if (!mount.mountPath) errors.required(`${at}.mountPath`);
    if (points.has(mount.mountPath)) errors.invalid(`${at}.mountPath`, mount.mountPath, 'must be unique');
    points.add(mount.mountPath);
    if (devices.some(({ name }) => name === mount.name)) {
      errors.invalid(`${at}.name`, mount.name, 'must not already exist in volumeDevices');
    }
    if (devices.some(({ devicePath }) => devicePath === mount.mountPath)) {
      errors.invalid(`${at}.mountPath`, mount.mountPath, 'must not already exist as a path in volumeDevices');
    }
    checkMountOptions(container, mount, path, at, errors);
  });
}

export function checkDevices(
  container: V1Container,
  volumes: Volumes,
  path: string,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = container.volumeMounts ?? [];
  container.volumeDevices!.forEach(({ name, devicePath }, index) => {
    const at = `${path}[${index}]`;
    const volume = volumes.get(name);
    if (!name) errors.required(`${at}.name`);
    if (names.has(name)) errors.invalid(`${at}.name`, name, 'must be unique');
    if (volume === undefined) errors.notFound(`${at}.name`, name);
    else if (!volume['persistentVolumeClaim'] && !volume['ephemeral']) {
      errors.invalid(
        `${at}.name`,
        name,
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      );
    }
    if (!devicePath) errors.required(`${at}.devicePath`);
    if (paths.has(devicePath)) errors.invalid(`${at}.devicePath`, devicePath, 'must be unique');
    if (devicePath && stepsBack(devicePath)) {
      errors.invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name)) {
      errors.invalid(`${at}.name`, name, 'must not already exist in volumeMounts');
    }
    if (mounts.some(({ mountPath }) => mountPath === devicePath)) {
      errors.invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts');
    }
    if (name) names.add(name);
  });
}

/** A relative path without `..`. */
export function checkDescendingPath(target: string, path: string, errors: FieldErrors): void {
  if (target.startsWith('/')) errors.invalid(path, target, 'must be a relative path');
  checkNoBacksteps(target, path, errors);
}

export function checkNoBacksteps(target: string, path: string, errors: FieldErrors): void {
  if (stepsBack(target)) errors.invalid(path, target, "must not contain '..'");
}

// ---------------------------------------------------------------------------------------------------

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible'];

function stepsBack(target: string): boolean {
  return target.split('/').includes('..');
}

/** The real server names the list, not the item, in these errors; so do we. */
function checkMountOptions(
  container: V1Container,
  mount: V1VolumeMount,
  path: string,
  at: string,
  errors: FieldErrors,
): void {
  if (mount.subPath) checkDescendingPath(mount.subPath, `${path}.subPath`, errors);
  if (mount.subPathExpr) {
    if (mount.subPath) {
      errors.invalid(
        `${at}.subPathExpr`,
        mount.subPathExpr,
        'subPathExpr and subPath are mutually exclusive',
      );
    }
    checkDescendingPath(mount.subPathExpr, `${path}.subPathExpr`, errors);
  }
  const { mountPropagation: propagation, recursiveReadOnly: recursive } = mount;
  if (propagation !== undefined) {
    const field = `${path}.mountPropagation`;
    if (!PROPAGATIONS.includes(propagation)) errors.notSupported(field, propagation, PROPAGATIONS);
    if (propagation === 'Bidirectional' && !container.securityContext?.privileged) {
      errors.forbidden(field, 'Bidirectional mount propagation is available only to privileged containers');
    }
  }
  if (recursive === undefined || recursive === 'Disabled') return;
  const field = `${path}.recursiveReadOnly`;
  if (!RECURSIVE.includes(recursive)) {
    errors.notSupported(field, recursive, RECURSIVE);
    return;
  }
  if (!mount.readOnly) errors.forbidden(field, 'may only be specified when readOnly is true');
  if (propagation !== undefined && propagation !== 'None') {
    errors.forbidden(field, 'may only be specified when mountPropagation is None or not specified');
  }
}
