/** What every gatherer works with. */
import type { ObjectReader } from '../reader/reader.ts';
import type { AzureEye } from './azure-eye.ts';
import type { Ledger } from './ledger.ts';
import type { Planner } from './planner.ts';

export interface Ask {
  readonly reader: ObjectReader;
  readonly ledger: Ledger;
  /** Absent: there are no credentials for Azure. */
  readonly azure: AzureEye | undefined;
  /** Absent: no plan is made. */
  readonly planner: Planner | undefined;
}
