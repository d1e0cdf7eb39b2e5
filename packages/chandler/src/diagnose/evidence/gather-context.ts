/** What every function that gathers evidence works with. */
import type { EvidenceContext } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';

import type { NodeOverlays } from './node-overlays.ts';
import type { Planner } from './planner.ts';

export interface GatherContext extends EvidenceContext {
  readonly cloud: CloudDiagnosis;
  /** Absent: no plan is made. */
  readonly planner: Planner | undefined;
  /** The planner applies them. Absent: as if there were none. */
  readonly overlays?: NodeOverlays;
  /** Nodes are meant to have disks that are encrypted with a key of the customer. */
  readonly expectsCustomerKey: boolean;
}
