/** The volumes of a pod: one source each, and what each source needs. */
import type {
  V1DownwardAPIVolumeFile,
  V1KeyToPath,
  V1Volume,
  V1VolumeProjection,
} from '@kubernetes/client-node';
import { checkClaimSpec } from '../storage/claims.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { FieldErrors as Errors } from '../validation/field-errors.ts';
import { labelName } from '../validation/names.ts';
import { checkFieldSelector, checkResourceSelector } from './validate-environment.ts';
import { checkDescendingPath, checkNoBacksteps } from './validate-mounts.ts';
import { quantityOf } from './validate-resources.ts';

type Source = Readonly<Record<string, unknown>>;

/** Gives the volumes that have no mistakes: only those can be mounted. */
export function checkVolumes(
  volumes: readonly V1Volume[] | undefined,
  podName: string,
  path: string,
  errors: FieldErrors,
): ReadonlyMap<string, Source> {
  if (volumes === undefined) return NONE;
  const good = new Map<string, Source>();
  const generated = new Set(
    volumes.filter(({ ephemeral }) => ephemeral).map(({ name }) => `${podName}-${name}`),
  );
  volumes.forEach((volume, index) => {
    const at = `${path}[${index}]`;
    const own = new Errors();
    checkSource(volume, at, own);
    if (!volume.name) own.required(`${at}.name`);
    else own.invalidFor(`${at}.name`, volume.name, labelName(volume.name));
    if (good.has(volume.name)) own.duplicate(`${at}.name`, volume.name);
    if (own.list.length === 0) good.set(volume.name, volume as unknown as Source);
    else errors.list.push(...own.list);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim && podName !== '' && generated.has(claim)) {
      errors.invalid(
        `${at}.persistentVolumeClaim.claimName`,
        claim,
        'must not reference a PVC that gets created for an ephemeral volume',
      );
    }
  });
  return good;
}

export const MODE_RANGE = 'must be a number between 0 and 0777 (octal), both inclusive';

// ---------------------------------------------------------------------------------------------------

const NONE: ReadonlyMap<string, Source> = new Map();
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const VOLUME_PATHS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

type Check = (volume: V1Volume, path: string, errors: FieldErrors) => void;

/** In the order in which the real server looks: the second source it finds is one too many. */
const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: ({ emptyDir }, path, errors) => {
    const limit = emptyDir?.sizeLimit;
    if (limit !== undefined && quantityOf(limit).sign() < 0) {
      errors.forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity');
    }
  },
  hostPath: ({ hostPath }, path, errors) => {
    if (!hostPath?.path) errors.required(`${path}.path`);
    else checkNoBacksteps(hostPath.path, `${path}.path`, errors);
    const type = hostPath?.type ?? '';
    if (hostPath?.path && !HOST_PATH_TYPES.includes(type))
      errors.notSupported(`${path}.type`, type, HOST_PATH_TYPES);
  },
  gitRepo: needs('repository'),
  gcePersistentDisk: needs('pdName'),
  awsElasticBlockStore: needs('volumeID'),
  secret: ({ secret }, path, errors) => {
    if (!secret?.secretName) errors.required(`${path}.secretName`);
    checkMode(secret?.defaultMode, `${path}.defaultMode`, errors);
    checkKeys(secret?.items, `${path}.items`, errors);
  },
  nfs: ({ nfs }, path, errors) => {
    if (!nfs?.server) errors.required(`${path}.server`);
    if (!nfs?.path) errors.required(`${path}.path`);
    if (!nfs?.path?.startsWith('/'))
      errors.invalid(`${path}.path`, nfs?.path ?? '', 'must be an absolute path');
  },
  iscsi: needs('targetPortal', 'iqn'),
  glusterfs: needs('endpoints', 'path'),
  flocker: () => {},
  persistentVolumeClaim: needs('claimName'),
  rbd: needs('monitors', 'image'),
  cinder: needs('volumeID'),
  cephfs: needs('monitors'),
  quobyte: needs('registry', 'volume'),
  downwardAPI: ({ downwardAPI }, path, errors) => {
    checkMode(downwardAPI?.defaultMode, `${path}.defaultMode`, errors);
    for (const item of downwardAPI?.items ?? []) checkDownwardFile(item, path, errors);
  },
  fc: () => {},
  flexVolume: needs('driver'),
  configMap: ({ configMap }, path, errors) => {
    if (!configMap?.name) errors.required(`${path}.name`);
    checkMode(configMap?.defaultMode, `${path}.defaultMode`, errors);
    checkKeys(configMap?.items, `${path}.items`, errors);
  },
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: needs('diskName', 'diskURI'),
  storageos: needs('volumeName'),
  projected: ({ projected }, path, errors) => {
    checkMode(projected?.defaultMode, `${path}.defaultMode`, errors);
    (projected?.sources ?? []).forEach((source, index) => {
      checkProjection(source, `${path}.sources[${index}]`, errors);
    });
  },
  scaleIO: needs('gateway', 'system', 'volumeName'),
  csi: needs('driver'),
  ephemeral: ({ ephemeral }, path, errors) => {
    const template = ephemeral?.volumeClaimTemplate;
    if (template === undefined) errors.required(`${path}.volumeClaimTemplate`);
    else checkClaimSpec(template.spec, `${path}.volumeClaimTemplate.spec`, errors);
  },
  image: needs('reference'),
};

