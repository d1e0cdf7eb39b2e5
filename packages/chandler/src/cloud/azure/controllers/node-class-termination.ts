/** A node class exists as long as NodeClaims use it: its finalizer is removed with the last NodeClaim. */
import {
  Controller,
  isApiError,
  type KubeClient,
  keyOfObject,
  type Result,
  storeSource,
} from '@chandler/kube';
import { Finalizer, NODE_CLAIMS } from '../../../api/index.ts';
import type { CloudControllerContext } from '../../index.ts';

import {
  CLASSES,
  claimsOfClass,
  classNamed,
  classOfClaim,
  classReflector,
  type NodeClass,
} from './node-class-store.ts';

const PERIOD_MS = 10 * 60_000;
const UNSEEN_MS = 10_000;
const NAMED = 5;

export function nodeClassTermination(context: CloudControllerContext): Controller {
  const { world, stores } = context;
  return new Controller({
    name: 'nodeclass.termination',
    world,
    concurrency: 10,
    sources: [
      storeSource(classReflector(context), { filter: ({ type }) => type !== 'deleted' }),
      storeSource(stores.claims, {
        filter: ({ type }) => type === 'deleted',
        keys: ({ object }) => classOfClaim(object),
      }),
    ],
    async reconcile(name, { signal }): Promise<Result> {
      const client = context.client.withSignal(signal);
      const nodeClass = classNamed(context, name);
      if (nodeClass === undefined) return {};
      const { deletionTimestamp, finalizers = [] } = nodeClass.metadata;
      const held = finalizers.includes(Finalizer.aksNodeClass);
      if (deletionTimestamp === undefined) {
        if (!held) await writeFinalizers(client, nodeClass, [...finalizers, Finalizer.aksNodeClass]);
        return {};
      }
      if (!held) return {};
      const claims = await claimsOf(context, client, name);
      if (claims.length > 0) {
        reportWaiting(context, nodeClass, claims);
        // Those that only the server shows will be in the cache soon, or gone.
        const isCached = claimsOfClass(context, name).length > 0;
        return { requeueAfterMs: isCached ? PERIOD_MS : UNSEEN_MS };
      }
      const rest = finalizers.filter((each) => each !== Finalizer.aksNodeClass);
      await writeFinalizers(client, nodeClass, rest);
      return {};
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** None in the cache may mean that the newest has not arrived there: the server is asked before the finalizer is removed. */
async function claimsOf(
  context: CloudControllerContext,
  client: KubeClient,
  name: string,
): Promise<readonly string[]> {
  const cached = claimsOfClass(context, name).map(({ metadata }) => metadata.name);
  if (cached.length > 0) return cached;
  const { items } = await client.listAll(NODE_CLAIMS);
  return items
    .filter((claim) => classOfClaim(claim).includes(name))
    .map(({ metadata }) => metadata.name ?? '');
}

function reportWaiting(
  { events }: CloudControllerContext,
  nodeClass: NodeClass,
  claims: readonly string[],
): void {
  const names = [...claims].sort();
  const more = names.length > NAMED ? ` and ${names.length - NAMED} other(s)` : '';
  events.publish({
    resource: CLASSES,
    object: nodeClass,
    type: 'Normal',
    reason: 'WaitingOnNodeClaimTermination',
    message: `Waiting on NodeClaim termination for ${names.slice(0, NAMED).join(', ')}${more}`,
    dedupeValues: [nodeClass.metadata.uid],
  });
}

async function writeFinalizers(
  client: KubeClient,
  nodeClass: NodeClass,
  finalizers: readonly string[],
): Promise<void> {
  const { resourceVersion } = nodeClass.metadata;
  const patch = { metadata: { resourceVersion, finalizers } };
  try {
    await client.patch(CLASSES, keyOfObject(nodeClass), { type: 'merge', patch });
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
  }
}
