/** Which NodeOverlays apply now, and the instance types of a pool with them. How they apply is decided by `scheduling`. */
import type { Stored } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import { type InstanceType, type Overlay, overlaidTypes } from '../../scheduling/index.ts';
import { byKey } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';

/** None while their gate is off. */
export function overlaysInForce({
  settings,
  stores,
}: Pick<ControllerContext, 'settings' | 'stores'>): readonly Overlay[] {
  if (!settings.gates.NodeOverlay || stores.overlays === undefined) return [];
  return [...stores.overlays.store.values()].sort(byKey);
}

/** For prices and amounts outside a plan; a plan applies the overlays itself. */
export function typesWithOverlays(
  context: Pick<ControllerContext, 'settings' | 'stores'>,
  nodePool: Stored<NodePool>,
  types: readonly InstanceType[],
): readonly InstanceType[] {
  return overlaidTypes(types, nodePool, overlaysInForce(context));
}
