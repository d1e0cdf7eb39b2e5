/**
 * AKSNodeClass: what is particular to Azure about the nodes of a pool.
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

const tags = map('Tags for every resource made in Azure.', text('The value of the tag.'), {
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
    flag('Whether data is encrypted on the physical host, caches and temporary disk too.'),
  ),
  trustedLaunch: optional(
    object('Trusted launch; on as soon as one of its parts is.', {
      vtpm: optional(flag('Whether the machine has a virtual TPM.')),
      secureBoot: optional(flag('Whether only signed boot components may run.')),
    }),
  ),
});

const spec = object(
  'What nodes of this class are made of.',
  {
    vnetSubnetID: optional(
      text('The resource ID of the subnet for the nodes. Without it the one of the controller is used.', {
        pattern: SUBNET_ID,
      }),
    ),
    osDiskSizeGB: optional(
      integer('The size of the OS disk in GB.', { minimum: 30, maximum: 2048, default: 128 }),
    ),
    osDiskDiskEncryptionSetID: optional(
      text(
        'The resource ID of the disk encryption set for OS disks. Without it the one of the controller is used, else the one of the cluster. Known to Chandler only.',
        { pattern: DISK_ENCRYPTION_SET_ID },
      ),
    ),
    imageFamily: optional(choice('The operating system.', IMAGE_FAMILIES, { default: 'Ubuntu' })),
    fipsMode: optional(
      choice('Whether only cryptography certified under FIPS 140 is used. Off when absent.', [
        'FIPS',
        'Disabled',
      ]),
    ),
    tags: optional(tags),
    kubelet: optional(kubelet),
    maxPods: optional(
      integer('How many pods a node may have. When absent, the network plugin decides.', {
        minimum: 10,
        maximum: 250,
      }),
    ),
    security: optional(security),
    localDNS: optional(localDNS),
    gpu: optional(
      object('Settings for machines with GPUs.', {
        mode: optional(
          choice('Whether the GPU driver is installed.', ['Driver', 'None'], { default: 'Driver' }),
        ),
      }),
    ),
    artifactStreaming: optional(
      object('Starting containers before their image has come down whole.', {
        enabled: optional(flag('Whether artifact streaming is on. It is always off on arm64.')),
      }),
    ),
    linuxOSConfig: optional(linuxOSConfig),
  },
  { rules },
);
export type AKSNodeClassSpec = Static<typeof spec>;

const status = object('What was resolved from the spec.', {
  images: optional(
    list(
      'Images to start nodes from; of those that fit, the first is taken.',
      object('An image and the nodes it is for.', {
        id: text('The resource ID of the image.'),
        requirements: list('The nodes that the image is for.', reportedRequirement),
      }),
    ),
  ),
  kubernetesVersion: optional(text('The Kubernetes version that new nodes get.')),
  localDNSState: optional(choice('Whether new nodes run the DNS cache.', ['Enabled', 'Disabled'])),
  diskEncryptionSet: optional(
    object('The disk encryption set that OS disks of new nodes get. Known to Chandler only.', {
      id: text('The resource ID of the disk encryption set.'),
      source: choice('Where the ID came from.', DISK_ENCRYPTION_SET_SOURCES),
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
  description: 'An AKSNodeClass holds what is particular to Azure about the nodes of a NodePool.',
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
    readyColumn('Whether nodes of this class can be made.'),
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
