/** A scheduling rule that a plan violates. `check-plan.ts` finds violations. */

export type Rule =
  | 'every pod once'
  | 'claim'
  | 'price'
  | 'minValues'
  | 'limits'
  | 'reservations'
  | 'capacity'
  | 'taints'
  | 'node affinity'
  | 'host ports'
  | 'spread'
  | 'affinity'
  | 'anti-affinity'
  | 'volumes';

export interface Violation {
  readonly rule: Rule;
  /** The pod, claim or pool it is about. */
  readonly subject: string;
  readonly detail: string;
}
