/** Whether a CronJob should have got a Job since its last one, by its schedule alone: events of its controller are kept for an hour. */
import { CronError, parseCron, readDurationMs } from '@chandler/kube';

/** Controllers create Jobs at once. */
const LATE_MS = 3600_000;
/** Without a time zone, the local time of the controller counts, which is not known. */
const LATE_ANYWHERE_MS = 24 * 3600_000;

export interface DueJob {
  /** It was due then, and no Job was created since. */
  readonly overdueMs?: number;
  /** The schedule cannot be read. */
  readonly problem?: string;
}

/** @param sinceMs when it last got a Job, or that Job ended. */
export function dueJobOf(
  schedule: string,
  timeZone: string | undefined,
  sinceMs: number,
  atMs: number,
): DueJob {
  const everyMs = readDurationMs(EVERY.exec(schedule)?.[1] ?? '');
  if (everyMs !== undefined) {
    const dueMs = sinceMs + everyMs;
    return dueMs + LATE_MS < atMs ? { overdueMs: dueMs } : {};
  }
  try {
    const cron = parseCron(timeZone === undefined ? schedule : `CRON_TZ=${timeZone} ${schedule}`);
    const dueMs = cron.next(sinceMs);
    const [, hour] = schedule.trim().split(/\s+/);
    const lateMs = timeZone !== undefined || hour === '*' ? LATE_MS : LATE_ANYWHERE_MS;
    return dueMs !== undefined && dueMs + lateMs < atMs ? { overdueMs: dueMs } : {};
  } catch (error) {
    if (error instanceof CronError) return { problem: error.message };
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

/** Kubernetes takes it for CronJobs; budgets do not have it. */
const EVERY = /^\s*(?:(?:CRON_)?TZ=\S+\s+)?@every\s+(\S+)\s*$/;
