/** What a search for one value of the cluster came to. */
import type { ClusterProblemCode } from './facts.ts';

export type Finding<V> =
  | { readonly value: V }
  /** Looked for, and there is none: no problem. */
  | { readonly none: true }
  | { readonly code: ClusterProblemCode; readonly message: string; readonly blocks?: false };
