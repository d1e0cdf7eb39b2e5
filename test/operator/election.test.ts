import { ADMIN } from '@chandler/apiserver';
import { fetchTransport, LEASES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { Operator } from '../../packages/chandler/src/operator/index.ts';

import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type Mortal, mortal } from './mortal.ts';
import { NAMESPACE, type OperatorStage, operatorStage } from './operator-stage.ts';

let stage: OperatorStage;
afterEach(() => stage.end());

interface Replica extends Mortal {
  readonly name: string;
  readonly operator: Operator;
  /** Writes that reached the server, leases apart. */
  readonly writes: string[];
}

function replica(name: string, args: readonly string[] = []): Replica {
  const writes: string[] = [];
  const wire = fetchTransport(stage.playground.server.fetchAs(ADMIN));
  const process = mortal(stage.world, (request) => {
    if (request.method !== 'GET' && !request.path.includes('/leases'))
      writes.push(`${request.method} ${request.path}`);
    return wire(request);
  });
  const operator = stage.operator({
    world: process.world,
    kube: { transport: process.transport, host: name },
    identity: name,
    args,
  });
  const kill = () => {
    process.kill();
    stage.forget(operator);
  };
  return { ...process, kill, name, operator, writes };
}

async function aCluster(): Promise<void> {
  stage = await operatorStage();
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  const status = {
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };
  const patch = { type: 'merge' as const, patch: { status } };
  await stage.inTime(stage.admin.patchStatus(AKS_NODE_CLASSES, { name: 'default' }, patch));
  await stage.apply(NODE_POOLS, pool('default'));
}

async function isRunning(name: string): Promise<boolean> {
  const found = (await stage.list(PODS)).find(({ metadata }) => metadata.name === name);
  return (found?.['status'] as { phase?: string } | undefined)?.phase === 'Running';
}

describe('two replicas', () => {
  test('only one of them acts, and the other takes over when it is killed', async () => {
    await aCluster();
    const [one, two] = [replica('one'), replica('two')];
    await stage.inTime(one.operator.start());
    await stage.until('one leads', () => one.operator.isLeading);
    await stage.inTime(two.operator.start());
    await stage.apply(PODS, pod('a'));
    await stage.until('the pod runs', () => isRunning('a'));
    expect(await stage.leaseHolder()).toBe('one');
    expect(two.operator).toMatchObject({ isLeading: false, ready: true });
    expect(two.writes).toEqual([]);
    expect(one.writes.length).toBeGreaterThan(0);

    one.kill();
    const before = one.writes.length;
    await stage.apply(PODS, pod('b', { nodeSelector: { 'topology.kubernetes.io/zone': 'eastus-3' } }));
    await stage.until('the other one leads', () => two.operator.isLeading, 30_000);
    await stage.until('the second pod runs', () => isRunning('b'));
    expect(one.writes.length).toBe(before);
    for (const launches of stage.cloud.launches.values()) expect(launches).toBe(1);
  });

  test('a rolling update hands over at once, under the lease name that Karpenter uses', async () => {
    await aCluster();
    const old = replica('old');
    await stage.inTime(old.operator.start());
    await stage.until('it leads', () => old.operator.isLeading);
    const fresh = replica('fresh');
    await stage.inTime(fresh.operator.start());
    const startMs = stage.world.clock.monotonic();
    await stage.inTime(old.operator.stop());
    expect(await old.operator.ended).toBe('stopped');
    await stage.until('the new one leads', () => fresh.operator.isLeading, 6_000);
    // Without handing over it would take the whole of the lease, 15 s.
    expect(stage.world.clock.monotonic() - startMs).toBeLessThan(8_000);
    expect(await stage.leaseHolder()).toBe('fresh');
    const [lease] = (await stage.list(LEASES)).filter(
      ({ metadata }) => metadata.name === 'karpenter-leader-election',
    );
    expect(lease?.metadata.namespace).toBe(NAMESPACE);
  });

  test('never act at the same time: a frozen leader wakes up, writes nothing and ends', async () => {
    await aCluster();
    const [one, two] = [replica('one'), replica('two')];
    await stage.inTime(one.operator.start());
    await stage.until('one leads', () => one.operator.isLeading);
    await stage.inTime(two.operator.start());
    one.pause(60_000);
    const before = one.writes.length;
    await stage.until('the other one leads', () => two.operator.isLeading, 40_000);
    await stage.apply(PODS, pod('a'));
    await stage.until('the pod runs', () => isRunning('a'));
    let end: string | undefined;
    void one.operator.ended.then((how) => {
      end = how;
    });
    await stage.until('the frozen one has ended', () => end === 'lostLease', 120_000);
    expect(one.writes.slice(before)).toEqual([]);
    expect(one.operator.isLeading).toBe(false);
    expect(await stage.list(NODE_CLAIMS)).toHaveLength(1);
  });

  test('wait while Karpenter holds the lease', async () => {
    await aCluster();
    const micro = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z');
    const lease = (renewMs: number) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'karpenter-leader-election', namespace: NAMESPACE },
      spec: {
        holderIdentity: 'karpenter-0_x',
        leaseDurationSeconds: 15,
        renewTime: micro(renewMs),
        acquireTime: micro(renewMs),
        leaseTransitions: 0,
      },
    });
    await stage.apply(LEASES, lease(stage.world.clock.now()));
    const ours = replica('ours');
    await stage.inTime(ours.operator.start());
    for (let round = 0; round < 20; round++) {
      await stage.world.clock.advance(5_000);
      const patch = {
        type: 'merge' as const,
        patch: { spec: { renewTime: micro(stage.world.clock.now()) } },
      };
      await stage.inTime(
        stage.admin.patch(LEASES, { namespace: NAMESPACE, name: 'karpenter-leader-election' }, patch),
      );
    }
    expect(ours.operator).toMatchObject({ isLeading: false, ready: true });
    expect(ours.writes).toEqual([]);
    await stage.until('Karpenter is gone and we lead', () => ours.operator.isLeading, 30_000);
  });

  test('without leader election the only replica acts at once and takes no lease', async () => {
    await aCluster();
    const only = replica('only', ['--disable-leader-election=true']);
    await stage.inTime(only.operator.start());
    await stage.apply(PODS, pod('a'));
    await stage.until('the pod runs', () => isRunning('a'));
    expect(await stage.leaseHolder()).toBeUndefined();
  });
});

test('a stop in the middle of launches loses nothing: the next leader continues', async () => {
  await aCluster();
  stage.cloud.bootMs = 60_000;
  const one = replica('one');
  await stage.inTime(one.operator.start());
  await stage.until('it leads', () => one.operator.isLeading);
  await stage.apply(PODS, pod('a'));
  await stage.until('a machine is on its way', () => stage.cloud.machines.size === 1);
  await stage.inTime(one.operator.stop());
  const two = replica('two');
  await stage.inTime(two.operator.start());
  await stage.until('the pod runs', () => isRunning('a'), 180_000);
  expect([...stage.cloud.launches.values()]).toEqual([1]);
  expect(await stage.list(NODE_CLAIMS)).toHaveLength(1);
});
