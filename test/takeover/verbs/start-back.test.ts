/** The verbs over HTTPS. The test plays the pods of both Deployments. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DEPLOYMENTS, type Deployment, type KubeClient, LEASES, PODS, type Stored } from '@chandler/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPod, type CleanCluster, cleanCluster } from './clean-cluster.ts';
import { CHANDLER, KARPENTER, LEASE, NAMESPACE } from './two-controllers.ts';

let cluster: CleanCluster;
let playing: Promise<void>;
const stop = new AbortController();

beforeAll(async () => {
  cluster = await cleanCluster();
  playing = play(cluster.admin);
});
afterAll(async () => {
  stop.abort();
  await playing;
  await cluster.stop();
});

test('start takes over, plan says so, back hands back, and a second back has nothing to do', async () => {
  const started = await cluster.takeover('start', '--yes', '--verify-for', '0s');
  expect(started.err).toContain(
    'takeover: waiting until Lease kube-system/karpenter-leader-election is free\n',
  );
  expect([started.code, started.out]).toEqual([
    0,
    'Chandler has taken over. To hand back: chandler takeover back\n',
  ]);
  const planned = await cluster.takeover('plan');
  expect(planned.code).toBe(0);
  expect(planned.out).toContain('Lease      kube-system/karpenter-leader-election, held by chandler_1');
  expect(planned.out).toContain('Chandler has taken over. To hand back: chandler takeover back');
  const back = await cluster.takeover('back', '--yes', '-o', 'json');
  expect(back.code).toBe(0);
  expect(JSON.parse(back.out)).toMatchObject({ outcome: 'handedBack' });
  const again = await cluster.takeover('back', '--yes');
  expect([again.code, again.out]).toEqual([0, 'Karpenter leads; there was nothing to hand back.\n']);
}, 60_000);

// ---------------------------------------------------------------------------------------------------

async function play(admin: KubeClient): Promise<void> {
  for (let round = 0; !stop.signal.aborted; round++) {
    const karpenter = await admin.get(DEPLOYMENTS, KARPENTER);
    const chandler = await admin.get(DEPLOYMENTS, CHANDLER);
    await withPod(admin, karpenter);
    await withPod(admin, chandler);
    const leads = {
      karpenter: karpenter.spec.replicas !== 0,
      chandler:
        chandler.spec.replicas !== 0 &&
        !chandler.spec.template.spec.containers[0]!.args!.includes('--observe'),
    };
    const before = (await admin.get(LEASES, LEASE)).spec?.holderIdentity ?? '';
    const keeps = before.startsWith('chandler_') ? leads.chandler : leads.karpenter && before !== '';
    const next = leads.karpenter ? 'karpenter-1_0f1e' : leads.chandler ? 'chandler_1' : '';
    const holderIdentity = keeps ? before : before === '' ? next : '';
    // Every renewal changes the lease.
    const patch = { spec: { holderIdentity, leaseTransitions: round } };
    await admin.patch(LEASES, LEASE, { type: 'merge', patch });
    await sleep(100);
  }
}

async function withPod(admin: KubeClient, deployment: Stored<Deployment>): Promise<void> {
  const name = `${deployment.metadata.name}-1`;
  const there = await admin.find(PODS, { namespace: NAMESPACE, name });
  if (deployment.spec.replicas === 0 && there !== undefined)
    await admin.delete(PODS, { namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 });
  else if (deployment.spec.replicas !== 0 && there === undefined) await addPod(admin, deployment, name);
}
