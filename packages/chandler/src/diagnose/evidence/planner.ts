/** What a plan for a pending pod is made from: the instance types on offer, and the cloud's rules about labels. */
import type { LabelRules } from '../../api/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';
import type { NodeClassShape, PoolShape } from './shapes.ts';

export interface Planner {
  /**
   * Undefined: what this class of nodes offers is not known here. `some`: the largest of every family and a
   * few more, which settles most questions in a fraction of the time.
   */
  instanceTypes(
    pool: PoolShape,
    nodeClass: NodeClassShape | undefined,
    howMany: 'some' | 'all',
  ): readonly InstanceType[] | undefined | Promise<readonly InstanceType[] | undefined>;
  readonly wellKnownLabels: readonly string[];
  readonly labelRules: LabelRules;
  /** Where the sizes come from: `the built-in catalogue of sizes`. */
  readonly source: string;
}
