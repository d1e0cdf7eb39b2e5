/**
 * The columns of volumes, claims, storage classes and what drivers report about themselves.
 */
import type { KubeObject } from '@chandler/kube';
import type { PrinterColumn } from '../../resource.ts';
import { NONE } from '../age.ts';
import { AGE, at, flag, integer, listAt, NAME, nameColumn, stringAt, text, textsAt, WIDE } from './column.ts';

export const UNSET = '<unset>';

const VOLUME_MODE = text('VolumeMode', (object) => stringAt(object, 'spec', 'volumeMode') || UNSET, {
  ...WIDE,
  description: 'Whether it is a file system or a block device.',
});
const ATTRIBUTES_CLASS = text(
  'VolumeAttributesClass',
  (object) => stringAt(object, 'spec', 'volumeAttributesClassName') || UNSET,
  { description: 'The class of changeable attributes.' },
);
const STORAGE_CLASS = text('StorageClass', storageClass, { description: 'The class that it is of.' });
const STATUS = text('Status', phaseOrTerminating, { description: 'The phase it is in.' });

export const PERSISTENT_VOLUME_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Capacity', (volume) => stringAt(volume, 'spec', 'capacity', 'storage') || '0', {
    description: 'Its size.',
  }),
  text('Access Modes', (volume) => accessModes(textsAt(volume, 'spec', 'accessModes')), {
    description: 'How many may mount it, and how.',
  }),
  text('Reclaim Policy', (volume) => stringAt(volume, 'spec', 'persistentVolumeReclaimPolicy'), {
    description: 'What becomes of it when its claim goes.',
  }),
  STATUS,
  text('Claim', claimName, { description: 'The claim it is bound to.' }),
  STORAGE_CLASS,
  ATTRIBUTES_CLASS,
  text('Reason', (volume) => stringAt(volume, 'status', 'reason'), {
    description: 'Why it is in a failed phase.',
  }),
  AGE,
  VOLUME_MODE,
];

export const PERSISTENT_VOLUME_CLAIM_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  STATUS,
  text('Volume', (claim) => stringAt(claim, 'spec', 'volumeName'), {
    description: 'The volume it is bound to.',
  }),
  text(
    'Capacity',
    (claim) => whenBound(claim, () => stringAt(claim, 'status', 'capacity', 'storage') || '0'),
    {
      description: 'The size of the bound volume.',
    },
  ),
  text(
    'Access Modes',
    (claim) => whenBound(claim, () => accessModes(textsAt(claim, 'status', 'accessModes'))),
    {
      description: 'How many may mount it, and how.',
    },
  ),
  STORAGE_CLASS,
  ATTRIBUTES_CLASS,
  AGE,
  VOLUME_MODE,
];

export const STORAGE_CLASS_COLUMNS: readonly PrinterColumn[] = [
  nameColumn((object) => `${object.metadata.name ?? ''}${isDefaultClass(object) ? ' (default)' : ''}`),
  text('Provisioner', (object) => stringAt(object, 'provisioner'), {
    description: 'Who makes volumes of this class.',
  }),
  text('ReclaimPolicy', (object) => stringAt(object, 'reclaimPolicy') || 'Delete', {
    description: 'What becomes of a volume when its claim goes.',
  }),
  text('VolumeBindingMode', (object) => stringAt(object, 'volumeBindingMode') || 'Immediate', {
    description: 'Whether a volume is made at once or when a pod needs it.',
  }),
  text('AllowVolumeExpansion', (object) => at(object, 'allowVolumeExpansion') === true, {
    description: 'Whether a volume may grow.',
  }),
  AGE,
];

export const CSI_NODE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  integer('Drivers', (object) => listAt(object, 'spec', 'drivers').length, {
    description: 'How many drivers are installed on the node.',
  }),
  AGE,
];

export const CSI_DRIVER_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  flag('AttachRequired', (driver) => at(driver, 'spec', 'attachRequired') !== false, {
    description: 'Whether a volume must be attached before it is mounted.',
  }),
  flag('PodInfoOnMount', (driver) => at(driver, 'spec', 'podInfoOnMount') === true, {
    description: 'Whether the driver gets information about the pod.',
  }),
  flag('StorageCapacity', (driver) => at(driver, 'spec', 'storageCapacity') === true, {
    description: 'Whether scheduling looks at reported capacity.',
  }),
  text('TokenRequests', tokenAudiences, { description: 'Audiences of the tokens the driver gets.' }),
  flag('RequiresRepublish', (driver) => at(driver, 'spec', 'requiresRepublish') === true, {
    description: 'Whether volumes are published again and again.',
  }),
  text('Modes', (driver) => textsAt(driver, 'spec', 'volumeLifecycleModes').join(',') || NONE, {
    description: 'The lifecycles of volumes that the driver knows.',
  }),
  AGE,
];

export const VOLUME_ATTACHMENT_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Attacher', (object) => stringAt(object, 'spec', 'attacher'), {
    format: 'name',
    description: 'The driver that attaches.',
  }),
  text('PV', (object) => stringAt(object, 'spec', 'source', 'persistentVolumeName'), {
    description: 'The volume that is attached.',
  }),
  text('Node', (object) => stringAt(object, 'spec', 'nodeName'), {
    description: 'The node it is attached to.',
  }),
  flag('Attached', (object) => at(object, 'status', 'attached') === true, {
    description: 'Whether that has happened.',
  }),
  AGE,
];

export const VOLUME_ATTRIBUTES_CLASS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('DriverName', (object) => stringAt(object, 'driverName'), {
    description: 'The driver that knows the attributes.',
  }),
  AGE,
];

// ---------------------------------------------------------------------------------------------------

const MODES: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

const BETA_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASS_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

function accessModes(modes: readonly string[]): string {
  return MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

function storageClass(object: KubeObject): string {
  return object.metadata.annotations?.[BETA_CLASS_ANNOTATION] ?? stringAt(object, 'spec', 'storageClassName');
}

function phaseOrTerminating(object: KubeObject): string {
  return object.metadata.deletionTimestamp === undefined
    ? stringAt(object, 'status', 'phase')
    : 'Terminating';
}

function claimName(volume: KubeObject): string {
  const claim = at(volume, 'spec', 'claimRef');
  return claim === undefined ? '' : `${stringAt(claim, 'namespace')}/${stringAt(claim, 'name')}`;
}

function whenBound(claim: KubeObject, cell: () => string): string {
  return stringAt(claim, 'spec', 'volumeName') === '' ? '' : cell();
}

function isDefaultClass(object: KubeObject): boolean {
  return DEFAULT_CLASS_ANNOTATIONS.some((annotation) => object.metadata.annotations?.[annotation] === 'true');
}

function tokenAudiences(driver: KubeObject): string {
  if (at(driver, 'spec', 'tokenRequests') === undefined) return UNSET;
  return listAt(driver, 'spec', 'tokenRequests')
    .map((request) => stringAt(request, 'audience'))
    .join(',');
}
