import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { type AKSNodeClassSpec, aksNodeClassHash } from '../../packages/chandler/src/api/index.ts';
import type { ClusterFacts } from '../../packages/chandler/src/cloud/azure/index.ts';
import { hardcoded } from '../../packages/chandler/src/settings/index.ts';
import { aClaim, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** After the first step: the VM is planned, its NIC is being made, and nothing was asked of the VM yet. */
async function plannedLaunch(spec: AKSNodeClassSpec = {}) {
  const cluster: { now: Partial<ClusterFacts> } = { now: {} };
  open = await vmCloud({ cluster: () => cluster.now });
  const claim = aClaim('a');
  const nodeClass = open.nodeClass(spec);
  const step = await open.cloud.create({ claim, nodeClass }, neverAborted());
  expect(step.state).toBe('waiting');
  expect(open.server.resources.vms()).toEqual([]);
  return { fixture: open, claim, nodeClass, cluster };
}

function edited(nodeClass: ReturnType<VmCloud['nodeClass']>, spec: AKSNodeClassSpec, generation = 2) {
  const conditions = (nodeClass.status?.conditions ?? []).map((each) => ({
    ...each,
    observedGeneration: generation,
  }));
  return {
    ...nodeClass,
    metadata: { ...nodeClass.metadata, generation },
    spec,
    status: { ...nodeClass.status, conditions },
  } as typeof nodeClass;
}

function osDiskGB({ server }: VmCloud): unknown {
  const storage = server.resources.vms()[0]!.properties['storageProfile'] as {
    osDisk: { diskSizeGB: number };
  };
  return storage.osDisk.diskSizeGB;
}

describe('a VM that waits between its plan and its request', () => {
  test('is planned again when its class is edited', async () => {
    const { fixture, claim, nodeClass } = await plannedLaunch({ osDiskSizeGB: 128 });
    const now = edited(nodeClass, { osDiskSizeGB: 256 });
    const { last } = await settleMachine(fixture, fixture.cloud, claim, now);
    expect(osDiskGB(fixture)).toBe(256);
    expect(last.instance.annotations['karpenter.azure.com/aksnodeclass-hash']).toBe(aksNodeClassHash(now));
  });

  test('is planned again when its class was deleted and created anew', async () => {
    const { fixture, claim, nodeClass } = await plannedLaunch({ osDiskSizeGB: 128 });
    const other = edited(nodeClass, { osDiskSizeGB: 256 }, 1);
    const now = { ...other, metadata: { ...other.metadata, uid: 'another' } };
    await settleMachine(fixture, fixture.cloud, claim, now);
    expect(osDiskGB(fixture)).toBe(256);
  });

  test('has the values of the cluster on record that are in its custom data, not later ones', async () => {
    const { fixture, claim, nodeClass, cluster } = await plannedLaunch();
    cluster.now = { dnsServiceIP: hardcoded('10.9.9.9') };
    const { last } = await settleMachine(fixture, fixture.cloud, claim, nodeClass);
    expect(last.instance.annotations['chandler.sh/dns-service-ip']).toBe('10.0.0.10');
  });

  test('has the class on record that it was made with, also when the class is edited while Azure makes it', async () => {
    const { fixture, claim, nodeClass } = await plannedLaunch({ osDiskSizeGB: 128 });
    await fixture.clock.advance(2_000);
    const step = await fixture.cloud.create({ claim, nodeClass }, neverAborted());
    expect(step.state).toBe('launched');
    const now = edited(nodeClass, { osDiskSizeGB: 256, maxPods: 20 });
    const { last } = await settleMachine(fixture, fixture.cloud, claim, now);
    expect(osDiskGB(fixture)).toBe(128);
    expect(last.instance.annotations['karpenter.azure.com/aksnodeclass-hash']).toBe(
      aksNodeClassHash(nodeClass),
    );
    expect(last.instance.capacity['pods']).not.toBe('20');
  });
});

describe('the Kubernetes version on record', () => {
  test('is that of the custom data: the class may follow the API server later', async () => {
    const cluster = { kubernetesVersion: hardcoded('1.34.0') };
    open = await vmCloud({ cluster: () => cluster });
    const { last } = await settleMachine(open, open.cloud, aClaim('a'), open.nodeClass());
    expect(last.instance.annotations['chandler.sh/kubernetes-version']).toBe('1.33.2');
  });

  test('of a VM that an earlier process requested is left to its kubelet', async () => {
    const { fixture, claim, nodeClass } = await plannedLaunch();
    await fixture.clock.advance(2_000);
    await fixture.cloud.create({ claim, nodeClass }, neverAborted());
    const { last } = await settleMachine(fixture, fixture.startProcess().cloud, claim, nodeClass);
    expect(last.instance.annotations).toHaveProperty(['chandler.sh/cluster-id']);
    expect(last.instance.annotations).not.toHaveProperty(['chandler.sh/kubernetes-version']);
  });
});
