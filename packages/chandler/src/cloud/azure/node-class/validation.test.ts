import { describe, expect, test } from 'vitest';
import { knownReason } from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import { NOW_MS, refusal, SET_ID, SOUND_KEY } from '../disk-encryption/evidence/evidence.fixture.ts';
import { clusterSource } from './cluster-source.ts';
import { conditionOf, nodeClassOf, type SceneOptions, scene } from './node-class.fixture.ts';

const OTHER_ID = SET_ID.replace(/des$/, 'other');
const option: Sourced<string> = { value: SET_ID, source: 'env', path: 'NODE_OSDISK_DISKENCRYPTIONSET_ID' };
const cluster: Sourced<string> = { value: SET_ID, source: 'cluster', path: 'properties.diskEncryptionSetID' };

async function reconciled(options: SceneOptions, nodeClass = nodeClassOf()) {
  const result = await scene(options).status.reconcile(nodeClass);
  return {
    ...result,
    validation: conditionOf(result.status, 'ValidationSucceeded'),
    verified: conditionOf(result.status, 'DiskEncryptionVerified'),
    ready: conditionOf(result.status, 'Ready'),
  };
}

describe('the status says which disk encryption set is used', () => {
  test.each([
    ['its own field', {}, { osDiskDiskEncryptionSetID: SET_ID }, 'NodeClass'],
    ['the environment', { option }, {}, 'env'],
    ['the managed cluster', { cluster }, {}, 'cluster'],
  ] as const)('from %s', async (_, options, spec, source) => {
    const { status, verified, ready, requeueAfterMs } = await reconciled(options, nodeClassOf(spec));
    expect(status.diskEncryptionSet).toEqual({ id: SET_ID, source });
    expect(verified).toMatchObject({ status: 'True', reason: 'DiskEncryptionVerified' });
    expect(verified?.message).toContain(SET_ID);
    expect(ready).toMatchObject({ status: 'True' });
    expect(requeueAfterMs).toBe(3 * 60_000);
  });

  test('and that another is set, and which won', async () => {
    const { status, verified, validation, ready } = await reconciled({
      option,
      cluster: { ...cluster, value: OTHER_ID },
    });
    expect(status.diskEncryptionSet).toEqual({ id: SET_ID, source: 'env' });
    for (const message of [verified?.message, validation?.message]) {
      expect(message).toContain(
        `${SET_ID} from the environment variable NODE_OSDISK_DISKENCRYPTIONSET_ID is used`,
      );
      expect(message).toContain(`${OTHER_ID} from the managed cluster`);
    }
    expect(ready).toMatchObject({ status: 'True' });
  });

  test('and forgets it when none is set any more', async () => {
    const { status } = await reconciled({ option });
    const after = await reconciled({}, nodeClassOf({}, { status }));
    expect(after.status.diskEncryptionSet).toBeUndefined();
    expect(after.verified).toBeUndefined();
  });

  test('and keeps what the cluster said last while the cluster cannot be read', async () => {
    const { status } = await reconciled({ cluster });
    const after = await reconciled({ cluster: new Error('no answer') }, nodeClassOf({}, { status }));
    expect(after.status.diskEncryptionSet).toEqual({ id: SET_ID, source: 'cluster' });
    expect(after.errors.map((error) => error.part)).toEqual(['validation']);
  });
});

describe('proof', () => {
  test('makes the class not Ready, with the same reason on both conditions', async () => {
    const { validation, verified, ready, requeueAfterMs } = await reconciled({
      option,
      azure: { key: { ...SOUND_KEY, enabled: false } },
    });
    expect(validation).toMatchObject({ status: 'False', reason: 'KeyDisabled' });
    expect(verified).toMatchObject({ status: 'False', reason: 'KeyDisabled' });
    expect(ready).toMatchObject({ status: 'False', message: 'ValidationSucceeded=False' });
    expect(requeueAfterMs).toBe(60_000);
  });

  test('of ARM at the last launch stops launches until it expires', async () => {
    const { status: computed, launches } = scene({ option });
    launches.refused(SET_ID, { code: 'KeyVaultAccessForbidden', message: 'grant wrap' }, NOW_MS);
    const { status, requeueAfterMs } = await computed.reconcile(nodeClassOf());
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({ reason: 'KeyVaultAccessMissing' });
    expect(requeueAfterMs).toBeLessThanOrEqual(60_000);
  });

  test('still holds while Azure does not answer, for the same set only', async () => {
    const gone = refusal(404, 'ResourceNotFound');
    const silent = { set: refusal(503, 'ServerBusy') };
    const { status } = await reconciled({ option, azure: { set: gone } });
    const later = await reconciled({ option, azure: silent }, nodeClassOf({}, { status }));
    expect(later.validation).toMatchObject({ status: 'False', reason: 'DiskEncryptionSetNotFound' });
    expect(later.verified).toMatchObject({ status: 'Unknown', reason: 'DiskEncryptionSetUnreadable' });
    const other = await reconciled(
      { option: { ...option, value: OTHER_ID }, azure: silent },
      nodeClassOf({}, { status }),
    );
    expect(other.validation).toMatchObject({ status: 'True' });
  });
});

describe('what may not be read', () => {
  test.each([
    ['the key', { key: refusal(403, 'Forbidden') }],
    ['the vault', { vault: refusal(403, 'AuthorizationFailed') }],
    ['the set, for a network that fails', { set: refusal(503, 'ServerBusy') }],
  ])('never stops a launch: %s', async (_, azure) => {
    const { validation, verified, ready } = await reconciled({ option, azure });
    expect(verified).toMatchObject({ status: 'Unknown' });
    expect(validation).toMatchObject({ status: 'True' });
    expect(ready).toMatchObject({ status: 'True' });
  });

  test('of the managed cluster is reported when nothing else names a set', async () => {
    const refresh = async () => ({
      facts: {},
      problems: [
        {
          fact: 'diskEncryptionSetId',
          code: 'Denied',
          message: 'cannot be read with this identity: 403',
          blocks: false,
        },
      ] as const,
    });
    const { clusterDiskEncryptionSet } = clusterSource({ refresh });
    const deps = { validation: { ...scene().deps.validation, clusterDiskEncryptionSet } };
    const { verified, ready } = await reconciled({ deps });
    expect(verified).toMatchObject({ status: 'Unknown', reason: 'ManagedClusterUnreadable' });
    expect(verified?.message).toContain('Microsoft.ContainerService/managedClusters/read');
    expect(ready).toMatchObject({ status: 'True' });
  });

  test('is an error to the caller only when the set itself cannot be read', async () => {
    expect((await reconciled({ option, azure: { set: refusal(503, 'ServerBusy') } })).errors).toHaveLength(1);
    expect((await reconciled({ option, azure: { key: refusal(503, 'ServerBusy') } })).errors).toEqual([]);
  });
});

describe('fields that cannot take effect', () => {
  const unsupportedFields = () => [{ path: 'spec.localDNS.mode', message: 'needs another provision mode' }];

  test('make the class not Ready', async () => {
    const { validation } = await reconciled({
      deps: { validation: { ...scene().deps.validation, unsupportedFields } },
    });
    expect(validation).toMatchObject({
      status: 'False',
      reason: 'UnsupportedFields',
      message: 'spec.localDNS.mode: needs another provision mode',
    });
    expect(knownReason('AKSNodeClass', 'ValidationSucceeded', 'False', 'UnsupportedFields')).toBe(true);
  });
});
