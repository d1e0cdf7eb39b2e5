/** Storage classes, CSI drivers, CSI nodes and volume attachments. */
import type {
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1StorageClass,
  V1VolumeAttachment,
} from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import { quantityOf } from '../pods/validate-resources.ts';
import type { KindRules } from '../rules.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkSelector } from '../validation/labels.ts';
import { qualifiedName, subdomainName } from '../validation/names.ts';
import { checkVolumeSpec } from './volumes.ts';

export const storageClassRules: KindRules = {
  allowCreateOnUpdate: false,
  defaults: (object) => {
    const storageClass = object as unknown as V1StorageClass;
    storageClass.reclaimPolicy ??= 'Delete';
    storageClass.volumeBindingMode ??= 'Immediate';
  },
  revalidates: false,
  validate: (object, errors) => {
    const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies } =
      object as unknown as V1StorageClass;
    if (provisioner)
      errors.invalidFor('provisioner', provisioner.toLowerCase(), qualifiedName(provisioner.toLowerCase()));
    for (const key in parameters)
      if (key === '') errors.invalid('parameters', key, 'field can not be empty.');
    if (reclaimPolicy && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
      errors.notSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES);
    }
    if (!BINDING_MODES.includes(volumeBindingMode!))
      errors.notSupported('volumeBindingMode', volumeBindingMode, BINDING_MODES);
    (allowedTopologies ?? []).forEach(({ matchLabelExpressions }, index) => {
      (matchLabelExpressions ?? []).forEach(({ key, values }, position) => {
        const at = `allowedTopologies[${index}].matchLabelExpressions[${position}]`;
        if ((values ?? []).length === 0) errors.required(`${at}.values`);
        errors.invalidFor(`${at}.key`, key, qualifiedName(key));
      });
    });
    if (!provisioner) errors.required('provisioner');
  },
  validateUpdate: (next, current, errors) => {
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
      if (!sameValue(next[field], current[field]))
        errors.invalid(field, next[field] ?? null, 'field is immutable');
    }
  },
};

export const csiDriverRules: KindRules = {
  defaults: (object) => {
    const { spec } = object as unknown as V1CSIDriver;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  validate: (object, errors) => {
    const { spec } = object as unknown as V1CSIDriver;
    if (!FS_GROUP_POLICIES.includes(spec.fsGroupPolicy!))
      errors.notSupported('spec.fsGroupPolicy', spec.fsGroupPolicy, FS_GROUP_POLICIES);
    for (const mode of spec.volumeLifecycleModes ?? []) {
      if (!LIFECYCLE_MODES.includes(mode))
        errors.notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES);
    }
  },
  validateNew: (object, errors) => {
    const { spec } = object as unknown as V1CSIDriver;
    const period = spec.nodeAllocatableUpdatePeriodSeconds;
    if (period !== undefined && period < 10) {
      errors.invalid(
        'spec.nodeAllocatableUpdatePeriodSeconds',
        period,
        'must be greater than or equal to 10 seconds',
      );
    }
    const inSecrets = spec.serviceAccountTokenInSecrets;
    if (inSecrets !== undefined && (spec.tokenRequests ?? []).length === 0) {
      errors.invalid(
        'spec.serviceAccountTokenInSecrets',
        inSecrets,
        'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
      );
    }
  },
  validateUpdate: (next, current, errors) => {
    const spec = (next as unknown as V1CSIDriver).spec;
    const before = (current as unknown as V1CSIDriver).spec;
    errors.immutable('spec.attachedRequired', spec.attachRequired, before.attachRequired);
    errors.immutable('spec.volumeLifecycleModes', spec.volumeLifecycleModes, before.volumeLifecycleModes);
  },
};

