import { describe, expect, test } from 'vitest';
import { KubeClient } from '../client/client.ts';
import { CONFIG_MAPS } from '../client/resources.table.ts';
import { fetchTransport, type Transport, TransportError } from '../client/transport.ts';
import type { Lease } from '../kinds/index.ts';
import { failure, TinyServer } from '../testing/tiny-server.ts';
import { settle, type VirtualWorld, virtualWorld } from '../testing/virtual-world.ts';
import { Fence, withFence } from './fence.ts';
import { LeaderElection, type LeaderElectionOptions } from './leader-election.ts';

const LEASE_PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/example-lease';

interface Replica {
  election: LeaderElection;
  fence: Fence;
  client: KubeClient;
  events: string[];
  /** Cut off from the server: no request arrives. */
  partitioned: boolean;
}

function aReplica(
  name: string,
  server: TinyServer,
  world: VirtualWorld,
  options: Partial<LeaderElectionOptions> & { wire?: (send: Transport) => Transport } = {},
): Replica {
  const fence = new Fence(world.clock);
  const events: string[] = [];
  const direct = fetchTransport(server.fetch);
  const replica: Replica = {
    fence,
    events,
    partitioned: false,
    election: undefined as unknown as LeaderElection,
    client: undefined as unknown as KubeClient,
  };
  const wire: Transport = (request) =>
    replica.partitioned ? Promise.reject(new TransportError('unreachable', 'cut off')) : direct(request);
  replica.client = new KubeClient({
    transport: withFence(options.wire?.(wire) ?? wire, fence),
    conditionalWritesOnly: true,
  });
  replica.election = new LeaderElection({
    client: new KubeClient({ transport: wire }),
    fence,
    world,
    namespace: 'kube-system',
    name: 'example-lease',
    identity: name,
    onStartedLeading: () => events.push('started'),
    onStoppedLeading: () => events.push('stopped'),
    ...options,
  });
  return replica;
}

async function aLeader() {
  const server = new TinyServer();
  const world = virtualWorld();
  const one = aReplica('one', server, world);
  const running = one.election.run();
  await settle();
  return { server, world, one, running };
}

