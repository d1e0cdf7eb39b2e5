/**
 * AKSNodeClass: the Azure settings of the nodes of a pool.
 */
import { AZURE_GROUP } from '../../labels.ts';
import type { KindDefinition, ObjectOfKind } from '../../schema/crd.ts';
import {
  choice,
  flag,
  integer,
  list,
  map,
  object,
  optional,
  type Rule,
  type Static,
  text,
} from '../../schema/schema.ts';
import { ageColumn, readyColumn } from '../columns.ts';
import { conditions, reportedRequirement } from '../parts.ts';
import { kubelet } from './kubelet.ts';
import { linuxOSConfig } from './linux-os.ts';
import { localDNS } from './local-dns.ts';

export const IMAGE_FAMILIES = ['Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux'] as const;

const SUBNET_ID =
  '(?i)^\\/subscriptions\\/[^\\/]+\\/resourceGroups\\/[a-zA-Z0-9_\\-().]{0,89}[a-zA-Z0-9_\\-()]\\/providers\\/Microsoft\\.Network\\/virtualNetworks\\/[^\\/]+\\/subnets\\/[^\\/]+$';

/** The resource ID of a disk encryption set, in any case; the value may come from a person or from Azure. */
export const DISK_ENCRYPTION_SET_ID =
  '(?i)^\\/subscriptions\\/[^\\/]+\\/resourceGroups\\/[a-zA-Z0-9_\\-().]{0,89}[a-zA-Z0-9_\\-()]\\/providers\\/Microsoft\\.Compute\\/diskEncryptionSets\\/[a-zA-Z0-9_\\-.]{1,80}$';

/** Where the ID of a disk encryption set can come from, the strongest first. */
export const DISK_ENCRYPTION_SET_SOURCES = ['NodeClass', 'flag', 'env', 'settings', 'cluster'] as const;

const FIPS = "has(self.fipsMode) && self.fipsMode == 'FIPS'";
const TRUSTED_LAUNCH =
  'has(self.security) && has(self.security.trustedLaunch) && ((has(self.security.trustedLaunch.vtpm) && self.security.trustedLaunch.vtpm) || (has(self.security.trustedLaunch.secureBoot) && self.security.trustedLaunch.secureBoot))';

const rules: readonly Rule[] = [
  {
    message: 'FIPS is not yet supported for Ubuntu2404',
    rule: `!(${FIPS}) || !has(self.imageFamily) || self.imageFamily != 'Ubuntu2404'`,
  },
  {
    message: 'TrustedLaunch is required for FIPS support with Ubuntu2204',
    rule: `!(${FIPS}) || !has(self.imageFamily) || self.imageFamily != 'Ubuntu2204' || (${TRUSTED_LAUNCH})`,
  },
  {
    message: 'TrustedLaunch with FIPSMode FIPS is only supported for Ubuntu and Ubuntu2204',
    rule: `!(${FIPS}) || !(${TRUSTED_LAUNCH}) || !has(self.imageFamily) || self.imageFamily in ['Ubuntu', 'Ubuntu2204']`,
  },
  {
    message: 'kubelet.failSwapOn must be set to false when linuxOSConfig.swapFileSize is specified',
    rule: '!has(self.linuxOSConfig) || !has(self.linuxOSConfig.swapFileSize) || (has(self.kubelet) && has(self.kubelet.failSwapOn) && !self.kubelet.failSwapOn)',
  },
];

const tags = map('Tags of every Azure resource of a node.', text('The value of the tag.'), {
  maxProperties: 50,
  rules: [
    { message: 'tags keys must be less than 512 characters', rule: 'self.all(k, size(k) <= 512)' },
    {
      message: "tags keys must not contain '<', '>', '%', '&', or '?'",
      rule: "self.all(k, !k.matches('[<>%&?]'))",
    },
    { message: "tags keys must not contain '\\'", rule: "self.all(k, !k.contains('\\\\'))" },
    { message: 'tags values must be less than 256 characters', rule: 'self.all(k, size(self[k]) <= 256)' },
  ],
});

const security = object('Security features of the virtual machine.', {
  encryptionAtHost: optional(
    flag('Whether data is encrypted on the physical host, including caches and the temporary disk.'),
  ),
  trustedLaunch: optional(
    object('Trusted launch; it is enabled if one of its features is enabled.', {
      vtpm: optional(flag('Whether the VM has a virtual TPM.')),
      secureBoot: optional(flag('Whether only signed boot components may run.')),
    }),
  ),
});

