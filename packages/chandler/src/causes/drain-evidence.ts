/** What keeps a node that is being drained, beside PodDisruptionBudgets. */
import type { Read } from './reading.ts';

export interface DrainEvidence extends Read {
  readonly kind: 'drain';
  readonly node: string;
  /** Pods that are not evicted because of their annotation karpenter.sh/do-not-disrupt; without a time: for ever. */
  readonly protectedPods: readonly { readonly pod: string; readonly untilMs: number | undefined }[];
}
