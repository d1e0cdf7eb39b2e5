/** What is published as an event: about which object, what, and how often it may be repeated. */
import type { ResourceRef } from '../client/resource.ts';
import type { TokenBucket } from '../controller/rate-limiter.ts';
import type { Stored } from '../object.ts';

export interface EventSpec {
  readonly resource: ResourceRef;
  readonly object: Stored;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, from a closed set. */
  readonly reason: string;
  readonly message: string;
  /** What makes two events the same, besides the reason. Default: the object and the message. */
  readonly dedupeValues?: readonly string[];
  /** For how long the same event is dropped. Default 2 min. */
  readonly dedupeMs?: number;
  /** A rate limit that several events share. */
  readonly limiter?: TokenBucket;
  /** Published in large numbers, and least missed: only `maxExpendable` of them wait, the oldest are dropped. Default false. */
  readonly expendable?: boolean;
  /** A fixed name of the Event, so that another process does not create it twice. Default: unique. */
  readonly name?: string;
}
