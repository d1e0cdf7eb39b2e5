/**
 * The hash of what of a node class goes into a node, on the class and, when the way of hashing changed, on its claims:
 * so that an upgrade drifts no node, and one that had drifted stays so.
 */
import { Controller, storeSource } from '@chandler/kube';
import {
  AKS_NODE_CLASS_HASH_VERSION,
  AzureAnnotation,
  aksNodeClassHash,
  writeAnnotations,
} from '../../../api/index.ts';
import type { CloudControllerContext } from '../../index.ts';

import { CLAIMS, isDrifted } from './claims.ts';
import { CLASSES, claimsOfClass, classNamed, classReflector } from './node-class-store.ts';

const { nodeClassHash: HASH, nodeClassHashVersion: VERSION } = AzureAnnotation;

export function nodeClassHash(context: CloudControllerContext): Controller {
  const { world } = context;
  return new Controller({
    name: 'nodeclass.hash',
    world,
    concurrency: 10,
    sources: [storeSource(classReflector(context), { filter: ({ type }) => type !== 'deleted' })],
    async reconcile(name, { signal }) {
      const client = context.client.withSignal(signal);
      const nodeClass = classNamed(context, name);
      if (nodeClass === undefined) return;
      const hash = aksNodeClassHash(nodeClass);
      const version = nodeClass.metadata.annotations?.[VERSION];
      if (version !== AKS_NODE_CLASS_HASH_VERSION) await rehashClaims({ ...context, client }, name, hash);
      await writeAnnotations(client, CLASSES, nodeClass, {
        [HASH]: hash,
        [VERSION]: AKS_NODE_CLASS_HASH_VERSION,
      });
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** Claims first: were the class first, a crash in between would leave claims of the old version for ever. */
async function rehashClaims(context: CloudControllerContext, className: string, hash: string): Promise<void> {
  for (const claim of claimsOfClass(context, className)) {
    if (claim.metadata.annotations?.[VERSION] === AKS_NODE_CLASS_HASH_VERSION) continue;
    const drifted = isDrifted(claim);
    await writeAnnotations(context.client, CLAIMS, claim, {
      [VERSION]: AKS_NODE_CLASS_HASH_VERSION,
      ...(drifted ? {} : { [HASH]: hash }),
    });
  }
}