describe('leader election', () => {
  test('has one leader, which holds and renews the lease that Karpenter uses', async () => {
    const server = new TinyServer();
    const world = virtualWorld();
    const [one, two] = [aReplica('one', server, world), aReplica('two', server, world)];
    void one.election.run();
    await settle();
    void two.election.run();
    await world.clock.advance(60_000);
    expect([one.election.isLeading, two.election.isLeading]).toEqual([true, false]);
    expect(two.election.holder).toBe('one');
    const lease = server.get(LEASE_PATH) as Lease;
    expect(lease.spec).toMatchObject({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
    });
    expect(lease.spec?.acquireTime).toBe('2026-01-01T00:00:00.000000Z');
    expect(Date.parse(lease.spec?.renewTime ?? '')).toBeGreaterThan(world.clock.now() - 2100);
    expect(world.values.get('leader_election_master_status{name="example-lease"}')).toBe(1);
    await one.election.stop();
    await two.election.stop();
  });

  test('has a new leader at once when the leader stops', async () => {
    const { server, world, one } = await aLeader();
    const two = aReplica('two', server, world);
    void two.election.run();
    await world.clock.advance(5000);
    await one.election.stop();
    expect(one.events).toEqual(['started', 'stopped']);
    expect((server.get(LEASE_PATH) as Lease).spec).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
    });
    await world.clock.advance(5000);
    expect(two.election.isLeading).toBe(true);
    expect((server.get(LEASE_PATH) as Lease).spec?.leaseTransitions).toBe(1);
    await two.election.stop();
  });

  test('never has two leaders, with any wall clocks: a disconnected leader stops before another starts', async () => {
    const { server, world, one, running } = await aLeader();
    const two = aReplica('two', server, world);
    void two.election.run();
    await world.clock.advance(10_000);
    one.partitioned = true;
    let both = 0;
    let stoppedAt = 0;
    let takenAt = 0;
    for (let tick = 0; tick < 400; tick++) {
      await world.clock.advance(100);
      if (one.fence.isOpen && two.fence.isOpen) both += 1;
      if (!one.fence.isOpen) stoppedAt ||= world.clock.monotonic();
      if (two.fence.isOpen) takenAt ||= world.clock.monotonic();
    }
    expect(both).toBe(0);
    expect(stoppedAt).toBeGreaterThan(0);
    expect(takenAt).toBeGreaterThan(stoppedAt);
    await running;
    expect(one.events).toEqual(['started', 'stopped']);
    expect(two.election.isLeading).toBe(true);
    await two.election.stop();
  });

  test('stops as soon as the lease names another holder', async () => {
    const { server, world, one, running } = await aLeader();
    const lease = server.get(LEASE_PATH) as Lease;
    server.put(LEASE_PATH, { ...lease, spec: { ...lease.spec, holderIdentity: 'thief' } });
    await world.clock.advance(2000);
    await running;
    expect(one.fence.isOpen).toBe(false);
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('thief');
    expect(world.values.get('leader_election_slowpath_total{name="example-lease"}')).toBe(1);
  });

  test('renews again after an answer was lost or the lease was deleted', async () => {
    const { server, world, one } = await aLeader();
    const lease = server.get(LEASE_PATH) as Lease;
    server.put(LEASE_PATH, lease);
    await world.clock.advance(2000);
    server.remove(LEASE_PATH);
    await world.clock.advance(30_000);
    expect(one.election.isLeading).toBe(true);
    await one.election.stop();
  });

  test('does not release the lease while one of its writes may still arrive', async () => {
    const server = new TinyServer();
    const world = virtualWorld();
    const stuck: (() => void)[] = [];
    const one = aReplica('one', server, world, {
      wire: (send) => async (request) => {
        await new Promise<void>((resolve) => stuck.push(resolve));
        return send(request);
      },
    });
    void one.election.run();
    await settle();
    const writing = one.client.create(CONFIG_MAPS, { metadata: { name: 'x', namespace: 'a' } });
    const stopping = one.election.stop();
    await world.clock.advance(5000);
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('one');
    for (const release of stuck) release();
    await writing.catch(() => undefined);
    await stopping;
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('');
  });

  test('lets the lease expire when such a write never ends, or the server is unavailable', async () => {
    const server = new TinyServer();
    const world = virtualWorld();
    const one = aReplica('one', server, world, { wire: () => () => new Promise(() => undefined) });
    void one.election.run();
    await settle();
    void one.client.create(CONFIG_MAPS, { metadata: { name: 'x', namespace: 'a' } });
    const stopping = one.election.stop();
    await world.clock.advance(20_000);
    await stopping;
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('one');
    const two = aReplica('one', server, world);
    void two.election.run();
    await settle();
    two.partitioned = true;
    await two.election.stop();
  });

  test('rejects durations that cannot work together', () => {
    expect(() => aReplica('x', new TinyServer(), virtualWorld(), { renewDeadlineMs: 20_000 })).toThrow(
      'lease duration >',
    );
  });
});

describe('two replicas with a pause forced between check and send', () => {
  test('have the effect of one', async () => {
    const server = new TinyServer();
    const world = virtualWorld();
    let pauseNext = false;
    const paused: (() => void)[] = [];
    // Simulates a process that is paused after the last check and before the bytes are sent.
    const one = aReplica('one', server, world, {
      wire: (send) => async (request) => {
        if (pauseNext) await new Promise<void>((resolve) => paused.push(resolve));
        const { lastCheck: _, ...unchecked } = request;
        return send(unchecked);
      },
    });
    const two = aReplica('two', server, world);
    void one.election.run();
    await settle();
    void two.election.run();
    const key = { namespace: 'a', name: 'counter' };
    const path = '/api/v1/namespaces/a/configmaps/counter';
    const first = await one.client.create(CONFIG_MAPS, { metadata: key, data: { count: '0' } });
    const doomed = await one.client.create(CONFIG_MAPS, { metadata: { namespace: 'a', name: 'doomed' } });

    // The old leader decides, passes the check, and is stopped.
    pauseNext = true;
    const late = [
      one.client.update(CONFIG_MAPS, { ...first, data: { count: '1 (by one)' } }),
      one.client.delete(
        CONFIG_MAPS,
        { namespace: 'a', name: 'doomed' },
        { preconditions: { uid: doomed.metadata.uid } },
      ),
      one.client.create(CONFIG_MAPS, { metadata: { namespace: 'a', name: 'made' }, data: { by: 'one' } }),
    ].map((write) => write.catch((error: { kind: string }) => error.kind));
    one.partitioned = true;
    await world.clock.advance(60_000);

    // The new leader acts on the same objects.
    expect(two.election.isLeading).toBe(true);
    const seen = await two.client.get(CONFIG_MAPS, key);
    await two.client.update(CONFIG_MAPS, { ...seen, data: { count: '1 (by two)' } });
    await two.client.delete(
      CONFIG_MAPS,
      { namespace: 'a', name: 'doomed' },
      { preconditions: { uid: doomed.metadata.uid } },
    );
    await two.client.create(CONFIG_MAPS, {
      metadata: { namespace: 'a', name: 'doomed' },
      data: { by: 'two' },
    });
    await two.client.create(CONFIG_MAPS, { metadata: { namespace: 'a', name: 'made' }, data: { by: 'two' } });

    // The old leader wakes up; its requests arrive now.
    one.partitioned = false;
    for (const resume of paused) resume();
    expect(await Promise.all(late)).toEqual(['conflict', 'conflict', 'alreadyExists']);
    expect(server.get(path)?.['data']).toEqual({ count: '1 (by two)' });
    expect(server.get('/api/v1/namespaces/a/configmaps/doomed')?.['data']).toEqual({ by: 'two' });
    expect(server.get('/api/v1/namespaces/a/configmaps/made')?.['data']).toEqual({ by: 'two' });
    // And it starts nothing new.
    await expect(
      one.client.create(CONFIG_MAPS, { metadata: { namespace: 'a', name: 'n' } }),
    ).rejects.toMatchObject({
      kind: 'fenced',
    });
    await two.election.stop();
  });
});

