/** The state of a cloud as checkers see it: instances and what belongs to them, read from the servers directly. */

export type Capacity = 'on-demand' | 'spot' | 'reserved';

export interface CloudPart {
  /** `vm`, or a resource that was created for one. */
  readonly part: string;
  readonly name: string;
  readonly id: string;
  /** Unique for every instance that ever existed. */
  readonly instanceId: string | undefined;
  readonly type: string | undefined;
  /** `on-demand`, `spot` or `reserved`. */
  readonly capacity: Capacity;
  readonly deleting: boolean;
  /** Whether the instance started; a failed one never does. */
  readonly up: boolean;
}

export interface CloudChange {
  readonly type: 'put' | 'gone';
  readonly thing: CloudPart;
  /** It did not exist before. */
  readonly isNew: boolean;
}

export interface CloudState {
  /** All that exist; a terminated instance does not. */
  list(): readonly CloudPart[];
  instanceOf(claimUid: string): CloudPart | undefined;
  /** The UID of the claim that the part was created for; undefined: nobody knows, or it is of no claim. */
  claimOf(part: CloudPart): string | undefined;
  /** What belongs to nobody any more, and has to be removed. */
  orphans(): readonly CloudPart[];
  /** Whether the cloud has ended the instance, or says that it will. */
  isInterrupted(instance: CloudPart): boolean;
  /** What is still in progress there; undefined: nothing. */
  unfinished(): string | undefined;
  /** Names of the nodes of instances that run. */
  nodeNames(): ReadonlySet<string>;
  /** Processes the changes since the last call, in order. */
  drain(listener: (change: CloudChange) => void): void;
}

export const INSTANCE = 'vm';
