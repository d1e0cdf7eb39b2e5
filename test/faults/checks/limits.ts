/** The limit of a pool holds: at no time do the machines of its claims, those that go apart, have more cores than it says. */
import type { TruthObject } from '../truth/kube-truth.ts';
import { type Check, cores, couldNotBootstrap, type MakeCheck, nodePoolOf, type View } from './check.ts';

export const limitsHold: MakeCheck = (view): Check => {
  /** What a claim's pool allowed when the claim was made: what is lowered later binds later claims. */
  const allowed = new Map<string, { readonly limit: number; readonly order: number }>();
  return {
    name: 'limits hold',
    onKube({ kind, type, object, revision }) {
      if (kind !== 'claims' || type !== 'ADDED') return;
      const limit = view.kube.get('pools', nodePoolOf(object))?.spec.limits?.cpu as string | undefined;
      if (limit !== undefined) allowed.set(object.metadata.uid!, { limit: cores(limit), order: revision });
    },
    onAzure({ type, thing, isNew }) {
      if (type !== 'put' || !isNew || thing.part !== 'vm' || thing.claimUid === undefined) return;
      const own = view.kube.byUid('claims', thing.claimUid);
      if (own === undefined) return;
      const claims = standing(view, nodePoolOf(own));
      for (const claim of claims) {
        const rule = allowed.get(claim.metadata.uid!);
        if (rule === undefined) continue;
        const before = claims.filter(
          ({ metadata }) => (allowed.get(metadata.uid!)?.order ?? 0) <= rule.order,
        );
        const used = before.reduce((sum, each) => sum + coresOf(view, each), 0);
        if (used > rule.limit)
          view.violated(
            this.name,
            `pool ${nodePoolOf(own)} has ${used} cores of ${rule.limit} (${before.map(({ metadata }) => metadata.name).join(', ')})`,
          );
      }
    },
  };
};

export function coresOf({ azure, servers }: View, claim: TruthObject): number {
  const size = azure.vmOf(claim.metadata.uid!)?.size;
  if (size === undefined) return 0;
  return servers.azure.catalogue.sizes.find(size, servers.arm.settings.region)?.vCpusAvailable ?? 0;
}

/** Claims of a pool that do not go, and have or may still get a machine. */
export function standing({ kube }: View, pool: string): readonly TruthObject[] {
  return kube
    .list('claims')
    .filter(
      (claim) =>
        claim.metadata.deletionTimestamp === undefined &&
        nodePoolOf(claim) === pool &&
        !couldNotBootstrap(claim),
    );
}
