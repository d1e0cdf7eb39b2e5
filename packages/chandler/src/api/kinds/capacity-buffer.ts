/**
 * CapacityBuffer: spare capacity, kept free as if pods of a given shape were pending.
 */
import type { KindDefinition, ObjectOfKind } from '../schema/crd.ts';
import { integer, object, optional, type Static, text } from '../schema/schema.ts';
import { ageColumn } from './columns.ts';
import { conditions, resourceList } from './parts.ts';

export const ACTIVE_CAPACITY = 'buffer.x-k8s.io/active-capacity';

const podTemplateRef = object('A PodTemplate in the same namespace.', {
  name: text('The name of the PodTemplate.', { minLength: 1 }),
});

const spec = object(
  'The desired state of the buffer.',
  {
    provisioningStrategy: optional(
      text('The strategy that provides the capacity; the only supported strategy is to run nodes for it.', {
        default: ACTIVE_CAPACITY,
      }),
    ),
    podTemplateRef: optional(podTemplateRef),
    scalableRef: optional(
      object('A workload in the same namespace whose pods define the size of one chunk.', {
        apiGroup: optional(text('The API group of the workload; apps when absent.')),
        kind: text('The kind of the workload: Deployment, StatefulSet or ReplicaSet.', { minLength: 1 }),
        name: text('The name of the workload.', { minLength: 1 }),
      }),
    ),
    replicas: optional(integer('The number of chunks to reserve.', { minimum: 0 })),
    percentage: optional(
      integer('The number of chunks to reserve, as a percentage of the replicas of the workload.', {
        minimum: 0,
      }),
    ),
    limits: optional(resourceList('The maximum of each resource that the buffer reserves.')),
  },
  {
    rules: [
      {
        message: 'If podTemplateRef is set, replicas or limits must also be set',
        rule: '!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)',
      },
      {
        message: 'You must define either PodTemplateRef or ScalableRef, but not both',
        rule: 'has(self.podTemplateRef) != has(self.scalableRef)',
      },
    ],
  },
);
export type CapacityBufferSpec = Static<typeof spec>;

const status = object('The observed state of the buffer.', {
  podTemplateRef: optional(podTemplateRef),
  replicas: optional(integer('The number of reserved chunks.')),
  podTemplateGeneration: optional(
    integer('The generation of the PodTemplate that was last read.', { format: 'int64' }),
  ),
  provisioningStrategy: optional(text('The strategy in use.')),
  conditions: optional(conditions()),
});
export type CapacityBufferStatus = Static<typeof status>;

export type CapacityBuffer = ObjectOfKind<
  'autoscaling.x-k8s.io/v1beta1',
  'CapacityBuffer',
  CapacityBufferSpec,
  CapacityBufferStatus
>;

export const capacityBufferKind: KindDefinition<CapacityBufferSpec, CapacityBufferStatus> = {
  group: 'autoscaling.x-k8s.io',
  kind: 'CapacityBuffer',
  plural: 'capacitybuffers',
  scope: 'Namespaced',
  shortNames: ['cb'],
  categories: ['autoscaling'],
  description:
    'A CapacityBuffer reserves capacity for future pods, so that they start without waiting for a node.',
  versions: [{ name: 'v1beta1', served: true, storage: true }],
  columns: [
    {
      name: 'Strategy',
      type: 'string',
      jsonPath: '.spec.provisioningStrategy',
      description: 'The strategy that provides the capacity.',
    },
    {
      name: 'PodTemplate',
      type: 'string',
      jsonPath: '.status.podTemplateRef.name',
      description: 'The size of one chunk.',
    },
    {
      name: 'Replicas',
      type: 'integer',
      jsonPath: '.status.replicas',
      description: 'The number of reserved chunks.',
    },
    {
      name: 'ConditionsType',
      type: 'string',
      jsonPath: '.status.conditions[*].type',
      description: 'The conditions of the buffer.',
    },
    {
      name: 'ConditionsStatus',
      type: 'string',
      jsonPath: '.status.conditions[*].status',
      description: 'The status of the conditions.',
    },
    {
      name: 'ConditionsReason',
      type: 'string',
      jsonPath: '.status.conditions[*].reason',
      description: 'Why.',
    },
    ageColumn('buffer'),
  ],
  spec,
  status: optional(status),
};
