/** The servers of a cloud, which are never killed, as the shared part of the simulation uses them. */
import type { Fetch, Transport } from '@chandler/kube';
import type { Playground } from '../../packages/chandler/src/playground/index.ts';
import type { Environment } from '../../packages/chandler/src/settings/index.ts';
import type { Capacity, CloudPart, CloudState } from './server-state/cloud-state.ts';
import type { KubeState } from './server-state/kube-state.ts';
import type { SimWorld } from './sim-world.ts';

export interface ServerTimes {
  /** From the launch of an instance to its node. */
  readonly bootMs: number;
  readonly createMs: number;
  readonly deleteMs: number;
  /** How far lists of the cloud lag behind. */
  readonly listLagMs: number;
}

export interface CloudStart {
  readonly world: SimWorld;
  readonly playground: Playground;
  /** To the API server, as an administrator. */
  readonly transport: Transport;
  /** The authority of the API server, as PEM, at this moment. */
  readonly ca: () => string;
  readonly times: ServerTimes;
  /** What the account has from the beginning. */
  readonly features: readonly string[];
}

export interface SimulatedCloud {
  /** The entry point for controller processes. */
  readonly fetch: Fetch;
  /** They must not leak. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Options of a controller process. */
  environment(): Environment;
  readFile(path: string): string;
  /** The state for checkers, from now on. */
  observe(kube: KubeState): CloudState;
  beginFault(fault: string): void;
  endFaults(): void;
  /** Active faults, and how often each has occurred. */
  faults(): readonly { readonly name: string; readonly struck: number }[];
  /** Whether a fault of this name makes an offering unavailable. */
  takesCapacity(fault: string): boolean;
  /** Whether a stable cluster may see such a write, once: what the controller looks after from time to time. */
  isUpkeep(path: string, body: unknown): boolean;
  /** Outside Chandler, as a user would. The request may be lost. */
  deleteInstance(instance: CloudPart): Promise<void>;
  /** A new image is there. @returns what the record says about it. */
  publishImage(): string;
  readonly prices: Prices;
  /** With their cores. */
  readonly types: readonly { readonly name: string; readonly cores: number }[];
  coresOf(type: string): number;
  stop(): Promise<void>;
}

export interface Prices {
  /** Counts the changes of the list. */
  readonly changes: number;
  /** Of all places, per hour, and those that are built in, which a process uses until it has read the list. */
  of(type: string, capacity: Capacity): readonly number[];
  set(type: string, price: number): void;
}