function needs(...fields: readonly string[]): Check {
  return (volume, path, errors) => {
    const type = path.slice(path.lastIndexOf('.') + 1);
    const source = (volume as unknown as Record<string, Record<string, unknown>>)[type];
    for (const field of fields) {
      const value = source?.[field];
      if (!value || (Array.isArray(value) && value.length === 0)) errors.required(`${path}.${field}`);
    }
  };
}

function checkSource(volume: V1Volume, path: string, errors: FieldErrors): void {
  let found = false;
  for (const type in SOURCES) {
    if ((volume as unknown as Source)[type] === undefined) continue;
    if (found) errors.forbidden(`${path}.${type}`, 'may not specify more than 1 volume type');
    else SOURCES[type]!(volume, `${path}.${type}`, errors);
    found = true;
  }
  if (!found) errors.required(path, 'must specify a volume type');
}

function checkMode(mode: number | undefined, path: string, errors: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) errors.invalid(path, mode, MODE_RANGE);
}

function checkKeys(items: readonly V1KeyToPath[] | undefined, path: string, errors: FieldErrors): void {
  (items ?? []).forEach(({ key, path: target, mode }, index) => {
    const at = `${path}[${index}]`;
    if (!key) errors.required(`${at}.key`);
    if (!target) errors.required(`${at}.path`);
    checkFilePath(target ?? '', `${at}.path`, errors);
    checkMode(mode, `${at}.mode`, errors);
  });
}

function checkFilePath(target: string, path: string, errors: FieldErrors): void {
  checkDescendingPath(target, path, errors);
  if (target.startsWith('..') && !target.startsWith('../'))
    errors.invalid(path, target, "must not start with '..'");
}

function checkDownwardFile(file: V1DownwardAPIVolumeFile, path: string, errors: FieldErrors): void {
  if (!file.path) errors.required(`${path}.path`);
  checkFilePath(file.path, `${path}.path`, errors);
  if (file.fieldRef !== undefined) {
    checkFieldSelector(file.fieldRef, VOLUME_PATHS, `${path}.fieldRef`, errors);
    if (file.resourceFieldRef !== undefined) {
      errors.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
    }
  } else if (file.resourceFieldRef !== undefined) {
    checkResourceSelector(file.resourceFieldRef, true, `${path}.resourceFieldRef`, errors);
  } else errors.required(path, 'one of fieldRef and resourceFieldRef is required');
  checkMode(file.mode, `${path}.mode`, errors);
}

function checkProjection(source: V1VolumeProjection, path: string, errors: FieldErrors): void {
  const given = Object.keys(source);
  for (const type of ['secret', 'configMap'] as const) {
    const reference = source[type];
    if (reference === undefined) continue;
    if (!reference.name) errors.required(`${path}.${type}.name`);
    checkKeys(reference.items, `${path}.${type}.items`, errors);
  }
  for (const item of source.downwardAPI?.items ?? []) checkDownwardFile(item, `${path}.downwardAPI`, errors);
  const token = source.serviceAccountToken;
  if (token !== undefined) {
    const seconds = token.expirationSeconds ?? 0;
    if (seconds < 600) {
      errors.invalid(
        `${path}.serviceAccountToken.expirationSeconds`,
        seconds,
        'may not specify a duration less than 10 minutes',
      );
    }
    if (seconds > 2 ** 32) {
      errors.invalid(
        `${path}.serviceAccountToken.expirationSeconds`,
        seconds,
        'may not specify a duration larger than 2^32 seconds',
      );
    }
    if (!token.path) errors.required(`${path.slice(0, path.lastIndexOf('.'))}.path`);
    else checkFilePath(token.path, `${path.slice(0, path.lastIndexOf('.'))}.path`, errors);
  }
  if (given.length > 1) errors.forbidden(path, 'may not specify more than 1 volume type per source');
}
