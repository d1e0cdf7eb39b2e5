/**
 * NodeOverlay: corrections to what the cloud says about instance types, seen by scheduling only.
 */
import { KARPENTER_GROUP } from '../labels.ts';
import type { KindDefinition, ObjectOfKind } from '../schema/crd.ts';
import { integer, object, optional, type Static, text } from '../schema/schema.ts';
import { ageColumn, readyColumn } from './columns.ts';
import { conditions, overlayRequirementList, resourceList } from './parts.ts';

const spec = object(
  'Which instance types are corrected, and how.',
  {
    requirements: overlayRequirementList(),
    price: optional(
      text('The price per hour to reckon with instead of the real one.', { pattern: '^\\d+(\\.\\d+)?$' }),
    ),
    priceAdjustment: optional(
      text(
        'What to add to or take from the real price: an amount such as +0.5, or a percentage such as -15%.',
        {
          pattern: '^([+-]\\d*\\.?\\d+|\\+\\d*\\.?\\d+%|-\\d{1,2}(\\.\\d+)?%|-100%)$',
        },
      ),
    ),
    capacity: optional(
      resourceList(
        'Extended resources that nodes of these types will have, though the cloud does not know of them.',
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
        'Where overlays say different things about one type, the greater weight counts. Absent counts as 0.',
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

const status = object('Whether the overlay is in use.', { conditions: optional(conditions()) });
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
  description: 'A NodeOverlay corrects price or capacity of instance types for scheduling.',
  versions: [{ name: 'v1alpha1', served: true, storage: true }],
  columns: [
    readyColumn('Whether the overlay is valid and in use.'),
    ageColumn('overlay'),
    {
      name: 'Weight',
      type: 'integer',
      jsonPath: '.spec.weight',
      description: 'Overlays with a greater weight win.',
      wide: true,
    },
  ],
  spec,
  status: optional(status),
};
