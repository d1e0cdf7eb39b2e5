/** Runs `chandler page`: reads the cluster of the kubeconfig, serves the page on loopback until it is stopped. */
import type { World } from '@chandler/kube';
import { escapeControls } from '../../causes/index.ts';
import {
  newToken,
  type OpenedPage,
  type PageServer,
  pageAssets,
  startPageServer,
} from '../../dashboard/index.ts';
import { BUILD } from '../../settings/index.ts';
import { activityLog } from '../playground/activity-log.ts';
import { startFailure } from '../playground/failures.ts';
import { type LiveOptions, throughCluster } from '../simulate/live.ts';
import { withProgress } from '../top/progress.ts';
import { untilAborted } from '../until-aborted.ts';
import { EXIT_OK, type Terminal } from '../verb.ts';
import { OpenPage } from './open-page.ts';
import { tokenIn } from './token-file.ts';
import { CLUSTER_VIEWS } from './views.table.ts';

export interface RunPageRequest {
  readonly live: LiveOptions;
  readonly terminal: Terminal;
  readonly port: number;
  readonly output: 'text' | 'json';
  readonly catalogue: string | undefined;
  /** Undefined: a new token every time. */
  readonly tokenFile: string | undefined;
}

/** @throws {Failure} when the cluster cannot be read or the port is in use. */
export async function runPage(request: RunPageRequest): Promise<number> {
  const { live, terminal } = request;
  const { signal } = live;
  try {
    return await throughCluster({ ...live, command: 'page' }, async (transport, source) => {
      const cluster = clusterName(source);
      const world = withLog(live.world, terminal);
      const page = new OpenPage({ transport, world, env: live.env, signal, catalogue: request.catalogue });
      const { objects } = page.objects;
      const { tokenFile } = request;
      const token = tokenFile === undefined ? newToken(world.random) : await tokenIn(tokenFile, world.random);
      try {
        let opening: Promise<OpenedPage> | undefined;
        const open = () => {
          opening ??= page.open();
          return opening;
        };
        const { port } = request;
        // First, because reading may take a minute, and a port that is in use can be told at once.
        const server = await startPageServer({
          open,
          world,
          assets: pageAssets(),
          session: { program: BUILD.version, cluster, views: CLUSTER_VIEWS },
          token,
          port,
        }).catch((error: unknown) => {
          throw startFailure(error, { port, host: '127.0.0.1' });
        });
        try {
          const { model } = await withProgress(
            request,
            world.clock,
            () => `reading the cluster: ${objects.podsRead} pods …`,
            open,
            () => objects.unanswered(),
            'page',
          );
          printReady(request, server, cluster, model.missing);
          await untilAborted(signal);
          return EXIT_OK;
        } finally {
          await server.close();
        }
      } finally {
        await page.stop();
      }
    });
  } catch (error) {
    // Ctrl-C ends requests, which fail in their own words.
    throw signal.aborted ? signal.reason : error;
  }
}

// ---------------------------------------------------------------------------------------------------

/** The name of the context; a service account of a pod has none. */
function clusterName(source: string): string {
  return /^context (.*) of /.exec(source)?.[1] ?? source;
}

/** The log of watches would be printed between lines: only errors are, each in one. */
function withLog(world: World, terminal: Terminal): World {
  const report = ({ text }: { readonly text: string }) =>
    terminal.err(`chandler page: ${escapeControls(text)}\n`);
  return { ...world, log: activityLog({ minLevel: 'error', clock: world.clock, report }) };
}

/** The address goes to standard output only: it holds the token. */
function printReady(
  { terminal, output }: RunPageRequest,
  { address, port }: PageServer,
  cluster: string,
  missing: readonly { readonly resource: string; readonly reason: string; readonly text: string }[],
): void {
  if (output === 'json') {
    terminal.out(`${JSON.stringify({ ready: true, address, port, cluster, missing })}\n`);
    return;
  }
  const notes = missing.map(({ text }) => `  ${escapeControls(text)}\n`).join('');
  terminal.out(
    `The page of ${escapeControls(cluster)}: ${address}\n` +
      'Anybody with this address can look, on this machine, until you stop it with Ctrl-C. Nothing can be changed there.\n' +
      (notes === '' ? '' : `\nNot shown:\n${notes}`),
  );
}
