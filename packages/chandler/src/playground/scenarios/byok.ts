/** OS disks with a customer-managed key that the identity of the disk encryption set may not use. */
import { deployment, type Scenario } from './scenario.ts';

const SET =
  '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/playground/providers/Microsoft.Compute/diskEncryptionSets/des-playground';

export const BYOK: Scenario = {
  name: 'byok-misconfiguration',
  clouds: ['azure'],
  summary:
    'the disk encryption set is not permitted to use your key: the AKSNodeClass reports it before any VM is created',
  speed: 10,
  steps: [
    {
      description:
        'the disk encryption set loses its role on the key vault, and the AKSNodeClass refers to that set',
      actions: [
        { byok: 'revokeWrapUnwrap' },
        {
          applyWith: ({ cloud: { defaultNodeClass } }) => ({
            ...defaultNodeClass,
            spec: { ...(defaultNodeClass['spec'] as object), osDiskDiskEncryptionSetID: SET },
          }),
        },
      ],
      until: [{ condition: { kind: 'NodeClass', name: 'default', type: 'Ready', status: 'False' } }],
    },
    {
      description: 'pods are pending; no VM is created, because every launch would fail',
      actions: [{ apply: deployment('vault', 2, { cpu: '500m', memory: '1Gi' }) }],
      waitMs: 60_000,
      until: [{ instances: { exactly: 0 } }, { pods: { app: 'vault', pending: 2 } }],
    },
    {
      description: 'the role is assigned again; the AKSNodeClass becomes Ready within a minute',
      actions: [{ byok: 'grantWrapUnwrap' }],
      until: [{ condition: { kind: 'NodeClass', name: 'default', type: 'Ready', status: 'True' } }],
    },
    {
      description: 'a VM is launched, and its OS disk is encrypted with the key',
      until: [{ pods: { app: 'vault', running: 2 } }, { disksEncryptedWith: { app: 'vault', set: SET } }],
    },
  ],
};
