/**
 * NodeClaim: one node, from the wish for it to its end. Made by the controller, seldom by people.
 */
import { KARPENTER_GROUP } from '../labels.ts';
import type { KindDefinition, ObjectOfKind } from '../schema/crd.ts';
import { object, optional, type Static, text } from '../schema/schema.ts';
import { ageColumn, conditionColumn, readyColumn } from './columns.ts';
import { aksRequirementRules } from './label-rules.ts';
import {
  conditions,
  expireAfter,
  nodeClassReference,
  requirementList,
  resourceList,
  startupTaints,
  taints,
  terminationGracePeriod,
} from './parts.ts';

const spec = object(
  'What node is wanted. It cannot be changed.',
  {
    nodeClassRef: nodeClassReference(false),
    requirements: requirementList('NodeClaim'),
    resources: optional(
      object('What the node must have room for.', {
        requests: optional(
          resourceList('What the pods the node is bought for ask for in sum, daemons included.'),
        ),
      }),
    ),
    taints: optional(taints),
    startupTaints: optional(startupTaints),
    terminationGracePeriod: optional(terminationGracePeriod),
    expireAfter: optional(expireAfter),
  },
  { rules: [{ message: 'spec is immutable', rule: 'self == oldSelf' }, ...aksRequirementRules()] },
);
export type NodeClaimSpec = Static<typeof spec>;

const status = object('How far the node has come.', {
  nodeName: optional(text('The name of the Node object, once it has registered.')),
  providerID: optional(text("The cloud's name for the machine.")),
  imageID: optional(text('The image the machine was started from.')),
  capacity: optional(resourceList('What the machine has.')),
  allocatable: optional(resourceList('What the machine has left for pods.')),
  conditions: optional(conditions('may be empty')),
  lastPodEventTime: optional(
    text('When a pod last came to the node or left it; consolidation waits from here.', {
      format: 'date-time',
    }),
  ),
});
export type NodeClaimStatus = Static<typeof status>;

export type NodeClaim = ObjectOfKind<'karpenter.sh/v1', 'NodeClaim', NodeClaimSpec, NodeClaimStatus>;

export const nodeClaimKind: KindDefinition<NodeClaimSpec, NodeClaimStatus> = {
  group: KARPENTER_GROUP,
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  scope: 'Cluster',
  categories: ['karpenter', 'nap'],
  description:
    'A NodeClaim stands for one machine: wished for, launched, joined to the cluster, and given back.',
  versions: [{ name: 'v1', served: true, storage: true }],
  columns: [
    {
      name: 'Type',
      type: 'string',
      jsonPath: '.metadata.labels.node\\.kubernetes\\.io/instance-type',
      description: 'The instance type.',
    },
    {
      name: 'Capacity',
      type: 'string',
      jsonPath: '.metadata.labels.karpenter\\.sh/capacity-type',
      description: 'Spot, on demand or reserved.',
    },
    {
      name: 'Zone',
      type: 'string',
      jsonPath: '.metadata.labels.topology\\.kubernetes\\.io/zone',
      description: 'The zone the machine runs in.',
    },
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName', description: 'The Node object.' },
    readyColumn('Whether the node takes pods.'),
    ageColumn('claim'),
    {
      name: 'ImageID',
      type: 'string',
      jsonPath: '.status.imageID',
      description: 'The image the machine was started from.',
      wide: true,
    },
    {
      name: 'ID',
      type: 'string',
      jsonPath: '.status.providerID',
      description: "The cloud's name for the machine.",
      wide: true,
    },
    {
      name: 'NodePool',
      type: 'string',
      jsonPath: '.metadata.labels.karpenter\\.sh/nodepool',
      description: 'The pool the claim was made from.',
      wide: true,
    },
    {
      name: 'NodeClass',
      type: 'string',
      jsonPath: '.spec.nodeClassRef.name',
      description: 'The node class of the claim.',
      wide: true,
    },
    {
      ...conditionColumn('Drifted', 'Whether the node no longer is what its pool and class ask for.'),
      wide: true,
    },
  ],
  spec,
  status: optional(status),
};
