/** Checks of the cluster inside the controller: off by default, and done by the replica that leads. */
import { KubeClient, shapedTransport, type World } from '@chandler/kube';
import { CONTROLLER_USER_AGENT } from '../../api/index.ts';
import type { ClusterConnection } from './cluster.ts';

export interface ReadinessRequest {
  readonly world: World;
  readonly connection: ClusterConnection;
  readonly namespace: string;
  readonly readinessIntervalMs: number;
  isLeading(): boolean;
}

export function startReadiness(request: ReadinessRequest): { stop(): Promise<void> } {
  if (request.readinessIntervalMs === 0) return { stop: async () => undefined };
  const stopping = new AbortController();
  // A defect of a check must not end the controller.
  const watching = watch(request, stopping.signal).catch((error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    request.world.log.error('the readiness check has ended', { error: text });
  });
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

async function watch(request: ReadinessRequest, signal: AbortSignal): Promise<void> {
  const { world, connection, namespace, readinessIntervalMs, isLeading } = request;
  const { clock, log, metrics } = world;
  const { host, transport } = connection;
  // Loaded here because checks are large, and most controllers do not run them.
  const { RESULT_CONFIG_MAP, watchReadiness } = await import('../../readiness/index.ts');
  await watchReadiness({
    client: new KubeClient({
      transport: shapedTransport(transport, { world, host, userAgent: CONTROLLER_USER_AGENT }),
    }),
    clock,
    metrics,
    configMap: { namespace, name: RESULT_CONFIG_MAP },
    intervalMs: readinessIntervalMs,
    isLeading,
    finished({ score: { percent, checks } }) {
      const counts = { failed: checks.fail, warned: checks.warn, skipped: checks.skip };
      log.info('checked the readiness of the cluster', { percent, ...counts });
    },
    failed: (error) => log.warn('could not check the readiness of the cluster', { error }),
    signal,
  });
}