const spec = object(
  'The desired state of nodes of this class.',
  {
    vnetSubnetID: optional(
      text(
        "The resource ID of the subnet of the nodes. The default is the controller's option vnet-subnet-id.",
        {
          pattern: SUBNET_ID,
        },
      ),
    ),
    osDiskSizeGB: optional(
      integer('The size of the OS disk in GB.', { minimum: 30, maximum: 2048, default: 128 }),
    ),
    osDiskDiskEncryptionSetID: optional(
      text(
        "The resource ID of the disk encryption set of OS disks. The default is the controller's option node-osdisk-diskencryptionset-id, then the set of the cluster. Only Chandler supports this field.",
        { pattern: DISK_ENCRYPTION_SET_ID },
      ),
    ),
    imageFamily: optional(choice('The operating system.', IMAGE_FAMILIES, { default: 'Ubuntu' })),
    fipsMode: optional(
      choice('Whether only FIPS 140 certified cryptography is used. The default is Disabled.', [
        'FIPS',
        'Disabled',
      ]),
    ),
    tags: optional(tags),
    kubelet: optional(kubelet),
    maxPods: optional(
      integer('The maximum number of pods of a node. The default depends on the network plugin.', {
        minimum: 10,
        maximum: 250,
      }),
    ),
    security: optional(security),
    localDNS: optional(localDNS),
    gpu: optional(
      object('Settings of VMs with GPUs.', {
        mode: optional(
          choice('Whether the GPU driver is installed.', ['Driver', 'None'], { default: 'Driver' }),
        ),
      }),
    ),
    artifactStreaming: optional(
      object('Artifact streaming: containers start before their image is completely pulled.', {
        enabled: optional(flag('Whether artifact streaming is enabled. It is always disabled on arm64.')),
      }),
    ),
    linuxOSConfig: optional(linuxOSConfig),
  },
  { rules },
);
export type AKSNodeClassSpec = Static<typeof spec>;

const status = object('The observed state of the node class.', {
  images: optional(
    list(
      'The images of new nodes; the first image that matches the VM size is used.',
      object('An image and the requirements of the nodes that use it.', {
        id: text('The resource ID of the image.'),
        requirements: list('The requirements of the nodes that use the image.', reportedRequirement),
      }),
    ),
  ),
  kubernetesVersion: optional(text('The Kubernetes version of new nodes.')),
  localDNSState: optional(choice('Whether new nodes run the DNS cache.', ['Enabled', 'Disabled'])),
  diskEncryptionSet: optional(
    object('The disk encryption set of the OS disks of new nodes. Only Chandler sets this field.', {
      id: text('The resource ID of the disk encryption set.'),
      source: choice('The source of the ID.', DISK_ENCRYPTION_SET_SOURCES),
    }),
  ),
  conditions: optional(conditions()),
});
export type AKSNodeClassStatus = Static<typeof status>;

type Stored = ObjectOfKind<
  'karpenter.azure.com/v1beta1' | 'karpenter.azure.com/v1alpha2',
  'AKSNodeClass',
  AKSNodeClassSpec,
  AKSNodeClassStatus
>;

/** The whole spec may be left out: everything in it has a default or is found elsewhere. */
export type AKSNodeClass = Omit<Stored, 'spec'> & { spec?: AKSNodeClassSpec };

export const aksNodeClassKind: KindDefinition<AKSNodeClassSpec, AKSNodeClassStatus> = {
  group: AZURE_GROUP,
  kind: 'AKSNodeClass',
  plural: 'aksnodeclasses',
  scope: 'Cluster',
  shortNames: ['aksnc', 'aksncs'],
  categories: ['karpenter', 'nap'],
  description: 'An AKSNodeClass defines the Azure settings of the nodes of a NodePool.',
  versions: [
    {
      name: 'v1alpha2',
      served: true,
      storage: false,
      deprecationWarning: 'use v1beta1.AKSNodeClass instead',
    },
    { name: 'v1beta1', served: true, storage: true },
  ],
  columns: [
    readyColumn('Whether nodes of this class can be launched.'),
    ageColumn('class'),
    {
      name: 'ImageFamily',
      type: 'string',
      jsonPath: '.spec.imageFamily',
      description: 'The operating system.',
      wide: true,
    },
  ],
  spec: optional(spec),
  status: optional(status),
};
