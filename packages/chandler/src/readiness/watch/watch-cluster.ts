/**
 * Checks a cluster again and again: reads it, judges it, and publishes the result as a ConfigMap and as metrics. Off by default;
 * `cli/controller` runs it in the controller, and `check --watch` by itself. What it reads and writes: `render-rbac.ts`.
 */
import { type Clock, CONFIG_MAPS, type KubeClient, type KubeObject, type Metrics } from '@chandler/kube';
import { liveReader } from '../../diagnose/index.ts';
import { isAccessError } from '../access-error.ts';
import type { CheckRow } from '../checks/check.ts';
import { CHECKS } from '../checks/table.ts';
import { readCluster, whyUnread } from '../inputs/cluster/read-cluster.ts';
import { withCluster } from '../inputs/cluster/with-cluster.ts';
import { NO_INPUTS } from '../inputs/inputs.ts';
import type { Report } from '../judge.ts';
import { redactAccounts } from '../report/redact-accounts.ts';
import { judgeAccepted } from '../suppressions/judge-accepted.ts';
import { type CheckMetrics, checkMetrics } from './check-metrics.ts';
import { resultData } from './result-config-map.ts';

export interface ConfigMapKey {
  readonly namespace: string;
  readonly name: string;
}

export interface WatchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Where the result is written. */
  readonly configMap: ConfigMapKey;
  readonly intervalMs: number;
  /** Default: all of them. */
  readonly checks?: readonly CheckRow[];
  /** Habits that are risky in production fail instead of warning. Default: false. */
  readonly strict?: boolean;
  /** Hides account ids. Default: false. */
  readonly redact?: boolean;
  /** Other replicas do not check. */
  isLeading(): boolean;
  /** Called after every check. */
  finished(report: Report): void;
  /** Called when the cluster could not be read, judged or the result not be written, which stays as it was; at the next interval it is tried again. */
  failed(message: string): void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Resolves when the signal is aborted. */
export async function watchReadiness(options: WatchOptions): Promise<void> {
  const { clock, signal, intervalMs } = options;
  const metrics = checkMetrics(options.metrics);
  while (!signal.aborted) {
    // Until it leads, it looks more often.
    const isLeading = options.isLeading();
    if (isLeading) await checkOnce(options, metrics);
    const waitMs = isLeading ? intervalMs : Math.min(intervalMs, STANDBY_MS);
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
}

/** Writes the result, and creates the ConfigMap where it does not exist. */
export async function publishResult(
  client: KubeClient,
  key: ConfigMapKey,
  report: Report,
  signal?: AbortSignal,
): Promise<void> {
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key };
  await client.patch(
    CONFIG_MAPS,
    key,
    { type: 'apply', patch: { ...object, data: resultData(report) } },
    { fieldManager: 'chandler-check', force: true, ...(signal === undefined ? {} : { signal }) },
  );
}

// ---------------------------------------------------------------------------------------------------------------

const STANDBY_MS = 10_000;

async function checkOnce(options: WatchOptions, metrics: CheckMetrics): Promise<void> {
  const { client, clock, signal, configMap, checks = CHECKS, strict = false, redact = false } = options;
  try {
    const cluster = await readCluster(liveReader({ client, clock, signal }));
    const why = whyUnread(cluster);
    if (why !== undefined) {
      signal.throwIfAborted();
      metrics.failed();
      return options.failed(`the cluster cannot be read: ${why}`);
    }
    const nowMs = clock.now();
    const judged = await judgeAccepted(withCluster(NO_INPUTS, cluster), {
      checks,
      policy: { strict },
      nowMs,
    });
    const report = redact ? redactAccounts(judged) : judged;
    await publishResult(client, configMap, report, signal);
    metrics.finished(report, clock.now());
    options.finished(report);
  } catch (error) {
    if (signal.aborted) return;
    metrics.failed();
    // A defect of one check, perhaps of one object that is gone the next time.
    const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
    options.failed(isAccessError(error) ? message : stack);
  }
}
