/** The shape of a row of the error table: how an error of AWS is recognized, and what it means. */
import type { CloudErrorKind, RetryAdvice } from '../../index.ts';

export interface ErrorRow {
  /** One of these codes, exactly. Without codes and statuses, any. */
  readonly codes?: readonly string[];
  readonly statuses?: readonly number[];
  /** And the text matches. */
  readonly says?: RegExp;
  readonly kind: CloudErrorKind;
  /** Of the Launched condition, and of metrics. */
  readonly reason: string;
  /** What it means and what helps; AWS's own words follow. */
  readonly meaning: string;
  readonly advice?: RetryAdvice;
  /** Only for a lack of capacity: what is not tried again for a while. */
  readonly block?: Block;
}

export interface Block {
  /**
   * `offering`: the type in the zone, with the capacity type; in a placement group only there. `subnet`: it has no free
   * addresses. `reservation`: it is full. `placementGroupZone`: all types in the zone, in the placement group. `spot`:
   * all spot capacity.
   */
  readonly what: 'offering' | 'subnet' | 'reservation' | 'placementGroupZone' | 'spot';
  readonly ttlMs: number;
}

/** As long as Karpenter keeps what failed. */
export const UNAVAILABLE_TTL_MS = 3 * 60_000;
