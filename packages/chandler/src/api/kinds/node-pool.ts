/**
 * NodePool: which nodes may be launched, how many, and how they may be disrupted.
 */
import { KARPENTER_GROUP } from '../labels.ts';
import type { KindDefinition, ObjectOfKind } from '../schema/crd.ts';
import {
  choice,
  described,
  integer,
  list,
  map,
  object,
  optional,
  type Static,
  text,
} from '../schema/schema.ts';
import { ageColumn, readyColumn } from './columns.ts';
import { cloudRequirementRules, cloudTemplateRules, templateLabelRules } from './label-rules.ts';
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
import { DURATION_OR_NEVER, LABEL_VALUE } from './patterns.ts';

export const DISRUPTION_REASONS = ['Underutilized', 'Empty', 'Drifted', 'Unhealthy'] as const;
export const CONSOLIDATION_POLICIES = ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const;

/** As loose as upstream's: a macro and anything after it, or at least five fields. `doubtful-values.ts` parses it. */
const SCHEDULE = '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly).*|.+\\s.+\\s.+\\s.+\\s.+)$';

const budget = object('How many nodes may be disrupted at the same time.', {
  reasons: optional(
    list(
      'The reasons that this budget limits; all when absent.',
      choice('A reason for disruption.', DISRUPTION_REASONS),
      { listType: 'set', maxItems: 50 },
    ),
  ),
  nodes: text('A number of nodes, or a percentage of the nodes of this pool, rounded up.', {
    pattern: '^((100|[0-9]{1,2})%|[0-9]+)$',
    default: '10%',
  }),
  schedule: optional(
    text(
      'When the budget starts to apply: a cron schedule in UTC, or in a time zone (CRON_TZ=Europe/Berlin 0 9 * * *). Needs a duration.',
      { pattern: SCHEDULE },
    ),
  ),
  duration: optional(
    text('For how long the budget applies from each start of its schedule, in hours and minutes.', {
      pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$',
    }),
  ),
});
export type Budget = Static<typeof budget>;

const disruption = object(
  'When and how fast nodes of this NodePool may be disrupted.',
  {
    consolidateAfter: optional(
      text('How long no pod must have been added to or removed from a node before it may be consolidated.', {
        pattern: DURATION_OR_NEVER,
        default: '0s',
      }),
    ),
    consolidationPolicy: optional(
      choice('Which nodes are candidates for consolidation.', CONSOLIDATION_POLICIES, {
        default: 'WhenEmptyOrUnderutilized',
      }),
    ),
    budgets: optional(
      list(
        'Limits on disruption. If several budgets apply at the same time, the smallest one is used.',
        budget,
        {
          listType: 'atomic',
          maxItems: 50,
          default: [{ nodes: '10%' }],
          rules: [
            {
              message: "'schedule' must be set with 'duration'",
              rule: 'self.all(b, has(b.schedule) == has(b.duration))',
            },
          ],
        },
      ),
    ),
  },
  { default: { consolidateAfter: '0s' } },
);
export type Disruption = Static<typeof disruption>;

const templateMetadata = object('Labels and annotations for every node.', {
  labels: optional(
    map('Labels for every node.', text('A label value.', { maxLength: 63, pattern: LABEL_VALUE }), {
      mapType: 'atomic',
      maxProperties: 100,
      rules: templateLabelRules(),
    }),
  ),
  annotations: optional(map('Annotations for every node.', text('A value.'), { mapType: 'granular' })),
});

const templateSpec = object(
  'The spec of the NodeClaims of this NodePool.',
  {
    nodeClassRef: nodeClassReference(true),
    requirements: requirementList('NodePool'),
    taints: optional(taints),
    startupTaints: optional(startupTaints),
    terminationGracePeriod: optional(terminationGracePeriod),
    expireAfter: optional(expireAfter),
  },
  { rules: cloudRequirementRules() },
);
export type NodeClaimTemplateSpec = Static<typeof templateSpec>;

const template = object(
  'The template of the NodeClaims of this NodePool.',
  { metadata: optional(templateMetadata), spec: templateSpec },
  { rules: cloudTemplateRules() },
);
export type NodeClaimTemplate = Static<typeof template>;

const spec = object(
  'The desired state of the NodePool.',
  {
    template,
    disruption: optional(disruption),
    limits: optional(
      resourceList(
        'The maximum of each resource in this NodePool; `nodes` is the number of nodes. No nodes are launched beyond a limit.',
      ),
    ),
    weight: optional(
      integer('NodePools with a greater weight are tried first. The default is 0.', {
        minimum: 1,
        maximum: 100,
      }),
    ),
    replicas: optional(
      integer(
        'The number of nodes of a static NodePool, independent of pods. It can only be set at creation.',
        {
          format: 'int64',
          minimum: 0,
        },
      ),
    ),
  },
  {
    rules: [
      {
        message:
          'Cannot transition NodePool between static (replicas set) and dynamic (replicas unset) provisioning modes',
        rule: 'has(self.replicas) == has(oldSelf.replicas)',
      },
      {
        message: "only 'limits.nodes' is supported on static NodePools",
        rule: "!has(self.replicas) || !has(self.limits) || self.limits.all(r, r == 'nodes')",
      },
      {
        message: "'weight' is not supported on static NodePools",
        rule: '!has(self.replicas) || !has(self.weight)',
      },
    ],
  },
);
export type NodePoolSpec = Static<typeof spec>;

const status = object('The observed state of the NodePool.', {
  resources: optional(resourceList('The sum of the resources of the nodes of this NodePool.')),
  nodes: optional(integer('The number of nodes of the NodePool.', { format: 'int64', default: 0 })),
  nodeClassObservedGeneration: optional(
    integer('The generation of the node class for which NodeRegistrationHealthy was determined.', {
      format: 'int64',
    }),
  ),
  conditions: optional(conditions()),
});
export type NodePoolStatus = Static<typeof status>;

export type NodePool = ObjectOfKind<'karpenter.sh/v1', 'NodePool', NodePoolSpec, NodePoolStatus>;

export const nodePoolKind: KindDefinition<NodePoolSpec, NodePoolStatus> = {
  group: KARPENTER_GROUP,
  kind: 'NodePool',
  plural: 'nodepools',
  scope: 'Cluster',
  categories: ['karpenter', 'nap'],
  description:
    'A NodePool defines which nodes may be launched for pending pods, and when they may be disrupted.',
  versions: [{ name: 'v1', served: true, storage: true }],
  columns: [
    {
      name: 'NodeClass',
      type: 'string',
      jsonPath: '.spec.template.spec.nodeClassRef.name',
      description: 'The node class of the NodePool.',
    },
    {
      name: 'Nodes',
      type: 'string',
      jsonPath: '.status.nodes',
      description: 'The number of nodes of the NodePool.',
    },
    readyColumn('Whether the NodePool can launch nodes.'),
    ageColumn('pool'),
    {
      name: 'Weight',
      type: 'integer',
      jsonPath: '.spec.weight',
      description: 'NodePools with a greater weight are tried first.',
      wide: true,
    },
    {
      name: 'CPU',
      type: 'string',
      jsonPath: '.status.resources.cpu',
      description: 'The CPU of all nodes of the NodePool.',
      wide: true,
    },
    {
      name: 'Memory',
      type: 'string',
      jsonPath: '.status.resources.memory',
      description: 'The memory of all nodes of the NodePool.',
      wide: true,
    },
  ],
  spec: described('The template, the limits and the disruption settings of the nodes.', spec),
  status: optional(described('The number of nodes, and whether the NodePool is ready.', status)),
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' },
};
