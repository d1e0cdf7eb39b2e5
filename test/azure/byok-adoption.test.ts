import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { ClusterDetector } from '../../packages/chandler/src/cloud/azure/index.ts';

import type { ByokAzureOptions } from './byok.fixture.ts';
import { aClaim, type ByokCloud, byokCloud } from './byok-cloud.fixture.ts';

const SET =
  '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/playground/providers/Microsoft.Compute/diskEncryptionSets/des-playground';
const OTHER = SET.replace('des-playground', 'des-other');
const RECORD = 'chandler.sh/disk-encryption-set';
const BY_CLUSTER = { cluster: { diskEncryptionSetID: SET } };

let open: ByokCloud | undefined;

async function byok(options: ByokAzureOptions): Promise<ByokCloud> {
  open = await byokCloud(options);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** Launched, and stored as the API server would hold it; without annotations it is another controller's. */
async function launched(fixture: ByokCloud, records: 'ours' | 'none'): Promise<Stored<NodeClaim>> {
  const { instance } = await fixture.launch(aClaim('a'), await fixture.classNow());
  const claim = aClaim('a', records === 'ours' ? { ...instance.annotations } : {});
  claim.status = { imageID: instance.imageID!, providerID: instance.providerID };
  return claim;
}

/** A detector that was started a moment ago and gets this answer, or none, about the managed cluster. */
function newborn({ world, values }: ByokCloud, managedCluster: () => Promise<undefined>): ClusterDetector {
  const no = () => Promise.reject(new Error('not asked here'));
  return new ClusterDetector({
    world,
    options: () => values,
    readers: {
      serverVersion: async () => 'v1.34.2',
      managedCluster,
      listNetworkSecurityGroups: no,
      listNodeResourceNames: no,
      getVirtualNetwork: no,
      kubeDnsServiceIP: async () => '10.0.0.10',
      clientConfigCA: no,
      tlsCA: no,
    },
  });
}

describe('a cluster with an unreadable disk encryption set', () => {
  test.each([
    ['has not been asked yet', undefined],
    ['does not answer', () => Promise.reject(new Error('no route to host'))],
    [
      'may not be read any more',
      () => Promise.reject(Object.assign(new Error('AuthorizationFailed'), { status: 403 })),
    ],
  ])('%s: no node drifts for it', async (_, answer) => {
    const fixture = await byok(BY_CLUSTER);
    const claim = await launched(fixture, 'ours');
    expect(claim.metadata.annotations?.[RECORD]).toBe(SET);
    const nodeClass = await fixture.classNow();
    const detector = newborn(fixture, answer ?? (() => Promise.resolve(undefined)));
    if (answer !== undefined) await detector.refresh();
    const cloud = fixture.cloudWith(detector);
    expect(await cloud.drift({ claim, nodeClass }, neverAborted())).toBeUndefined();
    // What is named nearer is known all the same.
    const own = { ...nodeClass, spec: { osDiskDiskEncryptionSetID: OTHER } };
    expect(await cloud.drift({ claim, nodeClass: own }, neverAborted())).toMatchObject({
      reason: 'DiskEncryptionSetDrift',
    });
  });

  test('no longer has one: its nodes drift', async () => {
    const fixture = await byok(BY_CLUSTER);
    const claim = await launched(fixture, 'ours');
    const detector = newborn(fixture, () => Promise.resolve(undefined));
    await detector.refresh();
    expect(
      await fixture.cloudWith(detector).drift({ claim, nodeClass: await fixture.classNow() }, neverAborted()),
    ).toMatchObject({ reason: 'DiskEncryptionSetDrift' });
  });

  test('nor for an id that cannot be one: nothing would be launched with it', async () => {
    const fixture = await byok(BY_CLUSTER);
    const claim = await launched(fixture, 'ours');
    const nodeClass = { ...(await fixture.classNow()), spec: { osDiskDiskEncryptionSetID: '/nonsense' } };
    expect(await fixture.cloud.drift({ claim, nodeClass }, neverAborted())).toBeUndefined();
  });
});

describe('a claim of another controller', () => {
  test('gets its records from the VM that Azure shows, once', async () => {
    const fixture = await byok(BY_CLUSTER);
    const claim = await launched(fixture, 'none');
    const nodeClass = await fixture.classNow();
    const records = await fixture.cloud.adopt({ claim, nodeClass }, neverAborted());
    expect(records).toMatchObject({ [RECORD]: SET, 'chandler.sh/dns-service-ip': '10.0.0.10' });
    const adopted = { ...claim, metadata: { ...claim.metadata, annotations: { ...records } } };
    const calls = fixture.server.resources.calls().length;
    expect(await fixture.cloud.adopt({ claim: adopted, nodeClass }, neverAborted())).toEqual({});
    expect(fixture.server.resources.calls()).toHaveLength(calls);
    expect(await fixture.cloud.drift({ claim: adopted, nodeClass }, neverAborted())).toBeUndefined();
  });

  test('that has another set does not drift, and is named for an event on its pool', async () => {
    const fixture = await byok(BY_CLUSTER);
    const claim = await launched(fixture, 'none');
    const nodeClass = await fixture.classNow({ osDiskDiskEncryptionSetID: OTHER });
    const records = await fixture.cloud.adopt({ claim, nodeClass }, neverAborted());
    expect(records[RECORD]).toBe(SET);
    const adopted = { ...claim, metadata: { ...claim.metadata, annotations: { ...records } } };
    expect(await fixture.cloud.drift({ claim: adopted, nodeClass }, neverAborted())).toBeUndefined();
    const [pool, ...rest] = fixture.cloud.driftExemptPools([adopted], () => nodeClass);
    expect(rest).toEqual([]);
    expect(pool).toMatchObject({ nodePool: 'general', claims: ['a'] });
    expect(pool?.message).toContain(`a has disk encryption set ${SET}, not disk encryption set ${OTHER}`);
  });

  test('is not judged while it is not known what would be used: its set is recorded later', async () => {
    const fixture = await byok(BY_CLUSTER);
    const claim = await launched(fixture, 'none');
    const cloud = fixture.cloudWith(newborn(fixture, () => Promise.resolve(undefined)));
    const records = await cloud.adopt({ claim, nodeClass: await fixture.classNow() }, neverAborted());
    expect(records).not.toHaveProperty([RECORD]);
    expect(cloud.driftExemptPools([claim], () => undefined)).toEqual([]);
  });

  test('whose VM is gone is NotFound, and one that AKS made is left as it is', async () => {
    const fixture = await byok(BY_CLUSTER);
    const claim = await launched(fixture, 'none');
    const nodeClass = await fixture.classNow();
    const gone = { ...claim, status: { providerID: claim.status!.providerID!.replace(/aks-a$/, 'aks-b') } };
    await expect(fixture.cloud.adopt({ claim: gone, nodeClass }, neverAborted())).rejects.toMatchObject({
      kind: 'NotFound',
    });
    const ofAks = aClaim('a', { 'karpenter.azure.com/aks-machine-resource-id': '/x' });
    expect(
      await fixture.cloud.adopt({ claim: { ...claim, metadata: ofAks.metadata }, nodeClass }, neverAborted()),
    ).toEqual({});
  });
});
