/** The leases that Karpenter and Chandler use, by their settings. Only one that both share keeps them from leading at once. */
import type { ObjectKey } from '@chandler/kube';
import type { Side } from './side.ts';

export function leaseKeys(
  karpenter: Side | undefined,
  chandler: Side | undefined,
): { readonly karpenter?: ObjectKey; readonly chandler?: ObjectKey } {
  return {
    ...(karpenter === undefined ? {} : { karpenter: leaseOf(karpenter, '') }),
    ...(chandler === undefined ? {} : { chandler: leaseOf(chandler, textOf(chandler, 'systemNamespace')) }),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Without a namespace of its own, the lease is in that of the pod. */
function leaseOf(side: Side, systemNamespace: string): ObjectKey {
  const own = textOf(side, 'leaderElectionNamespace');
  return {
    namespace: own || systemNamespace || side.deployment.metadata.namespace,
    name: textOf(side, 'leaderElectionName'),
  };
}

function textOf({ settings }: Side, option: string): string {
  return String(settings.resolved.values[option]?.value ?? '');
}
