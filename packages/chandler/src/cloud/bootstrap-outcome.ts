/**
 * The result of the bootstrap of a new instance, in terms that every cloud shares. Each cloud reads it in its own
 * way; `controllers/bootstrap-outcome/` decides what happens to the NodeClaim.
 */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../api/index.ts';
import type { CloudError } from './errors.ts';

export interface BootstrapReader {
  /**
   * What is known now about these machines, by the claim's UID; one that has not said anything yet is left out. It may
   * be called every few seconds with all claims that wait for a node: it asks the cloud no more often than it may, and
   * forgets claims that it is not asked about any more.
   */
  look(
    claims: readonly Stored<NodeClaim>[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, BootstrapOutcome>>;

  /**
   * The cloud has said that the machine, or a part of it, failed: reads at once what the machine itself said. Undefined
   * where it was not the bootstrap that failed. Never throws: with less evidence it says less.
   */
  afterFailure(
    claim: Stored<NodeClaim>,
    error: CloudError,
    signal: AbortSignal,
  ): Promise<BootstrapFailure | undefined>;

  /** Read at every use: it may change at runtime. */
  aftermath(): Aftermath;
}

export type BootstrapOutcome =
  | { readonly state: 'succeeded' }
  | { readonly state: 'failed'; readonly failure: BootstrapFailure };

export interface BootstrapFailure {
  /** The exit code of the script; undefined if it is unknown. */
  readonly code: number | undefined;
  /** The name of the code in the image of the instance: `ERR_OUTBOUND_CONN_FAIL`. */
  readonly constant: string | undefined;
  /** One line for people, code and name first, without secrets. */
  readonly message: string;
  /** Another instance of the same node class and image would fail in the same way. */
  readonly deterministic: boolean;
  /** Id of the image it ran. */
  readonly image: string | undefined;
  readonly readFrom: BootstrapWitness;
  /** The command that the script was at, without secrets. */
  readonly lastCommand: string | undefined;
  /** The end of what the script printed, without secrets, bounded; empty if nothing is known of it. */
  readonly log: readonly string[];
}

/** `extension`: its instance view. `operation`: the error of the cloud's own operation. `serialLog`: the console. */
export type BootstrapWitness = 'extension' | 'operation' | 'serialLog';

/** What is kept after a failure, so that people can inspect it. */
export interface Aftermath {
  /** How long the NodeClaim is kept; 0 means that it is deleted immediately. */
  readonly keepClaimMs: number;
  /** The instance is kept as long as its NodeClaim, to log in to it. */
  readonly keepInstance: boolean;
}
