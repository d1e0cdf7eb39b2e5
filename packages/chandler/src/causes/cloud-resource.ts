/**
 * What a node needs from its cloud beside the instance: its network, its identity, the settings it was launched with. A cloud
 * names the types and the facts; only its own causes read them.
 */
import type { Read } from './reading.ts';

export interface CloudResourceEvidence extends Read {
  readonly kind: 'cloudResource';
  /** The kind of the resource, as the cloud names it: `subnet`. */
  readonly type: string;
  readonly name: string;
  /** The NodeClaim that needs it; undefined: every NodeClaim. */
  readonly claim?: string;
  /** False: the cloud says that it does not exist. */
  readonly found: boolean;
  /** A fact that is not known is absent. */
  readonly facts: Readonly<Record<string, string>>;
}
