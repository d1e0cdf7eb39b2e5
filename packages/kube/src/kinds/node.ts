/** Nodes: the fields that controllers read. Fields that are not named here are carried along untouched. */
import type { KubeObject } from '../object.ts';
import type { StatusCondition } from './condition.ts';
import type { ResourceAmounts } from './resource-amounts.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface Node extends KubeObject {
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

export interface NodeSpec {
  readonly providerID?: string;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly [field: string]: unknown;
}

export interface NodeStatus {
  readonly capacity?: ResourceAmounts;
  readonly allocatable?: ResourceAmounts;
  readonly conditions?: readonly StatusCondition[];
  readonly nodeInfo?: { readonly kubeletVersion?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Same key and effect: an API server keeps one of them. */
export function sameTaint(a: Pick<Taint, 'key' | 'effect'>, b: Pick<Taint, 'key' | 'effect'>): boolean {
  return a.key === b.key && a.effect === b.effect;
}
