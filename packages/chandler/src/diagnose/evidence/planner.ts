/** What a plan for a pending pod takes from a catalogue of instance types. */
import type { KubeObject } from '@chandler/kube';
import type { LabelRules } from '../../api/index.ts';
import type { LookupFailure } from '../../causes/index.ts';
import type { SomeSizes } from '../../cloud/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';

import type { PoolShape } from './shapes.ts';

/** Capacity reservations, as the controller uses them. */
export interface ReservedPlaces {
  readonly isUsed: boolean;
  /** Free instances by id; others have none. */
  readonly free: ReadonlyMap<string, number>;
}

/** The instance types of a node class, and the label rules of the cloud. */
export interface Planner {
  /** Undefined: the instance types of this node class are not known. */
  instanceTypes(
    pool: PoolShape,
    nodeClass: KubeObject | undefined,
    howMany: 'all' | SomeSizes,
    reserved?: ReservedPlaces,
  ): readonly InstanceType[] | undefined | Promise<readonly InstanceType[] | undefined>;
  /**
   * Of the catalogue as a whole, whatever the region and the node class are, which could not be read. Undefined: the NodePool is
   * of another cloud.
   */
  anywhere?(pool: PoolShape): Promise<readonly InstanceType[] | undefined>;
  /** Reservations of the types that were asked for of which it is not known how many instances are free: one, for these types. */
  readonly unknownPlaces?: ReadonlyMap<string, LookupFailure>;
  /** Whether instance types were asked for, and are not known because nothing shows the region of the cluster. */
  isRegionUnknown?(): boolean;
  readonly wellKnownLabels: readonly string[];
  readonly labelRules: LabelRules;
  /** As the traits of the cloud have it. */
  readonly reservationLabel?: string;
  /** Labels that name a size or a family of sizes. */
  readonly sizeLabels: readonly string[];
  /** Where the sizes come from: `the built-in catalogue of sizes`. */
  readonly source: string;
  /** Gives way to other work of the process between two plans; undefined: there is no need yet. Default: it never does. */
  readonly pause?: () => Promise<void> | undefined;
}
