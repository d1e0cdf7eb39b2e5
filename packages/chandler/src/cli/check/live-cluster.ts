/** `chandler check --live-cluster` and `--watch`: reads the cluster, and writes the result where it is asked to. */
import { liveReader } from '../../diagnose/index.ts';
import {
  type ConfigMapKey,
  publishResult,
  type Report,
  readCluster,
  type WatchOptions,
  watchReadiness,
  whyUnread,
  withCluster,
} from '../../readiness/index.ts';
import type { Terminal } from '../verb.ts';
import type { LiveSource } from './live-source.ts';
import { type ClusterCall, type ClusterValues, inCluster } from './open-cluster.ts';

/** @throws {Failure} without a kubeconfig or credentials. What could not be read is part of the result. */
export function liveCluster(call: ClusterCall, values: ClusterValues): Promise<LiveSource> {
  return inCluster(call, values, async ({ client, host, world }) => {
    const read = await readCluster(liveReader({ client, clock: world.clock, signal: call.interrupted }));
    call.interrupted.throwIfAborted();
    const why = whyUnread(read);
    return {
      add: (inputs) => withCluster(inputs, read),
      ...(why === undefined ? {} : { unread: `the cluster ${host} cannot be read: ${why}` }),
    };
  });
}

/** @throws {Failure} when it cannot be written. */
export function publish(
  call: ClusterCall,
  values: ClusterValues,
  key: ConfigMapKey,
  report: Report,
): Promise<void> {
  return inCluster(call, values, ({ client }) => publishResult(client, key, report, call.interrupted));
}

export interface WatchCall extends ClusterCall {
  readonly terminal: Terminal;
}

export type WatchRequest = Pick<WatchOptions, 'configMap' | 'intervalMs' | 'checks' | 'strict' | 'redact'>;

/** Until it is interrupted. A line for each result that differs from the one before. */
export function watchCluster(call: WatchCall, values: ClusterValues, given: WatchRequest): Promise<void> {
  let before = '';
  return inCluster(call, values, ({ client, world }) =>
    watchReadiness({
      client,
      clock: world.clock,
      metrics: world.metrics,
      ...given,
      isLeading: () => true,
      finished({ score: { percent, checks } }) {
        const text = `readiness ${percent === undefined ? 'not judged' : `${percent} %`}: ${checks.fail} failed, ${checks.warn} with warnings, ${checks.skip} skipped, ${checks.pass} passed`;
        if (text !== before) call.terminal.out(`${new Date(world.clock.now()).toISOString()} ${text}\n`);
        before = text;
      },
      failed: (message) => call.terminal.err(`chandler check: ${message}\n`),
      signal: call.interrupted,
    }),
  );
}
