/**
 * The default topology spread of a simulation: the constraints of `--scheduler-config`, with the Services and the
 * controllers of pods that the inventory has. Pods of a Deployment belong to its ReplicaSet, which a manifest does not
 * contain: the ReplicaSet's selector is that of the Deployment and the hash of its template.
 */
import type { KubeObject, LabelSelector, TopologySpreadConstraint } from '@chandler/kube';
import type { DefaultSpread } from '../../scheduling/index.ts';
import { controllerRow, serviceRow } from '../../state/index.ts';
import { TEMPLATE_HASH } from './expand.ts';
import { type Inventory, SELECTING } from './inventory.ts';

export function defaultSpreadOf(
  inventory: Inventory,
  constraints: readonly TopologySpreadConstraint[],
): DefaultSpread {
  const of = (kind: string) => [
    ...inventory.objects<Workload>(kind),
    ...inventory.objects<Workload>(`${SELECTING}${kind}`),
  ];
  return {
    constraints,
    services: inventory.objects<Workload>(`${SELECTING}Service`).flatMap(serviceRow),
    controllers: [
      ...CONTROLLERS.flatMap((kind) => of(kind).flatMap((object) => controllerRow(kind, object))),
      ...inventory.objects<Workload>('Deployment').flatMap(deploymentRow),
    ],
  };
}

// ---------------------------------------------------------------------------------------------------------------

type Workload = KubeObject & { readonly spec?: { readonly selector?: unknown } };

const CONTROLLERS = ['ReplicaSet', 'StatefulSet', 'ReplicationController'];

function deploymentRow({ metadata, spec }: Workload): NonNullable<DefaultSpread['controllers']> {
  const selector = spec?.selector as LabelSelector | undefined;
  if (selector === undefined) return [];
  const matchLabels = { ...selector.matchLabels, [TEMPLATE_HASH]: metadata.name! };
  return [{ metadata, kind: 'Deployment', selector: { ...selector, matchLabels } }];
}
