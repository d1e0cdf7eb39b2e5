/** What a plan for a pending pod takes from a catalogue of instance types. */
import type { KubeObject } from '@chandler/kube';
import type { LabelRules } from '../../api/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';

import type { PoolShape } from './shapes.ts';

/** What there is to buy, and the rules of the cloud about labels. */
export interface Planner {
  /**
   * Undefined: what this class of nodes offers is not known here. `some`: the largest of every family and a
   * few more, which settles most questions in a fraction of the time.
   */
  instanceTypes(
    pool: PoolShape,
    nodeClass: KubeObject | undefined,
    howMany: 'some' | 'all',
  ): readonly InstanceType[] | undefined | Promise<readonly InstanceType[] | undefined>;
  readonly wellKnownLabels: readonly string[];
  readonly labelRules: LabelRules;
  /** Where the sizes come from: `the built-in catalogue of sizes`. */
  readonly source: string;
}
