/**
 * Of several causes that all keep one object from being healthy, which has to be repaired first. The layers come first
 * (`layers.ts`), then how exact a cause is; this table orders causes that are equal in both. A cause that is not listed
 * comes after those that are.
 */
import type { Facts } from './cause.ts';

export interface RepairStep {
  readonly causes: readonly string[];
  /** Only findings with these facts. */
  readonly facts?: Facts;
  /** Why these are repaired before the rows below. */
  readonly because: string;
  /** Before every layer: until this is repaired, nothing else is even tried. */
  readonly beforeLayers?: true;
}

export const REPAIR_ORDER: readonly RepairStep[] = [
  {
    causes: ['scheduling.gated'],
    because: 'until the gate is removed, neither a scheduler nor the controller looks at the pod',
    beforeLayers: true,
  },
  {
    causes: ['scheduling.other-scheduler'],
    because: 'until its own scheduler marks the pod, the controller provisions nothing for it',
    beforeLayers: true,
  },
  {
    causes: [
      'workloads.suspended',
      'workloads.schedule',
      'workloads.quota',
      'workloads.service-account',
      'workloads.admission',
    ],
    because: 'pods cannot be created; those that exist may be left behind by earlier ones',
  },
  {
    causes: [
      'scheduling.invalid-pod',
      'scheduling.resource-claims',
      'planning.opted-out',
      'planning.restricted-label',
      'planning.match-fields',
    ],
    because: 'the spec of the pod excludes every new node, whatever the NodePools are',
  },
  {
    causes: [
      'scheduling.volume-claim-missing',
      'scheduling.volume-missing',
      'scheduling.storage-class-missing',
      'volumes.unbound',
    ],
    because: 'without its volumes the pod is not scheduled to any node',
  },
  {
    causes: ['scheduling.resource-unknown'],
    because: 'no instance type of any NodePool offers the resource, so that another NodePool does not help',
  },
  {
    causes: ['scheduling.pool-deleting', 'scheduling.pool-static'],
    because:
      'the pod selects a NodePool that launches nothing for it; what keeps it from others is on purpose',
  },
  {
    causes: ['L6.2'],
    because:
      'taints are checked before labels: the nodes with the taint may be the ones that the pod selects',
  },
  {
    causes: ['L6.4', 'scheduling.existing-nodes'],
    because: 'the labels say which NodePool the pod is meant for; a change of any other NodePool is wasted',
  },
  {
    causes: ['scheduling.volume-elsewhere', 'scheduling.storage-class-elsewhere'],
    because: 'the zone of a volume cannot be changed, so it decides which NodePools remain',
  },
  {
    causes: ['L6.3', 'scheduling.no-type'],
    because: 'no instance type is right, so that neither more nodes nor a higher limit helps',
  },
  {
    causes: ['scheduling.topology', 'scheduling.host-port', 'scheduling.volume-limit'],
    because: 'a rule about other pods; it is decided once a node could run the pod by itself',
  },
  {
    causes: ['scheduling.pool-without-types', 'scheduling.size-unknown', 'planning.no-compatible-types'],
    because: 'the NodePool can launch nothing; its limits and the capacity of the cloud do not matter before',
  },
  {
    causes: [
      'scheduling.min-values',
      'scheduling.limit',
      'scheduling.reserved-only',
      'scheduling.no-offering',
    ],
    because: 'the NodePool is right for the pod, and is full',
  },
  {
    causes: ['L7.5'],
    facts: { onlyRetries: 'true' },
    because:
      'a program that only waits for a Service without endpoints answers no probe, however much time it gets',
  },
];
