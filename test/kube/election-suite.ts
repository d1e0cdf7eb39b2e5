/** Two replicas, one lease, a real server: one leads, and when it is disconnected it stops before the other starts. */
import {
  type ClosableTransport,
  CONFIG_MAPS,
  Fence,
  KubeClient,
  LEASES,
  LeaderElection,
  withFence,
} from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeSuiteOptions } from './kube-suite.ts';
import { ensureNamespace } from './kube-suite.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface ElectionSuiteOptions extends KubeSuiteOptions {
  /** Where the server listens on 127.0.0.1. */
  readonly port: number;
}

export function electionSuite({ connect, namespace, port }: ElectionSuiteOptions): void {
  const cleanups: (() => Promise<unknown>)[] = [];
  const wire = connect();
  const client = new KubeClient({ transport: wire.send });

  beforeAll(() => ensureNamespace(client, namespace));
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
    await client.deleteCollection(LEASES, { namespace });
    await client.deleteCollection(CONFIG_MAPS, { namespace });
    await wire.close();
  });

  const replica = async (identity: string) => {
    const proxy: TcpProxy = await startTcpProxy(port);
    const own: ClosableTransport = connect(proxy.port);
    const world = realTimeWorld(identity.length);
    const fence = new Fence(world.clock);
    const election = new LeaderElection({
      client: new KubeClient({ transport: own.send }),
      fence,
      world,
      namespace,
      name: 'suite-election',
      identity,
      leaseDurationMs: 3000,
      renewDeadlineMs: 2000,
      retryPeriodMs: 300,
    });
    cleanups.push(
      () => proxy.close(),
      () => own.close(),
      () => election.stop(),
    );
    const acting = new KubeClient({ transport: withFence(own.send, fence), conditionalWritesOnly: true });
    return { proxy, fence, election, acting };
  };

  describe('leader election', () => {
    test('has one leader at a time; a disconnected leader stops in time, a stopping one releases the lease', async () => {
      const one = await replica('one');
      const two = await replica('second');
      void one.election.run();
      await expect.poll(() => one.election.isLeading, { timeout: 10_000 }).toBe(true);
      void two.election.run();
      const counter = { namespace, name: 'counter' };
      await one.acting.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: counter,
        data: { by: 'one' },
      });
      expect(two.election.isLeading).toBe(false);

      one.proxy.stall();
      let both = false;
      await expect
        .poll(
          () => {
            both ||= one.fence.isOpen && two.fence.isOpen;
            return two.election.isLeading;
          },
          { timeout: 20_000, interval: 5 },
        )
        .toBe(true);
      expect(both).toBe(false);
      expect(one.fence.isOpen).toBe(false);

      const seen = await two.acting.get(CONFIG_MAPS, counter);
      await two.acting.update(CONFIG_MAPS, { ...seen, data: { by: 'two' } });
      one.proxy.resume();
      await expect(
        one.acting.update(CONFIG_MAPS, { ...seen, data: { by: 'one, late' } }),
      ).rejects.toMatchObject({ kind: 'fenced' });
      expect((await client.get(CONFIG_MAPS, counter))['data']).toEqual({ by: 'two' });

      const three = await replica('third-one');
      void three.election.run();
      await two.election.stop();
      await expect.poll(() => three.election.isLeading, { timeout: 2000, interval: 20 }).toBe(true);
    });
  });
}
