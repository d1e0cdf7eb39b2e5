/**
 * What the operator needs of a cloud beside the `Cloud` itself. One function makes all of it (`azureParts` for Azure), so
 * that a test can hand in a cloud on paper and everything else stays as in production.
 */
import type { Controller, Fence, KubeClient, World } from '@chandler/kube';
import type { LabelRules } from '../api/index.ts';
import type { Cloud } from '../cloud/index.ts';
import type { ControllerContext } from '../controllers/index.ts';

export interface CloudParts {
  readonly cloud: Cloud;
  readonly labelRules: LabelRules;
  /** Called before any controller starts, again after a failure, until it succeeds or the time is up. */
  readonly prepare?: () => Promise<void>;
  /** Loops of every replica, leading or not. They only read. */
  readonly background?: readonly BackgroundTask[];
  /** Controllers beside those of the core. */
  readonly controllers?: (context: ControllerContext) => readonly Controller[];
  /** Why this process had better be restarted; asked by the liveness probe. */
  readonly live?: () => Promise<void> | void;
}

export interface BackgroundTask {
  readonly name: string;
  /** Ends when the signal is aborted, and not before. */
  run(signal: AbortSignal): Promise<void>;
}

export interface PartsRequest {
  readonly world: World;
  /** For reads of what no store holds. */
  readonly client: KubeClient;
  /** Of the controller. */
  readonly namespace: string;
  /** Nothing may be written, in the cloud neither. */
  readonly observe: boolean;
  /** Open while this replica may write. Absent when there is no election. */
  readonly fence?: Pick<Fence, 'isOpen'> | undefined;
}

/** @throws {StartError} when the options do not lead to a cloud. */
export type MakeCloudParts = (request: PartsRequest) => Promise<CloudParts> | CloudParts;
