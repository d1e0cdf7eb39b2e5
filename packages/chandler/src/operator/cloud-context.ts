/** The part of the controllers' context that the controllers of a cloud get. */
import type { CloudControllerContext } from '../cloud/index.ts';
import { type ControllerContext, disruptedCounter } from '../controllers/index.ts';
import { BY_CLASS, BY_PROVIDER_ID, classKey } from '../state/index.ts';

export function cloudContext(context: ControllerContext): CloudControllerContext {
  const { world, client, events, stores, settings } = context;
  const { claims, pools, nodes, nodeClasses } = stores;
  return {
    world,
    client,
    events,
    stores: {
      claims,
      pools,
      nodeClasses,
      nodeClass: (reference) => stores.nodeClass(reference),
      claimsOfClass: (reference) => claims.store.by(BY_CLASS, classKey(reference)),
      nodeOf: (providerID) => nodes.store.by(BY_PROVIDER_ID, providerID)[0],
    },
    disrupted: disruptedCounter(context),
    onOptionsChange: (listener) => settings.onChange(listener),
  };
}
