/** What an operator is built from, and what it lets others read. */
import type { ConfigMap, Controller, LeaderElectionOptions, Store, World } from '@chandler/kube';
import type { CloudParts, CloudProvider, CloudWires } from '../cloud/index.ts';
import type { ControllerContext } from '../controllers/index.ts';
import type { Stores } from '../state/index.ts';
import type { Build } from './build-info.ts';
import type { KubeWire } from './kube-access.ts';
import type { OperatorSettings } from './operator-options.ts';

export interface CreateOperator {
  readonly world: World;
  readonly kube: KubeWire;
  readonly provider: CloudProvider;
  readonly wires: CloudWires;
  /** The options of the operator and of the provider. */
  readonly settings: OperatorSettings;
  /** Of the settings, the lease and the maintenance window. */
  readonly namespace: string;
  /** Unique for every process. Default: generated. */
  readonly identity?: string;
  readonly build: Build;
  /** False: the settings do not change and the ConfigMap is not watched. Default true. */
  readonly watchSettings?: boolean;
  /** Reads, plans and reports; takes no lease and writes nothing. Default false. */
  readonly observe?: boolean;
  /** Default: those of `kube/leader-election`. */
  readonly electionTimes?: Pick<
    LeaderElectionOptions,
    'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'
  >;
  /**
   * The maximum time for controllers and events to stop before the lease is released. Default 20 s. The rest of a stop
   * takes at most a third of it, so that it ends before the pod is killed after 30 s.
   */
  readonly stopLimitMs?: number;
  /** Replaces the controllers, for tests. Default: all. */
  readonly controllers?: (context: ControllerContext, parts: CloudParts) => readonly Controller[];
}

export interface WatchedObjects {
  readonly stores: Stores;
  /** The ConfigMap that stops disruption. */
  readonly freezes: Store<ConfigMap>;
}
