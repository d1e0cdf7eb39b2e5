/**
 * Runs the operator for `chandler controller`: provides its log, its metrics and its connections to the cluster and to the
 * cloud, serves metrics and probes, and stops everything in order. The operator does the rest.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { arch, versions } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import { promMetrics, type World } from '@chandler/kube';
import { LEASE_IDENTITY_PREFIX } from '../../api/index.ts';
import { StartError } from '../../cloud/index.ts';
import { type CloudName, loadCloud } from '../../cloud/registry.ts';
import { createOperator, type Operator, type OperatorSettings } from '../../operator/index.ts';
import { warmUp } from '../../scheduling/index.ts';
import type { OptionWarning } from '../../settings/index.ts';
import { BUILD } from '../../settings/index.ts';

import { EXIT_FAILURE, EXIT_OK, Failure, type Terminal } from '../verb.ts';
import { cloudWire } from './cloud-wire.ts';
import { type ClusterConnection, homeNamespace } from './cluster.ts';
import type { ControllerPage } from './page/controller-page.ts';
import type { PageRequest } from './page-options.ts';
import { processLog } from './process-log.ts';
import { startReadiness } from './readiness.ts';
import { openServers } from './servers.ts';

export interface RunRequest {
  readonly world: World;
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
  readonly connection: ClusterConnection;
  /** The options of the operator and of the cloud. */
  readonly settings: OperatorSettings;
  readonly cloud: CloudName;
  readonly warnings: readonly OptionWarning[];
  readonly observe: boolean;
  /** Between two checks of the cluster; 0: it is not checked. */
  readonly readinessIntervalMs: number;
  /** Undefined: no page is served. */
  readonly page: PageRequest | undefined;
  /** False: the settings were read from a file and do not change. */
  readonly watchSettings: boolean;
}

/** Returns the exit code: 0 after a stop signal, 1 after the lease was lost. @throws {Failure} when it cannot start. */
export async function runController(request: RunRequest): Promise<number> {
  const { connection, settings, terminal, interrupted, observe } = request;
  const { values } = settings;
  const metrics = promMetrics({ clock: request.world.clock });
  const log = processLog({
    terminal,
    now: () => request.world.clock.now(),
    paths: values.logOutputPaths.value,
    errorPaths: values.logErrorOutputPaths.value,
    level: () => settings.values.logLevel.value,
  });
  const world: World = { ...request.world, log, metrics };
  for (const warning of request.warnings) log.warn('option warning', { ...warning });
  const namespace = homeNamespace(values.systemNamespace.value, connection.credentials);
  const provider = await loadCloud(request.cloud);
  const ca = provider.options.caFile?.(values) ?? { path: '', flag: '' };
  const wire = cloudWire(world.fetch, ca, connection.env);
  const operator = createOperator({
    world,
    observe,
    settings,
    kube: { transport: connection.transport, host: connection.host },
    namespace,
    identity: `${LEASE_IDENTITY_PREFIX}${hostname()}_${world.random.uuid()}`,
    build: { version: BUILD.version, commit: BUILD.commit, runtime: `v${versions.node}`, arch },
    watchSettings: request.watchSettings,
    provider,
    wires: {
      ...wire,
      readFile: (path) => readFileSync(path, 'utf8'),
      version: BUILD.version,
      clusterCaPem: connection.credentials.trusted,
    },
  });
  const servers = await openServers({
    metricsPort: values.metricsPort.value,
    healthProbePort: values.healthProbePort.value,
    profiling: values.enableProfiling.value,
    checks: operator.checks,
    clock: world.clock,
    metrics,
  });
  const page = await openPage(request, world, namespace, operator).catch(async (error: unknown) => {
    await servers.close();
    throw error;
  });
  log.info('starting', {
    version: BUILD.version,
    commit: BUILD.commit,
    cluster: connection.credentials.source,
    namespace,
    ...leaseOf(request, namespace),
    metricsPort: servers.metricsPort,
    healthProbePort: servers.healthProbePort,
    ...(page === undefined ? {} : { pagePort: page.port }),
    observe,
    heapLimitMiB: Math.round(getHeapStatistics().heap_size_limit / 2 ** 20),
  });
  const stopped = new Promise<'stopped'>((resolve) => {
    const stop = () => void operator.stop().then(() => resolve('stopped'));
    if (interrupted.aborted) stop();
    else interrupted.addEventListener('abort', stop, { once: true });
  });
  const readiness = startReadiness({ ...request, world, namespace, isLeading: () => operator.isLeading });
  try {
    // The stores fill meanwhile; the engine is compiled before the first pod comes.
    const started = operator.start();
    await Promise.all([started, warmUp(() => world.clock.sleep(0))]);
    const end = await Promise.race([operator.ended, stopped]);
    if (end === 'lostLease') log.error('the lease was lost; exiting so that another replica takes over');
    return end === 'lostLease' ? EXIT_FAILURE : EXIT_OK;
  } catch (error) {
    return startFailure(error);
  } finally {
    await readiness.stop();
    await page?.close();
    await operator.stop();
    await servers.close();
    await wire.close();
  }
}

// ---------------------------------------------------------------------------------------------------

/** The lease that is logged at start: it shows why two controllers do not exclude each other. */
function leaseOf({ settings, observe }: RunRequest, namespace: string): { readonly lease?: string } {
  const { disableLeaderElection, leaderElectionNamespace, leaderElectionName } = settings.values;
  if (observe || disableLeaderElection.value) return {};
  return { lease: `${leaderElectionNamespace.value || namespace}/${leaderElectionName.value}` };
}

/** Loaded here because most controllers serve no page. */
async function openPage(
  { page, connection, cloud }: RunRequest,
  world: World,
  namespace: string,
  operator: Operator,
): Promise<ControllerPage | undefined> {
  if (page === undefined) return undefined;
  const { startControllerPage } = await import('./page/controller-page.ts');
  const { warmPage } = await import('./page/warm-page.ts');
  await warmPage(world, cloud);
  return startControllerPage({ ...page, world, connection, namespace, watched: () => operator.watched });
}

function startFailure(error: unknown): number {
  if (!(error instanceof StartError)) throw error;
  if (error.code === 'Stopped') return EXIT_OK;
  throw new Failure(error.message);
}
