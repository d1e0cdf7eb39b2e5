/** The page of a cluster of an in-process API server, for tests: its model, its answers, and its server over HTTP. */
import type { Transport } from '@chandler/kube';
import { type RealTimeWorld, realTimeWorld } from '@chandler/kube/testing';
import { type OpenedPage, type PageServer, startPageServer } from '../../dashboard/index.ts';
import { NEVER, type TestCluster, withClusterOf } from '../top/top.fixture.ts';
import { OpenPage } from './open-page.ts';
import { CLUSTER_VIEWS } from './views.table.ts';

export interface TestPage extends OpenedPage {
  readonly server: PageServer;
  /** The JSON of a path, with its status. */
  ask(path: string, body?: string): Promise<{ readonly status: number; readonly json: unknown }>;
}

export interface PageCluster extends TestCluster<RealTimeWorld> {
  /** The page for who has this transport. */
  open(transport: Transport): Promise<TestPage>;
}

export async function withPageCluster(use: (cluster: PageCluster) => Promise<void>): Promise<void> {
  const closing: (() => Promise<void>)[] = [];
  const world = realTimeWorld();
  await withClusterOf(world, async (cluster) => {
    try {
      const open = async (transport: Transport): Promise<TestPage> => {
        const page = new OpenPage({ transport, world, env: {}, signal: NEVER, catalogue: undefined });
        closing.push(() => page.stop());
        const opened = await page.open();
        const server = await startPageServer({
          open: async () => opened,
          world,
          assets: async () => new Map(),
          session: { program: '1.0.0', cluster: 'test', views: CLUSTER_VIEWS },
          token: 'token',
          port: 0,
        });
        closing.unshift(() => server.close());
        const ask = async (path: string, body?: string) => {
          const response = await fetch(`${server.url}api/v1/${path}`, {
            headers: { authorization: 'Bearer token' },
            ...(body === undefined ? {} : { method: 'POST', body }),
          });
          return { status: response.status, json: (await response.json()) as unknown };
        };
        return { ...opened, server, ask };
      };
      await use({ ...cluster, open });
    } finally {
      for (const close of closing) await close();
    }
  });
}

/** Waits until it holds, without an end: the test has one. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
