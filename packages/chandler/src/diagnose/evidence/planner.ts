/** What a plan for a pending pod takes from a catalogue of instance types. */
import type { KubeObject } from '@chandler/kube';
import type { LabelRules } from '../../api/index.ts';
import type { SomeSizes } from '../../cloud/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';

import type { PoolShape } from './shapes.ts';

/** The instance types of a node class, and the label rules of the cloud. */
export interface Planner {
  /** Undefined: the instance types of this node class are not known. */
  instanceTypes(
    pool: PoolShape,
    nodeClass: KubeObject | undefined,
    howMany: 'all' | SomeSizes,
  ): readonly InstanceType[] | undefined | Promise<readonly InstanceType[] | undefined>;
  readonly wellKnownLabels: readonly string[];
  readonly labelRules: LabelRules;
  /** Labels that name a size or a family of sizes. */
  readonly sizeLabels: readonly string[];
  /** Where the sizes come from: `the built-in catalogue of sizes`. */
  readonly source: string;
  /** Gives way to other work of the process between two plans; undefined: there is no need yet. Default: it never does. */
  readonly pause?: () => Promise<void> | undefined;
}
