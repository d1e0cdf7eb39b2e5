/** Every table of causes there is: those of all clouds, those of AKS' provisioning, and those that know Azure. */
import { CSE_CAUSES } from '../../bootstrap/index.ts';
import { type CauseTable, COMMON_CAUSES } from '../../causes/index.ts';

import { AZURE_ERRORS } from './azure-errors.ts';
import { AZURE_NODES } from './azure-nodes.ts';
import { DISK_ENCRYPTION_DOUBTS } from './disk-encryption.ts';
import { PLANNING } from './planning.ts';
import { SILENT_PODS } from './pods.ts';

export const AZURE_CAUSES: readonly CauseTable[] = [
  { name: 'Azure errors', about: 'codes of Azure Resource Manager.', causes: AZURE_ERRORS },
  {
    name: 'disk encryption in doubt',
    about: 'what could not be found out about a set.',
    causes: DISK_ENCRYPTION_DOUBTS,
  },
  { name: 'planning', about: 'what is refused before and beside the engine.', causes: PLANNING },
  { name: 'silent pods', about: 'pods that are not well without a word.', causes: SILENT_PODS },
  { name: 'Azure nodes', about: 'what a node says about its machine.', causes: AZURE_NODES },
];

/** For `findCauses` and for the documentation. */
export const ALL_CAUSES: readonly CauseTable[] = [...COMMON_CAUSES, CSE_CAUSES, ...AZURE_CAUSES];