const unanswered = (request: Request) =>
  new Promise<never>((_, reject) => {
    request.signal.addEventListener('abort', () => reject(request.signal.reason));
  });

describe('a leader whose requests fail or hang', () => {
  test('releases the lease on stop also while a renewal is in flight', async () => {
    const { server, world, one } = await aLeader();
    // The renewal arrives, its answer does not, and then the process is stopped.
    server.intercept = (request) => {
      if (request.method !== 'PUT') return undefined;
      server.intercept = undefined;
      const lease = server.get(LEASE_PATH) as Lease;
      server.put(LEASE_PATH, lease);
      return unanswered(request);
    };
    await world.clock.advance(2000);
    await one.election.stop();
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('');
  });

  test('that is stopped while it acquires the lease never starts, and releases the lease', async () => {
    const server = new TinyServer();
    const world = virtualWorld();
    let answer = () => {};
    const late: Transport = async ({ signal: _, ...request }) => {
      const response = await fetchTransport(server.fetch)(request);
      if (request.method === 'POST') await new Promise<void>((resolve) => (answer = resolve));
      return response;
    };
    const one = aReplica('one', server, world, { client: new KubeClient({ transport: late }) });
    void one.election.run();
    await settle();
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('one');
    const stopping = one.election.stop();
    answer();
    await stopping;
    expect(one.events).toEqual([]);
    expect(one.election.isLeading).toBe(false);
    expect(one.fence.isOpen).toBe(false);
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('');
    expect(world.lines.map(({ message }) => message)).not.toContain('became leader');
  });

  test('waits for its last write up to the limit before it leaves the lease to expire', async () => {
    const server = new TinyServer();
    const world = virtualWorld();
    const one = aReplica('one', server, world, {
      wire: () => () => new Promise(() => undefined),
      releaseLimitMs: 5_000,
    });
    void one.election.run();
    await settle();
    void one.client.create(CONFIG_MAPS, { metadata: { name: 'x', namespace: 'a' } });
    let stopped = false;
    void one.election.stop().then(() => (stopped = true));
    await world.clock.advance(4_900);
    expect(stopped).toBe(false);
    await world.clock.advance(200);
    expect(stopped).toBe(true);
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('one');
  });

  test('does not overwrite a lease that another replica acquired while it was stopping', async () => {
    const { server, one } = await aLeader();
    const lease = server.get(LEASE_PATH) as Lease;
    server.put(LEASE_PATH, { ...lease, spec: { ...lease.spec, holderIdentity: 'two' } });
    await one.election.stop();
    expect((server.get(LEASE_PATH) as Lease).spec?.holderIdentity).toBe('two');
  });

  test('steps down at its deadline while the last renewal hangs', async () => {
    const { server, world, one } = await aLeader();
    server.intercept = unanswered;
    await world.clock.advance(10_100);
    expect(one.events).toEqual(['started', 'stopped']);
    await one.election.stop();
  });

  test('logs once, as a warning, why no replica leads', async () => {
    const server = new TinyServer();
    const world = virtualWorld();
    const one = aReplica('one', server, world);
    server.intercept = () => failure(403, 'Forbidden', 'leases is forbidden');
    void one.election.run();
    await world.clock.advance(60_000);
    const warned = world.lines.filter(({ level }) => level === 'warn');
    expect(warned.map(({ fields }) => String(fields['error']))).toEqual([
      expect.stringContaining('leases is forbidden'),
    ]);
    await one.election.stop();
  });
});
