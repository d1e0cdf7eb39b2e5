/**
 * Latencies. Small by default, so that a playground is fast; the realistic ones are those of Azure.
 */

export interface Latencies {
  /** Before any answer. */
  readonly requestMs: number;
  readonly nicPutMs: number;
  readonly nicDeleteMs: number;
  /** From the PUT of a VM until its operation ends, where no guest decides otherwise. */
  readonly vmCreateMs: number;
  readonly vmUpdateMs: number;
  readonly vmDeleteMs: number;
  readonly extensionMs: number;
  /** Any other long operation. */
  readonly otherMs: number;
  /** How far the resource graph lags behind. */
  readonly graphLagMs: number;
  /** How far lists lag behind; reads of one resource never do. */
  readonly listLagMs: number;
  /** How long the NIC of a rejected VM stays reserved for it. */
  readonly nicReservedMs: number;
  /** How long the directory does not find a principal that was just created. */
  readonly directoryMs: number;
}

export const QUICK_LATENCIES: Latencies = {
  requestMs: 0,
  nicPutMs: 20,
  nicDeleteMs: 20,
  vmCreateMs: 400,
  vmUpdateMs: 50,
  vmDeleteMs: 200,
  extensionMs: 200,
  otherMs: 50,
  graphLagMs: 500,
  listLagMs: 0,
  nicReservedMs: 180_000,
  directoryMs: 1000,
};

export const REALISTIC_LATENCIES: Latencies = {
  requestMs: 120,
  nicPutMs: 1500,
  nicDeleteMs: 3000,
  vmCreateMs: 22_000,
  vmUpdateMs: 6000,
  vmDeleteMs: 35_000,
  extensionMs: 30_000,
  otherMs: 4000,
  graphLagMs: 12_000,
  listLagMs: 1500,
  nicReservedMs: 180_000,
  directoryMs: 15_000,
};
