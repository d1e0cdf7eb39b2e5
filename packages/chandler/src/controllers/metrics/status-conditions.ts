/**
 * How conditions move and how long deletions take, for every kind that we keep: as metrics under the names of upstream's
 * operator library, and as events on the objects. The library's older names, without the kind in them, are kept where
 * upstream still has them.
 */
import type { KubeObject } from '@chandler/kube';
import { type Controller, NODES, type Reflector } from '@chandler/kube';
import { KarpenterLabel, NODE_CLAIMS, NODE_POOLS, nodeClassLabel } from '../../api/index.ts';

import type { ControllerContext } from '../context.ts';
import { ConditionGauges } from './condition-gauges.ts';
import { ConditionMoves } from './condition-moves.ts';
import { observer } from './observer.ts';
import type { WatchedKind } from './watched-kind.ts';

export function conditionMetrics(context: ControllerContext): Controller {
  const { world } = context;
  const kinds = kindsOf(context);
  const moves = kinds.map((kind) => new ConditionMoves(context, kind));
  return observer({
    name: 'operatorpkg.status',
    world,
    synced: kinds.map(({ reflector }) => reflector.synced),
    listen: () =>
      kinds.map(({ reflector }, index) => reflector.store.subscribe((change) => moves[index]!.on(change))),
    gauges: new ConditionGauges(world.clock, kinds).all(),
  });
}

// ---------------------------------------------------------------------------------------------------

function kindsOf({ stores, cloud }: ControllerContext): readonly WatchedKind[] {
  const classLabels = cloud.nodeClasses.map(({ group, kind }) => nodeClassLabel(group, kind));
  const onNodes = [...classLabels, KarpenterLabel.nodePool];
  const plain = <T extends KubeObject>(reflector: Reflector<T>) => reflector as unknown as Reflector;
  const core = { coarse: true };
  return [
    {
      ...core,
      resource: NODE_CLAIMS,
      reflector: plain(stores.claims),
      labels: onNodes,
      deprecated: true,
    },
    { ...core, resource: NODE_POOLS, reflector: plain(stores.pools), labels: [], deprecated: true },
    {
      ...core,
      resource: NODES,
      reflector: plain(stores.nodes),
      labels: [...onNodes, KarpenterLabel.initialized],
      deprecated: false,
    },
    ...[...stores.nodeClasses.values()].map((reflector) => ({
      resource: reflector.store.resource,
      reflector,
      labels: [],
      deprecated: false,
      coarse: false,
    })),
  ];
}
