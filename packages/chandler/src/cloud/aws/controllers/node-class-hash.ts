/**
 * The hash of what of a node class goes into a node, on the class and, when the way of hashing changed, on its claims: so that
 * an upgrade or a takeover drifts no node, and one that had drifted stays so.
 */
import { Controller, isApiError, itemBackoff, storeSource } from '@chandler/kube';
import { EC2_NODE_CLASS_HASH_VERSION, NODE_CLAIMS, writeAnnotations } from '../../../api/index.ts';
import type { CloudControllerContext, StoredClaim } from '../../index.ts';
import type { AwsClusterReader } from '../cluster/index.ts';
import { nodeClassHashing, restampedAnnotations } from '../drift/index.ts';
import { CLASSES, claimsOfClass, classNamed, classReflector, type NodeClass } from './node-class-store.ts';

export function nodeClassHash(context: CloudControllerContext, cluster: AwsClusterReader): Controller {
  const { world } = context;
  return new Controller({
    name: 'nodeclass.hash',
    world,
    concurrency: 10,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [storeSource(classReflector(context), { filter: ({ type }) => type !== 'deleted' })],
    async reconcile(name, { signal }) {
      const client = context.client.withSignal(signal);
      const nodeClass = classNamed(context, name);
      if (nodeClass === undefined) return;
      const caBundle = cluster.current().caBundle.value;
      const { hashKey, versionKey, hash } = nodeClassHashing(caBundle);
      if (nodeClass.metadata.annotations?.[versionKey] !== EC2_NODE_CLASS_HASH_VERSION)
        await restampClaims({ ...context, client }, nodeClass, caBundle);
      await unlessGone(
        writeAnnotations(client, CLASSES, nodeClass, {
          [hashKey]: hash(nodeClass),
          [versionKey]: EC2_NODE_CLASS_HASH_VERSION,
        }),
      );
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** Claims first: were the class first, a crash in between would leave claims of the old version for ever. */
async function restampClaims(
  context: CloudControllerContext,
  nodeClass: NodeClass,
  caBundle: string,
): Promise<void> {
  for (const claim of claimsOfClass(context, nodeClass.metadata.name)) {
    const { annotations } = claim.metadata;
    const wanted = restampedAnnotations(annotations, nodeClass, { caBundle, isDrifted: isDrifted(claim) });
    if (wanted !== undefined) await unlessGone(writeAnnotations(context.client, NODE_CLAIMS, claim, wanted));
  }
}

/** Also while it is not known for certain: the condition is there. */
function isDrifted({ status }: StoredClaim): boolean {
  return status?.conditions?.some(({ type }) => type === 'Drifted') === true;
}

async function unlessGone(written: Promise<unknown>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
  }
}
