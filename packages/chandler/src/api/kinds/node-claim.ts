/**
 * NodeClaim: one node, from the request for it to its deletion. The controller creates NodeClaims; users seldom do.
 */
import { ChandlerAnnotation, KARPENTER_GROUP } from '../labels.ts';
import type { KindDefinition, ObjectOfKind } from '../schema/crd.ts';
import { object, optional, type Static, text } from '../schema/schema.ts';
import { ageColumn, conditionColumn, readyColumn } from './columns.ts';
import { cloudRequirementRules } from './label-rules.ts';
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
  'The desired state of the node. It is immutable.',
  {
    nodeClassRef: nodeClassReference(false),
    requirements: requirementList('NodeClaim'),
    resources: optional(
      object('The resources that the node must provide.', {
        requests: optional(
          resourceList(
            'The sum of the requests of the pods for which the node is launched, including DaemonSet pods.',
          ),
        ),
      }),
    ),
    taints: optional(taints),
    startupTaints: optional(startupTaints),
    terminationGracePeriod: optional(terminationGracePeriod),
    expireAfter: optional(expireAfter),
  },
  { rules: [{ message: 'spec is immutable', rule: 'self == oldSelf' }, ...cloudRequirementRules()] },
);
export type NodeClaimSpec = Static<typeof spec>;

const status = object('The observed state of the node.', {
  nodeName: optional(text('The name of the Node object, once it has registered.')),
  providerID: optional(text('The ID of the instance at the cloud provider.')),
  imageID: optional(text('The image of the instance.')),
  capacity: optional(resourceList('The capacity of the instance.')),
  allocatable: optional(resourceList('The resources of the instance that are available to pods.')),
  conditions: optional(conditions('may be empty')),
  lastPodEventTime: optional(
    text('When a pod was last added to or removed from the node; consolidateAfter starts at this time.', {
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
    'A NodeClaim represents one node, from the request for its instance to the termination of the instance.',
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
      description: 'The capacity type: spot, on-demand or reserved.',
    },
    {
      name: 'Zone',
      type: 'string',
      jsonPath: '.metadata.labels.topology\\.kubernetes\\.io/zone',
      description: 'The zone of the instance.',
    },
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName', description: 'The Node object.' },
    readyColumn('Whether the node is ready.'),
    ageColumn('claim'),
    {
      name: 'ImageID',
      type: 'string',
      jsonPath: '.status.imageID',
      description: 'The image of the instance.',
      wide: true,
    },
    {
      name: 'ID',
      type: 'string',
      jsonPath: '.status.providerID',
      description: 'The ID of the instance at the cloud provider.',
      wide: true,
    },
    {
      name: 'NodePool',
      type: 'string',
      jsonPath: '.metadata.labels.karpenter\\.sh/nodepool',
      description: 'The NodePool of the NodeClaim.',
      wide: true,
    },
    {
      name: 'NodeClass',
      type: 'string',
      jsonPath: '.spec.nodeClassRef.name',
      description: 'The node class of the NodeClaim.',
      wide: true,
    },
    {
      ...conditionColumn('Drifted', 'Whether the node no longer matches its NodePool and node class.'),
      wide: true,
    },
    // Last, so that every column of Karpenter keeps its place.
    {
      name: 'Bootstrap',
      type: 'string',
      jsonPath: `.metadata.annotations.${ChandlerAnnotation.bootstrapFailure.replaceAll('.', '\\.')}`,
      description: 'The exit code with which the bootstrap of the instance failed; empty otherwise.',
    },
  ],
  spec,
  status: optional(status),
};
