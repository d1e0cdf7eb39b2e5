/** Shared by the controllers of pools: the resource, the sources, and which pools are managed. */
import type { Stored } from '@chandler/kube';
import { type Source, storeSource } from '@chandler/kube';
import { NODE_POOLS, type NodePool } from '../../api/index.ts';
import { BY_CLASS, classKey } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';

export type Pool = Stored<NodePool>;
export const POOLS = NODE_POOLS;

/** Pools themselves, and pools whose node class changed. */
export function poolsAndClasses({ stores }: ControllerContext): readonly Source[] {
  const classes = [...stores.nodeClasses].map(([kind, reflector]) =>
    storeSource(reflector, {
      keys: ({ object }) => {
        const [group = '', name = ''] = kind.split('/');
        const key = classKey({ group, kind: name, name: object.metadata.name });
        return stores.pools.store.by(BY_CLASS, key).map(({ metadata }) => metadata.name);
      },
    }),
  );
  return [storeSource(stores.pools), ...classes];
}

/** A pool whose node class is of our cloud. Others are ignored. */
export function poolNamed({ stores }: ControllerContext, name: string): Pool | undefined {
  const pool = stores.pools.store.get({ name });
  if (pool === undefined) return undefined;
  return stores.runs(pool.spec.template.spec.nodeClassRef) ? pool : undefined;
}

/** Whether the pool was edited or deleted since it was read: a plan for it is for another template or other limits. */
export function isEdited({ stores }: Pick<ControllerContext, 'stores'>, { metadata }: Pool): boolean {
  const now = stores.pools.store.get({ name: metadata.name })?.metadata;
  if (now?.uid !== metadata.uid || now.deletionTimestamp !== undefined) return true;
  return now.generation !== metadata.generation;
}
