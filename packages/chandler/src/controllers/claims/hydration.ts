/** Adds the label of the node class to claims and nodes of older versions, which lack it. */
import type { KubeObject } from '@chandler/kube';
import { Controller, keyOfObject, NODES, storeSource } from '@chandler/kube';
import { KarpenterLabel, nodeClassLabel } from '../../api/index.ts';
import { BY_PROVIDER_ID } from '../../state/index.ts';

import { type ControllerContext, scopeOf, workers } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';

export function claimHydration(context: ControllerContext): Controller {
  const { world, stores, settings } = context;
  return new Controller({
    name: 'nodeclaim.hydration',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: [storeSource(stores.claims, { filter: ({ type }) => type !== 'deleted' })],
    async reconcile(name, run) {
      const claim = stores.claims.store.get({ name });
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
      const missing = missingLabel(context, claim, claim);
      if (missing === undefined) return;
      const patch = { metadata: { resourceVersion: claim.metadata.resourceVersion, labels: missing } };
      await scopeOf(context, run).client.patch(CLAIMS, keyOfObject(claim), { type: 'merge', patch });
    },
  });
}

export function nodeHydration(context: ControllerContext): Controller {
  const { world, stores, settings } = context;
  return new Controller({
    name: 'node.hydration',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: [storeSource(stores.nodes, { filter: ({ type }) => type === 'added' })],
    async reconcile(name, run) {
      const node = stores.nodes.store.get({ name });
      if (node === undefined || node.metadata.labels?.[KarpenterLabel.registered] === undefined) return;
      const claim = stores.claims.store.by(BY_PROVIDER_ID, node.spec?.providerID ?? '')[0];
      const missing = claim === undefined ? undefined : missingLabel(context, claim, node);
      if (missing === undefined) return;
      const patch = { metadata: { resourceVersion: node.metadata.resourceVersion, labels: missing } };
      await scopeOf(context, run).client.patch(NODES, keyOfObject(node), {
        type: 'merge',
        patch,
      });
    },
  });
}

// ---------------------------------------------------------------------------------------------------

function missingLabel(
  { stores }: ControllerContext,
  claim: Claim,
  object: KubeObject,
): Record<string, string> | undefined {
  const { group, kind, name } = claim.spec.nodeClassRef;
  if (!stores.runs({ group, kind })) return undefined;
  const key = nodeClassLabel(group, kind);
  return object.metadata.labels?.[key] === name ? undefined : { [key]: name };
}
