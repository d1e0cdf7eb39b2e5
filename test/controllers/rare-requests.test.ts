/**
 * Requests that only a conflict, a restart or a setting of the cluster causes. The stage runs controllers under the roles of
 * deploy/rbac.yaml, and its end fails on a request that they do not allow.
 */
import { fetchTransport, KubeClient, PODS, type Transport } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { kubeReaders } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { lifecycle, provisioner } from '../../packages/chandler/src/controllers/index.ts';
import { recordingFetch } from '../e2e/role-use.ts';
import { conditionOf } from '../e2e/story.ts';
import { aFailure, bootstrapStage, withPod } from './bootstrap-outcome.fixture.ts';
import { NODE_CLASS, pod, readyPool, type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

test('a pool that another writer changed is read again before its health is written', async () => {
  const reads: string[] = [];
  let writes = 0;
  /** Another writer changes the pool just before its health is written. */
  const wire = (send: Transport): Transport => {
    return async (request) => {
      const { method, path, body } = request;
      if (method === 'GET' && path.endsWith('/nodepools/general')) reads.push(path);
      const health = Buffer.from(body ?? '').includes('NodeRegistrationHealthy","status":"True"');
      if (method === 'PATCH' && path.endsWith('/nodepools/general/status') && health && writes++ === 0)
        await stage.admin.patch(
          NODE_POOLS,
          { name: 'general' },
          { type: 'merge', patch: { metadata: { labels: { another: 'writer' } } } },
        );
      return send(request);
    };
  };
  stage = await setStage({ wire, controllers: [provisioner, lifecycle] });
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await readyPool(stage, 'general');
  await stage.apply(PODS, pod('a'));
  await stage.until('the pool is healthy', async () => {
    const found = await stage.get(NODE_POOLS, 'general');
    return conditionOf(found, 'NodeRegistrationHealthy')?.status === 'True';
  });
  expect(reads).toHaveLength(1);
});

test('a controller that starts after a bootstrap failure reads whether it was reported', async () => {
  const own = await bootstrapStage();
  stage = own.stage;
  own.bootstrap.says = () => ({ state: 'failed', failure: aFailure() });
  await withPod(own);
  await stage.until('a claim has failed', async () => (await own.failed()).length > 0);
  await stage.world.clock.advance(2_000);
  await own.restart();
  await stage.world.clock.advance(10_000);
  const failures = stage.world.lines.filter(({ fields }) => fields['reason'] === 'CSEFailed');
  const names = failures.map(({ fields }) => fields['nodeclaim']);
  expect(names).toEqual([...new Set(names)]);
});

test('whether nodes can have a local DNS cache is read from network policies and the DaemonSet of another', async () => {
  stage = await setStage();
  const client = new KubeClient({ transport: fetchTransport(recordingFetch(stage.playground.server)) });
  const readers = kubeReaders({ client, namespace: 'kube-system' });
  expect(await readers.hasNetworkPolicies('cilium')).toBe(false);
  expect(await readers.hasNetworkPolicies('calico')).toBe(false);
  expect(await readers.hasNodeLocalDns()).toBe(false);
});
