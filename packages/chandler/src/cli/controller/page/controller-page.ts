/**
 * The page that the controller serves with --page: from its own stores, to people whom the API server knows, and to each no more than
 * they may list. Every replica serves it, also one on standby: its stores are as complete as those of the leader.
 */
import { shapedTransport, undiciTransport, type World } from '@chandler/kube';
import { CONTROLLER_USER_AGENT } from '../../../api/index.ts';
import {
  kubernetesAdmission,
  pageAssets,
  QuestionError,
  Reviews,
  startSharedPage,
} from '../../../dashboard/index.ts';
import type { WatchedObjects } from '../../../operator/index.ts';
import { BUILD } from '../../../settings/index.ts';
import { CLUSTER_VIEWS } from '../../page/views.table.ts';
import { Failure } from '../../verb.ts';
import type { ClusterConnection } from '../cluster.ts';
import { PageVisitors } from './page-visitors.ts';
import { shownKinds } from './permitted-page.ts';

export interface ControllerPageOptions {
  readonly world: World;
  readonly connection: ClusterConnection;
  /** Of the controller. */
  readonly namespace: string;
  /** Undefined while the first lists are not complete. */
  watched(): WatchedObjects | undefined;
  readonly address: string;
  readonly port: number;
  readonly hosts: readonly string[];
  /** Default: that of the admission. */
  readonly reviewTtlMs?: number;
}

export interface ControllerPage {
  readonly port: number;
  close(): Promise<void>;
}

/** @throws {Failure} that names the option when the port cannot be opened. */
export async function startControllerPage(options: ControllerPageOptions): Promise<ControllerPage> {
  const { world, connection, namespace, watched, address, port, hosts } = options;
  const { host, env, transport } = connection;
  const bare = undiciTransport(withoutIdentity(connection));
  // Apart from the rate limit of the controllers, so that nobody who looks makes them wait.
  const own = shapedTransport(transport, { world, host, userAgent: CONTROLLER_USER_AGENT, ...RATE });
  const visitors = new PageVisitors({ world, env, namespace, watched, own, bare: bare.send, host });
  const admission = kubernetesAdmission({
    reviews: new Reviews({ transport: own, clock: world.clock }),
    clock: world.clock,
    log: world.log,
    kinds: () => shownKinds(readObjects(watched)),
    open: (viewer) => visitors.open(viewer),
    ...(options.reviewTtlMs === undefined ? {} : { reviewTtlMs: options.reviewTtlMs }),
  });
  const close = async () => {
    visitors.stop();
    await bare.close();
  };
  try {
    const server = await startSharedPage({
      world,
      admission,
      address,
      port,
      hosts,
      assets: pageAssets(),
      session: { program: BUILD.version, cluster: host, views: CLUSTER_VIEWS },
    });
    return {
      port: server.port,
      async close() {
        await server.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw startFailure(error, address, port);
  }
}

// ---------------------------------------------------------------------------------------------------

const RATE = { qps: 20, burst: 100 };

/** @throws {QuestionError} */
function readObjects(watched: () => WatchedObjects | undefined): WatchedObjects {
  const objects = watched();
  if (objects === undefined)
    throw new QuestionError(503, 'the controller is still reading the cluster', 'wait a moment');
  return objects;
}

/** The same server, trusted in the same way, as nobody: a request without a token of a person has no rights. */
function withoutIdentity({ credentials }: ClusterConnection): Parameters<typeof undiciTransport>[0] {
  const { server, insecure, serverName, proxyUrl } = credentials;
  return {
    server,
    ...(insecure === undefined ? {} : { insecure }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    async identify() {
      const ca = await credentials.trusted();
      return { headers: {}, ...(ca === undefined ? {} : { ca }) };
    },
  };
}

function startFailure(error: unknown, address: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new Failure(`--page-port: port ${port} is in use; choose another port`);
  if (code === 'EACCES')
    return new Failure(`--page-port: this user may not listen on port ${port}; choose a port above 1023`);
  if (code === 'EADDRNOTAVAIL')
    return new Failure(`--page-bind-address: this machine has no address ${address}`);
  return error;
}
