/** Latencies. Small by default, so that a playground is fast; the realistic ones are those of AWS. */

export interface Latencies {
  /** Before any answer. */
  readonly requestMs: number;
  /** Up to this long after its launch, an instance is missing from answers. */
  readonly consistencyMs: number;
  /** From the launch to `running`. */
  readonly pendingMs: number;
  /** From TerminateInstances to `terminated`. */
  readonly shuttingDownMs: number;
  /** How long a terminated instance stays visible. */
  readonly terminatedVisibleMs: number;
  /** From RebootInstances to the restart of the system. */
  readonly rebootMs: number;
  /** From the warning of a spot interruption to the interruption. */
  readonly interruptionNoticeMs: number;
  /** From what happens to an instance to the message on the queue. */
  readonly eventMs: number;
  /** How far GetConsoleOutput lags behind. */
  readonly consoleMs: number;
  /** How long the name of a deleted queue cannot be used again. */
  readonly queueNameMs: number;
}

export const QUICK_LATENCIES: Latencies = {
  requestMs: 0,
  consistencyMs: 500,
  pendingMs: 1000,
  shuttingDownMs: 1000,
  terminatedVisibleMs: 3_600_000,
  rebootMs: 1000,
  interruptionNoticeMs: 120_000,
  eventMs: 100,
  consoleMs: 0,
  queueNameMs: 1000,
};

export const REALISTIC_LATENCIES: Latencies = {
  requestMs: 150,
  consistencyMs: 5000,
  pendingMs: 8000,
  shuttingDownMs: 40_000,
  terminatedVisibleMs: 3_600_000,
  rebootMs: 10_000,
  interruptionNoticeMs: 120_000,
  eventMs: 2000,
  consoleMs: 60_000,
  queueNameMs: 60_000,
};