export const csiNodeRules: KindRules = {
  revalidatesMetadata: true,
  validate: (object, errors) => {
    const seen = new Set<string>();
    ((object as unknown as V1CSINode).spec.drivers ?? []).forEach((driver, index) => {
      const at = `spec.drivers[${index}]`;
      checkDriverName(driver.name, `${at}.name`, errors);
      if (!driver.nodeID) errors.required(`${at}.nodeID`);
      else if (driver.nodeID.length > 256)
        errors.invalid(`${at}.nodeID`, driver.nodeID, 'must be 256 characters or less');
      errors.notNegative(`${at}.allocatable.count`, driver.allocatable?.count);
      if (seen.has(driver.name)) errors.duplicate(`${at}.name`, driver.name);
      seen.add(driver.name);
      checkTopologyKeys(driver.topologyKeys, at, errors);
    });
  },
  validateUpdate: (next, current, errors) => {
    const fixed = ({ allocatable: _, ...rest }: V1CSINode['spec']['drivers'][number]): unknown => rest;
    const drivers = (next as unknown as V1CSINode).spec.drivers ?? [];
    for (const before of (current as unknown as V1CSINode).spec.drivers ?? []) {
      const driver = drivers.find(({ name }) => name === before.name);
      if (driver !== undefined && !sameValue(fixed(driver), fixed(before))) {
        errors.invalid(
          'spec.drivers',
          internalValue('storage.CSINodeDriver', fixed(driver)),
          'field is immutable',
        );
      }
    }
  },
};

export const csiStorageCapacityRules: KindRules = {
  validate: (object, errors) => {
    const { storageClassName, nodeTopology, capacity, maximumVolumeSize } =
      object as unknown as V1CSIStorageCapacity;
    errors.invalidFor('storageClassName', storageClassName, subdomainName(storageClassName));
    if (capacity !== undefined && quantityOf(capacity).sign() < 0)
      errors.invalid('capacity', capacity, 'must be greater than or equal to 0');
    if (maximumVolumeSize !== undefined && quantityOf(maximumVolumeSize).sign() < 0) {
      errors.invalid('maximumVolumeSize', maximumVolumeSize, 'must be greater than or equal to 0');
    }
    checkSelector(nodeTopology, 'nodeTopology', errors);
  },
  validateUpdate: (next, current, errors) => {
    errors.immutable('nodeTopology', next['nodeTopology'], current['nodeTopology']);
    errors.immutable('storageClassName', next['storageClassName'], current['storageClassName']);
  },
};

export const volumeAttachmentRules: KindRules = {
  revalidatesMetadata: true,
  generation: false,
  validate: (object, errors) => {
    const { spec } = object as unknown as V1VolumeAttachment;
    if (!spec.attacher) errors.required('spec.attacher');
    else checkDriverName(spec.attacher, 'spec.attacher', errors);
    const { inlineVolumeSpec, persistentVolumeName } = spec.source;
    const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
    if (inlineVolumeSpec === undefined && persistentVolumeName === undefined)
      errors.required('spec.source', one);
    else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined)
      errors.forbidden('spec.source', one);
    else if (inlineVolumeSpec !== undefined)
      checkVolumeSpec(inlineVolumeSpec, 'spec.source.inlineVolumeSpec', true, errors);
    else if (persistentVolumeName === '') {
      errors.required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName');
    }
    errors.invalidFor('spec.nodeName', spec.nodeName, subdomainName(spec.nodeName));
    if (persistentVolumeName !== undefined) {
      errors.invalidFor(
        'spec.source.persistentVolumeName',
        persistentVolumeName,
        subdomainName(persistentVolumeName),
      );
    }
  },
  validateUpdate: (next, current, errors) => {
    if (sameValue(next['spec'], current['spec'])) return;
    errors.invalid('spec', internalValue('storage.VolumeAttachmentSpec', next['spec']), 'field is immutable');
  },
};

// ---------------------------------------------------------------------------------------------------

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];

function checkDriverName(name: string, path: string, errors: FieldErrors): void {
  if (!name) {
    errors.required(path);
    return;
  }
  if (name.length > 63) errors.tooLong(path, 63);
  errors.invalidFor(path, name, subdomainName(name.toLowerCase()));
}

function checkTopologyKeys(keys: readonly string[] | undefined, path: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const key of keys ?? []) {
    if (key === '') errors.required(path);
    if (seen.has(key)) errors.duplicate(path, key);
    seen.add(key);
    errors.invalidFor(path, key, qualifiedName(key));
  }
}
