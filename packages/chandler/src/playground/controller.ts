/**
 * The controller inside the playground: the operator of production, with the playground's API server and cloud, as the
 * service account of deploy/ and with its permissions only. Its settings are those of the environment file, as for a
 * controller that runs as a separate process.
 */
import { readFileSync } from 'node:fs';
import { arch, versions } from 'node:process';
import {
  fetchTransport,
  type HttpServer,
  healthRoutes,
  KubeClient,
  type KubeObject,
  type Log,
  metricsRoutes,
  promMetrics,
  serve,
  type World,
} from '@chandler/kube';
import type { CloudProvider } from '../cloud/index.ts';
import { createOperator, type Operator } from '../operator/index.ts';
import { BUILD, GlobalSettings, OPERATOR_OPTIONS, resolveOptions } from '../settings/index.ts';
import type { CloudFiles, PlaygroundCloud } from './clouds/playground-cloud.ts';
import { controllerAccount, namespaceOf, userIn } from './controller-account.ts';
import type { Playground } from './playground.ts';
import { PlaygroundError } from './playground-error.ts';
import { ensureObject } from './scenarios/manifests.ts';

export interface ControllerRequest {
  readonly world: World;
  /** The log of the controller only. */
  readonly log: Log;
  readonly playground: Playground;
  /** Default: the first one of the playground. */
  readonly cloud?: PlaygroundCloud;
  readonly files: CloudFiles;
  readonly kubeconfig: string;
  /** Flags in addition to the environment file. */
  readonly args?: readonly string[];
  /** CA of the API server, if it does not listen and has none. */
  readonly caPem?: string;
  /** Timeout of a stop, in cluster time. Default 20 s. */
  readonly stopLimitMs?: number;
  /** Metrics and probes on loopback. Default false. */
  readonly serveMetrics?: boolean;
}

export interface RunningController {
  readonly operator: Operator;
  /** `http://127.0.0.1:port`; undefined without `serveMetrics`. */
  readonly url: string | undefined;
  /** Resolves when it leads, or has been stopped before. @throws {StartError} */
  readonly leading: Promise<void>;
  stop(): Promise<void>;
}

export async function startController(request: ControllerRequest): Promise<RunningController> {
  const { playground, serveMetrics = false, log } = request;
  const cloud = request.cloud ?? playground.cloud!;
  const world: World = { ...request.world, log, metrics: promMetrics({ processMetrics: false }) };
  const account = await controllerAccount(playground.clouds, cloud);
  await ensureObjects(playground.server, account.objects);
  const provider = await cloud.provider();
  const settings = settingsOf(request, cloud, provider);
  const operator = createOperator({
    world,
    settings,
    kube: {
      transport: fetchTransport(playground.server.fetchAs(account.user)),
      host: new URL(playground.url ?? OFFLINE).host,
    },
    namespace: account.namespace,
    ...(request.stopLimitMs === undefined ? {} : { stopLimitMs: request.stopLimitMs }),
    identity: `playground_${world.random.uuid()}`,
    build: { version: BUILD.version, commit: BUILD.commit, runtime: `v${versions.node}`, arch },
    provider,
    wires: {
      fetch: cloud.fetch,
      readFile,
      version: BUILD.version,
      clusterCaPem: playground.url === undefined ? request.caPem : playground.server.caPem,
    },
  });
  const server = serveMetrics ? await serveMetricsAndProbes(operator, world) : undefined;
  return {
    operator,
    url: server === undefined ? undefined : `http://127.0.0.1:${server.port}`,
    leading: leading(operator, world),
    async stop() {
      await operator.stop();
      await server?.close();
    },
  };
}

/** A controller that is alone. */
export const CONTROLLER_USER = userIn('kube-system');

// ---------------------------------------------------------------------------------------------------

const OFFLINE = 'https://127.0.0.1:6443';
const POLL_INTERVAL_MS = 100;

const readFile = (path: string) => readFileSync(path, 'utf8');

async function ensureObjects(server: Playground['server'], objects: readonly KubeObject[]): Promise<void> {
  const client = new KubeClient({ transport: fetchTransport(server.adminFetch) });
  for (const object of objects) await ensureObject(client, object);
}

function settingsOf(
  { playground, files, kubeconfig, args = [] }: ControllerRequest,
  cloud: PlaygroundCloud,
  { options }: CloudProvider,
) {
  const place = {
    serverUrl: playground.url ?? OFFLINE,
    kubeconfig,
    namespace: namespaceOf(playground.clouds, cloud),
  };
  const env = cloud.controllerEnvironment(files, place);
  const resolved = resolveOptions(
    { ...OPERATOR_OPTIONS, ...options.table },
    { args, env, readFile },
    options.rules,
  );
  if (resolved.problems.length > 0) {
    const list = resolved.problems.map(({ where, message }) => `${where}: ${message}`);
    throw new PlaygroundError(`the options of the controller are invalid: ${list.join('; ')}`);
  }
  return new GlobalSettings(resolved);
}

function serveMetricsAndProbes(
  operator: Operator,
  world: { readonly metrics: World['metrics'] },
): Promise<HttpServer> {
  const metrics = world.metrics as ReturnType<typeof promMetrics>;
  const routes = { ...metricsRoutes(metrics), ...healthRoutes(operator.checks) };
  return serve({ routes, port: 0, host: '127.0.0.1' });
}

/** There is no other replica, so it becomes leader at once. */
async function leading(operator: Operator, { clock }: World): Promise<void> {
  let hasEnded = false;
  void operator.ended.then(() => {
    hasEnded = true;
  });
  await operator.start();
  while (!operator.isLeading && !hasEnded) await clock.sleep(POLL_INTERVAL_MS);
}
