/** Questions about objects of the built-in kinds: who owns them, whether they end, whether they failed. */
import { conditionOf, type StatusCondition } from '@chandler/kube';

export {
  conditionOf,
  isOwnedByDaemonSet,
  isOwnedByNode,
  isTerminal,
  isTerminating,
  ownerOf,
} from '@chandler/kube';

export type ObjectCondition = StatusCondition;

/** What has conditions, of whatever form. */
interface Conditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/**
 * The instance failed to bootstrap; the claim is kept for a time so that the reason can be read. It has no capacity, does
 * not count for limits, and is replaced.
 */
export function failedToBootstrap(claim: Conditions): boolean {
  return (
    conditionOf(claim, 'CSEProvisioned')?.status === 'False' &&
    conditionOf(claim, 'Registered')?.status !== 'True'
  );
}
