/**
 * EC2NodeClass: the AWS settings of the nodes of a pool.
 */
import { AWS_GROUP, AwsLabel, KARPENTER_GROUP, KarpenterLabel } from '../../labels.ts';
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
import {
  blockDeviceMappings,
  connectionTracking,
  cpuOptions,
  metadataOptions,
  networkInterfaces,
} from './machine.ts';
import {
  ALIAS_AMI_FAMILIES,
  amiSelectorTerms,
  capacityReservationId,
  capacityReservationSelectorTerms,
  instanceMatchCriteria,
  ownerId,
  placementGroupSelector,
  securityGroupSelectorTerms,
  subnetSelectorTerms,
} from './selectors.ts';

export const AMI_FAMILIES = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Custom',
  'Windows2019',
  'Windows2022',
  'Windows2025',
] as const;

const rules: readonly Rule[] = [
  {
    message: "must specify exactly one of ['role', 'instanceProfile']",
    rule: 'has(self.role) != has(self.instanceProfile)',
  },
  ...ALIAS_AMI_FAMILIES.map(({ alias, family, article }) => ({
    message: `if set, amiFamily must be '${family}' or 'Custom' when using ${article} ${family} alias`,
    rule: `!has(self.amiFamily) || self.amiFamily in ['${family}', 'Custom'] || !self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.startsWith('${alias}@'))`,
  })),
  {
    message: 'must specify amiFamily if amiSelectorTerms does not contain an alias',
    rule: 'has(self.amiFamily) || self.amiSelectorTerms.exists(x, has(x.alias))',
  },
];

const tags = map('Tags of every AWS resource of a node.', text('The value of the tag.'), {
  maxProperties: 50,
  rules: [
    { message: "empty tag keys aren't supported", rule: "!('' in self)" },
    restrictedTag('eks:eks-cluster-name'),
    {
      message: 'tag contains a restricted tag matching kubernetes.io/cluster/',
      rule: "self.all(k, !k.startsWith('kubernetes.io/cluster'))",
    },
    restrictedTag(KarpenterLabel.nodePool),
    restrictedTag(`${KARPENTER_GROUP}/nodeclaim`),
    restrictedTag(AwsLabel.nodeClass),
  ],
});

const spec = object(
  'The desired state of nodes of this class.',
  {
    subnetSelectorTerms,
    securityGroupSelectorTerms,
    capacityReservationSelectorTerms: optional(capacityReservationSelectorTerms),
    placementGroupSelector: optional(placementGroupSelector),
    associatePublicIPAddress: optional(
      flag('Whether instances get a public IP address. The default is the setting of the subnet.'),
    ),
    ipPrefixCount: optional(integer('The number of IP prefixes of the primary interface.', { minimum: 0 })),
    amiSelectorTerms,
    amiFamily: optional(
      choice(
        'The format of the bootstrap configuration of the image. The default depends on the alias.',
        AMI_FAMILIES,
      ),
    ),
    userData: optional(
      text('User data that the instance runs at its first start, in addition to that of the image family.'),
    ),
    role: optional(
      identity(
        'role',
        'The IAM role of the nodes, by name. The controller creates an instance profile for it.',
      ),
    ),
    instanceProfile: optional(identity('instanceProfile', 'The instance profile of the nodes, by name.')),
    tags: optional(tags),
    kubelet: optional(kubelet),
    blockDeviceMappings: optional(blockDeviceMappings),
    instanceStorePolicy: optional(
      choice('How the local disks of the instance are used; RAID0 combines them into one disk.', ['RAID0']),
    ),
    networkInterfaces: optional(networkInterfaces),
    detailedMonitoring: optional(flag('Whether CloudWatch receives metrics every minute.')),
    metadataOptions: optional(metadataOptions),
    connectionTracking: optional(connectionTracking),
    context: optional(text('A context ID that is passed to EC2 with every launch.')),
    cpuOptions: optional(cpuOptions),
  },
  { rules },
);
export type EC2NodeClassSpec = Static<typeof spec>;

const capacityReservation = object('A capacity reservation.', {
  id: capacityReservationId,
  availabilityZone: text('The zone it is in.'),
  instanceType: text('The instance type it is for.'),
  instanceMatchCriteria,
  ownerID: ownerId,
  endTime: optional(text('When it ends; it does not end if absent.', { format: 'date-time' })),
  reservationType: optional(
    choice('The type of the reservation.', ['default', 'capacity-block'], { default: 'default' }),
  ),
  interruptible: optional(flag('Whether the capacity can be reclaimed.')),
  state: optional(
    choice('Whether it is active, or about to expire.', ['active', 'expiring'], { default: 'active' }),
  ),
});

const status = object('The observed state of the node class.', {
  subnets: optional(
    list(
      'The subnets, those with the most free addresses first.',
      object('A subnet.', {
        id: text('The id of the subnet.'),
        zone: text('The zone it is in.'),
        zoneID: optional(text('The id of that zone, the same for every account.')),
      }),
    ),
  ),
  securityGroups: optional(
    list(
      'The security groups.',
      object('A security group.', {
        id: text('The id of the security group.'),
        name: optional(text('The name of the security group.')),
      }),
    ),
  ),
  amis: optional(
    list(
      'The images, newest first.',
      object('An image and the requirements of the nodes that use it.', {
        id: text('The id of the image.'),
        name: optional(text('The name of the image.')),
        deprecated: optional(flag('Whether its owner has deprecated it.')),
        requirements: list('The requirements of the nodes that use the image.', reportedRequirement),
      }),
    ),
  ),
  capacityReservations: optional(list('The capacity reservations.', capacityReservation)),
  instanceProfile: optional(text('The instance profile of the nodes.')),
  conditions: optional(conditions()),
});
export type EC2NodeClassStatus = Static<typeof status>;

export type EC2NodeClass = ObjectOfKind<
  'karpenter.k8s.aws/v1',
  'EC2NodeClass',
  EC2NodeClassSpec,
  EC2NodeClassStatus
>;

export const ec2NodeClassKind: KindDefinition<EC2NodeClassSpec, EC2NodeClassStatus> = {
  group: AWS_GROUP,
  kind: 'EC2NodeClass',
  plural: 'ec2nodeclasses',
  scope: 'Cluster',
  shortNames: ['ec2nc', 'ec2ncs'],
  categories: ['karpenter'],
  description: 'An EC2NodeClass defines the AWS settings of the nodes of a NodePool.',
  versions: [{ name: 'v1', served: true, storage: true }],
  columns: [
    readyColumn('Whether nodes of this class can be launched.'),
    ageColumn('class'),
    {
      name: 'Role',
      type: 'string',
      jsonPath: '.spec.role',
      description: 'The IAM role of the nodes.',
      wide: true,
    },
  ],
  spec,
  status: optional(status),
};

// ---------------------------------------------------------------------------------------------------------------

function identity(field: string, description: string) {
  return text(description, { rules: [{ message: `${field} cannot be empty`, rule: "self != ''" }] });
}

function restrictedTag(key: string): Rule {
  return { message: `tag contains a restricted tag matching ${key}`, rule: `!('${key}' in self)` };
}
