/**
 * What every provider of the server shares. A provider is a list of routes made from this; it keeps its resources in
 * the store, its long operations in `operations`, its timers in `schedule`.
 */
import type { World } from '@chandler/kube';
import type { Schedule } from '../../schedule.ts';
import type { Services } from '../compute/services.ts';
import type { VmControl, VmHooks } from '../compute/vm-hooks.ts';
import type { FaultRegister } from '../faults/fault.ts';
import type { ResourceStore } from '../store/resource-store.ts';
import type { Access } from './access.ts';
import type { ArmRoute } from './arm-request.ts';
import type { CallLog } from './call-log.ts';
import type { Latencies } from './latencies.ts';
import type { Operations } from './operations.ts';
import type { Tokens } from './tokens.ts';

export interface ArmSettings {
  /** `eastus`. */
  readonly region: string;
  readonly subscriptionId: string;
  readonly tenantId: string;
  readonly nodeResourceGroup: string;
  readonly clusterResourceGroup: string;
  readonly clusterName: string;
  /** The eight digits in the names of a cluster's network resources. */
  readonly clusterId: string;
  /** Newer api-versions are not registered, as in sovereign clouds. Default: no limit. */
  readonly maxApiVersion?: string;
}

export interface ArmContext {
  readonly world: World;
  readonly settings: ArmSettings;
  readonly latencies: Latencies;
  readonly store: ResourceStore;
  readonly schedule: Schedule;
  readonly operations: Operations;
  readonly access: Access;
  readonly tokens: Tokens;
  readonly faults: FaultRegister;
  readonly calls: CallLog;
  /** Filled by the providers that offer them. */
  readonly services: Services;
  /** Called for everything that happens to VMs, in the order they were added. */
  readonly hooks: VmHooks[];
  readonly vms: VmControl;
  /** `https://127.0.0.1:port`, or a placeholder name when only in process. */
  readonly baseUrl: () => string;
}

/** A provider to be plugged in: called once at the start; may fill `context.services`. */
export type Provider = (context: ArmContext) => readonly ArmRoute[];
