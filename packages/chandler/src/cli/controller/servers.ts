/** The HTTP servers of the process: metrics, and health probes. They listen on all interfaces, as upstream's do. */
import {
  type Check,
  type Clock,
  type HttpServer,
  healthRoutes,
  metricsRoutes,
  type PromMetrics,
  type Routes,
  serve,
} from '@chandler/kube';
import { Failure } from '../verb.ts';
import { profilingRoutes } from './profiling.ts';

export interface ServersOptions {
  readonly metricsPort: number;
  readonly healthProbePort: number;
  readonly profiling: boolean;
  readonly metrics: PromMetrics;
  readonly checks: { readonly live: Record<string, Check>; readonly ready: Record<string, Check> };
  readonly clock: Clock;
}

export interface Servers {
  readonly metricsPort: number;
  readonly healthProbePort: number;
  close(): Promise<void>;
}

/** @throws {Failure} that names the option when a port cannot be opened. */
export async function openServers(options: ServersOptions): Promise<Servers> {
  const { metrics, checks, profiling, clock } = options;
  const routes: Routes = { ...metricsRoutes(metrics), ...(profiling ? profilingRoutes(clock) : {}) };
  const metricsServer = await open('--metrics-port', options.metricsPort, routes);
  try {
    const probes = await open('--health-probe-port', options.healthProbePort, healthRoutes(checks));
    return {
      metricsPort: metricsServer.port,
      healthProbePort: probes.port,
      async close() {
        await Promise.all([metricsServer.close(), probes.close()]);
      },
    };
  } catch (error) {
    await metricsServer.close();
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

async function open(flag: string, port: number, routes: Routes): Promise<HttpServer> {
  try {
    return await serve({ routes, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new Failure(`${flag}: port ${port} is in use; choose another port`);
    if (code === 'EACCES')
      throw new Failure(`${flag}: this user may not listen on port ${port}; choose a port above 1023`);
    throw error;
  }
}
