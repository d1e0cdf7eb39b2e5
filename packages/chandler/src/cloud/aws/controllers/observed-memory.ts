/**
 * What memory nodes really have: reported when a node registers, so that the next plan computes with it. Only nodes of the
 * images that new ones would get count.
 */
import { Controller, isQuantity, parseQuantity, type Result, storeSource } from '@chandler/kube';
import { type EC2NodeClass, KubernetesLabel } from '../../../api/index.ts';
import type { CloudControllerContext, StoredClaim } from '../../index.ts';
import type { ObservedMemory } from '../instance-types/index.ts';

export function observedMemoryReports(
  { world, stores }: Pick<CloudControllerContext, 'world' | 'stores'>,
  observed: Pick<ObservedMemory, 'report'>,
): Controller {
  return new Controller({
    name: 'providers.instancetype.capacity',
    world,
    sources: [
      storeSource(stores.claims, {
        filter: ({ type, object, before }) =>
          type !== 'deleted' && isRegistered(object) && (before === undefined || !isRegistered(before)),
      }),
    ],
    async reconcile(name, { log }): Promise<Result> {
      const claim = stores.claims.store.get({ name });
      if (claim === undefined || !isRegistered(claim)) return {};
      const nodeClass = stores.nodeClass(claim.spec.nodeClassRef) as EC2NodeClass | undefined;
      const imageIds = (nodeClass?.status?.amis ?? []).map(({ id }) => id).sort();
      const instanceType = claim.metadata.labels?.[KubernetesLabel.instanceType];
      if (instanceType === undefined || !imageIds.includes(claim.status?.imageID ?? '')) return {};
      const node = stores.nodeOf(claim.status?.providerID ?? '');
      const memory = (node?.['status'] as NodeStatus | undefined)?.capacity?.memory;
      // The claim is written before the store of nodes has what the kubelet reported.
      if (memory === undefined) return node === undefined ? {} : { requeueAfterMs: LATER_MS };
      const bytes = isQuantity(memory) ? parseQuantity(memory).toNumber() : 0;
      const isLess = observed.report({ instanceType, imageIds, bytes, nowMs: world.clock.now() });
      if (isLess) log.debug('memory of nodes of this type is known now', { instanceType, bytes });
      return {};
    },
  });
}

// ---------------------------------------------------------------------------------------------------------------

const LATER_MS = 10_000;

interface NodeStatus {
  readonly capacity?: { readonly memory?: string };
}

function isRegistered({ status }: StoredClaim): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Registered' && is === 'True') === true;
}
