/**
 * NodeOverlay: corrections to what the cloud says about instance types, seen by scheduling only.
 */
import { KARPENTER_GROUP } from '../labels.ts';
import type { KindDefinition, ObjectOfKind } from '../schema/crd.ts';
import { integer, object, optional, type Static, text } from '../schema/schema.ts';
import { ageColumn, readyColumn } from './columns.ts';
import { conditions, overlayRequirementList, resourceList } from './parts.ts';

const spec = object(
  'The instance types that the overlay applies to, and the changes that it makes.',
  {
    requirements: overlayRequirementList(),
    price: optional(
      text('The price per hour that replaces the actual price.', { pattern: '^\\d+(\\.\\d+)?$' }),
    ),
    priceAdjustment: optional(
      text('The change of the actual price: an amount such as +0.5, or a percentage such as -15%.', {
        pattern: '^([+-]\\d*\\.?\\d+|\\+\\d*\\.?\\d+%|-\\d{1,2}(\\.\\d+)?%|-100%)$',
      }),
    ),
    capacity: optional(
      resourceList(
        'Extended resources of nodes of these instance types that the cloud provider does not report.',
        [
          {
            message: 'invalid resource restricted',
            rule: "!('cpu' in self) && !('memory' in self) && !('ephemeral-storage' in self) && !('pods' in self)",
          },
        ],
      ),
    ),
    weight: optional(
      integer(
        'If overlays conflict for an instance type, the overlay with the greater weight is used. The default is 0.',
        {
          minimum: 1,
          maximum: 10000,
        },
      ),
    ),
  },
  {
    rules: [
      {
        message: "cannot set both 'price' and 'priceAdjustment'",
        rule: '!has(self.price) || !has(self.priceAdjustment)',
      },
    ],
  },
);
export type NodeOverlaySpec = Static<typeof spec>;

/** A requirement of an overlay. */
export type OverlayRequirement = NodeOverlaySpec['requirements'][number];

const status = object('The observed state of the overlay.', { conditions: optional(conditions()) });
export type NodeOverlayStatus = Static<typeof status>;

export type NodeOverlay = ObjectOfKind<
  'karpenter.sh/v1alpha1',
  'NodeOverlay',
  NodeOverlaySpec,
  NodeOverlayStatus
>;

export const nodeOverlayKind: KindDefinition<NodeOverlaySpec, NodeOverlayStatus> = {
  group: KARPENTER_GROUP,
  kind: 'NodeOverlay',
  plural: 'nodeoverlays',
  scope: 'Cluster',
  shortNames: ['overlays'],
  categories: ['karpenter'],
  description: 'A NodeOverlay changes the price or the capacity of instance types for scheduling.',
  versions: [{ name: 'v1alpha1', served: true, storage: true }],
  columns: [
    readyColumn('Whether the overlay is valid and in use.'),
    ageColumn('overlay'),
    {
      name: 'Weight',
      type: 'integer',
      jsonPath: '.spec.weight',
      description: 'Overlays with a greater weight take precedence.',
      wide: true,
    },
  ],
  spec,
  status: optional(status),
};
