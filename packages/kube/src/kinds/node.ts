/** Nodes, as they are on the wire: the fields that controllers read. Fields that are not named here are kept untouched. */
import type { KubeObject } from '../object.ts';
import type { StatusCondition } from './condition.ts';

export type Labels = Readonly<Record<string, string>>;

/** Amounts by resource name, as quantities: `{ cpu: '4', memory: '16Gi' }`. */
export type ResourceAmounts = Readonly<Record<string, string | number>>;

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface Node extends KubeObject {
  spec?: {
    unschedulable?: boolean;
    taints?: readonly Taint[];
    providerID?: string;
    [field: string]: unknown;
  };
  status?: {
    capacity?: ResourceAmounts;
    allocatable?: ResourceAmounts;
    conditions?: StatusCondition[];
    [field: string]: unknown;
  };
}

/** Same key and effect: an API server keeps one of them. */
export function sameTaint(a: Pick<Taint, 'key' | 'effect'>, b: Pick<Taint, 'key' | 'effect'>): boolean {
  return a.key === b.key && a.effect === b.effect;
}
