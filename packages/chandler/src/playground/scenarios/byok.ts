/** Disks with a customer's key, and the identity of the disk encryption set may not use that key. */
import { DEFAULT_NODE_CLASS } from './default-pool.ts';
import { deployment, type Story } from './story.ts';

const SET =
  '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/playground/providers/Microsoft.Compute/diskEncryptionSets/des-playground';

export const BYOK: Story = {
  name: 'byok-misconfiguration',
  summary:
    'OS disks with your own key, which the disk encryption set may not use: the node class says so before a VM is tried',
  speed: 10,
  steps: [
    {
      say: 'the disk encryption set loses its role on the key vault, and the node class asks for that set',
      acts: [
        { byok: 'revokeWrapUnwrap' },
        {
          apply: {
            ...DEFAULT_NODE_CLASS,
            spec: { ...(DEFAULT_NODE_CLASS['spec'] as object), osDiskDiskEncryptionSetID: SET },
          },
        },
      ],
      until: [{ condition: { kind: 'AKSNodeClass', name: 'default', type: 'Ready', status: 'False' } }],
    },
    {
      say: 'pods ask for a machine: none is bought, since every launch would fail',
      acts: [{ apply: deployment('vault', 2, { cpu: '500m', memory: '1Gi' }) }],
      waitMs: 60_000,
      until: [{ vms: { exactly: 0 } }, { pods: { app: 'vault', pending: 2 } }],
    },
    {
      say: 'the role is given back; the node class notices within a minute and is ready',
      acts: [{ byok: 'grantWrapUnwrap' }],
      until: [{ condition: { kind: 'AKSNodeClass', name: 'default', type: 'Ready', status: 'True' } }],
    },
    {
      say: 'the machine is bought, its disk encrypted with the key',
      until: [{ pods: { app: 'vault', running: 2 } }, { disksEncryptedWith: { app: 'vault', set: SET } }],
    },
  ],
};
