/** Every table of causes that knows Azure, in the order of the layers. */
import { CSE_CAUSES } from '../../../bootstrap/index.ts';
import type { CauseTable } from '../../../causes/index.ts';

import { ARM_ERRORS } from './arm-errors.ts';
import { AZURE_DENIED } from './denied.ts';
import { DISK_ENCRYPTION_CONFIGURATION } from './disk-encryption-configuration.ts';
import { DISK_ENCRYPTION_DOUBTS } from './disk-encryption-doubts.ts';
import { DISK_ENCRYPTION_REFUSED } from './disk-encryption-refused.ts';
import { NODE_CLASS } from './node-class.ts';
import { AZURE_NODES } from './nodes.ts';
import { AZURE_REGISTRY } from './registry.ts';
import { VALUE_LOST } from './value-lost.ts';

export const AZURE_CAUSES: readonly CauseTable[] = [
  {
    name: 'disk encryption',
    about:
      'a disk encryption set that is missing, invalid, lost before the VM is created, or rejected by Azure.',
    causes: [...DISK_ENCRYPTION_CONFIGURATION, ...VALUE_LOST, ...DISK_ENCRYPTION_REFUSED],
  },
  { name: 'AKSNodeClass', about: 'why an AKSNodeClass is not Ready.', causes: NODE_CLASS },
  {
    name: 'Azure permissions',
    about: 'calls that Azure denies to the controller, also those that are made for no launch.',
    causes: AZURE_DENIED,
  },
  { name: 'Azure errors', about: 'error codes of Azure Resource Manager.', causes: ARM_ERRORS },
  {
    name: 'disk encryption not verified',
    about: 'what the controller could not verify about a disk encryption set.',
    causes: DISK_ENCRYPTION_DOUBTS,
  },
  CSE_CAUSES,
  { name: 'Azure nodes', about: 'conditions of a Node that report problems of its VM.', causes: AZURE_NODES },
  {
    name: 'Azure container registry',
    about: 'registries of Azure that do not accept where a pull comes from.',
    causes: AZURE_REGISTRY,
  },
];
