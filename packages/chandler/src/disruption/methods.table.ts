/** The methods of disruption, in the order in which a pass runs them. */
import type { DisruptionReason } from './model.ts';

/**
 * How a method treats what blocks a node. `graceful`: every block holds. `eventual`: pods that block an eviction do not hold
 * a claim with a terminationGracePeriod. `repair`: as eventual, and neither do the annotation of the node nor a node that
 * registered and never initialized.
 */
export type DisruptionClass = 'graceful' | 'eventual' | 'repair';

export type MethodName =
  | 'repair'
  | 'emptiness'
  | 'static-drift'
  | 'drift'
  | 'expiration'
  | 'multi-node'
  | 'single-node';

export interface Method {
  readonly name: MethodName;
  readonly reason: DisruptionReason;
  readonly class: DisruptionClass;
  /** The label `consolidation_type` of Karpenter's metrics. */
  readonly consolidationType: '' | 'empty' | 'multi' | 'single';
  /** Pods that ask for it move by a rolling update of their workload, once the replacements are initialized. */
  readonly surges?: true;
}

export const METHODS: readonly Method[] = [
  { name: 'repair', reason: 'Unhealthy', class: 'repair', consolidationType: '' },
  { name: 'emptiness', reason: 'Empty', class: 'graceful', consolidationType: 'empty' },
  { name: 'static-drift', reason: 'Drifted', class: 'eventual', consolidationType: '' },
  { name: 'drift', reason: 'Drifted', class: 'eventual', consolidationType: '', surges: true },
  { name: 'expiration', reason: 'Drifted', class: 'eventual', consolidationType: '', surges: true },
  {
    name: 'multi-node',
    reason: 'Underutilized',
    class: 'graceful',
    consolidationType: 'multi',
    surges: true,
  },
  {
    name: 'single-node',
    reason: 'Underutilized',
    class: 'graceful',
    consolidationType: 'single',
    surges: true,
  },
];

export function methodNamed(name: MethodName): Method {
  return METHODS.find((method) => method.name === name)!;
}
