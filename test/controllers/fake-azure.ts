/** Fakes of the parts of Azure that its controllers need: node classes are valid, and nothing is left over. */

import type { World } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import type { AKSNodeClass } from '../../packages/chandler/src/api/index.ts';
import {
  type AzureCloud,
  AzureNodeClassStatus,
  type LaunchEvidence,
  type Orphan,
} from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  type AzureControllerParts,
  type DriftExemptPool,
  type NodeClassStatusDeps,
  scene,
} from '../../packages/chandler/src/cloud/azure/testing.ts';

export interface FakeAzure extends AzureControllerParts {
  /** What the garbage collection will find. */
  orphans: Orphan[];
  readonly removed: string[];
  /** Number of removals of each. */
  readonly asked: string[];
  /** The subnet of every class does not exist. */
  subnetMissing: boolean;
  /** The value of the option. */
  diskEncryptionSet: string;
  readonly launchEvidence: LaunchEvidence;
  readonly looks: AKSNodeClass[];
  /** Called for in-place updates. */
  update: AzureCloud['updateInPlace'];
  readonly updates: string[];
  /** What an adoption would record, and which pools then have claims that differ. */
  records: Readonly<Record<string, string>>;
  spared: DriftExemptPool[];
  readonly adopted: string[];
}

export const SET_RECORD = 'chandler.sh/disk-encryption-set';

export function fakeAzure(world: World): FakeAzure {
  const { deps: sound, launches, time } = scene();
  const deps: NodeClassStatusDeps = {
    ...sound,
    world,
    validation: {
      ...sound.validation,
      evidence: {
        about(id) {
          time.nowMs = world.clock.now();
          return sound.validation.evidence.about(id);
        },
      },
      diskEncryptionSetOption: () => ({
        value: azure.diskEncryptionSet,
        source: 'settings',
        path: 'NODE_OSDISK_DISKENCRYPTIONSET_ID',
      }),
    },
    subnet: {
      ...sound.subnet,
      get: async () => {
        if (azure.subnetMissing) throw Object.assign(new Error('no such subnet'), { statusCode: 404 });
        return {};
      },
    },
  };
  const status = new AzureNodeClassStatus(deps);
  const azure: FakeAzure = {
    orphans: [],
    removed: [],
    asked: [],
    subnetMissing: false,
    diskEncryptionSet: '',
    launchEvidence: launches,
    looks: [],
    updates: [],
    update: async () => ({ state: 'same', annotations: {} }),
    records: {},
    spared: [],
    adopted: [],
    nodeClassStatus: {
      reconcile(nodeClass, signal) {
        azure.looks.push(nodeClass);
        return status.reconcile(nodeClass, signal);
      },
    },
    cloud: {
      garbage: {
        find: async (claims) =>
          azure.orphans.filter(({ name }) => !claims.some((claim) => `aks-${claim.name}` === name)),
        async remove(orphan) {
          const again = azure.asked.includes(orphan.id);
          azure.asked.push(orphan.id);
          if (!again) return { state: 'deleting', retryAfterMs: 5_000 };
          azure.removed.push(orphan.id);
          azure.orphans = azure.orphans.filter(({ id }) => id !== orphan.id);
          return { state: 'gone' };
        },
      },
      async adopt({ claim }) {
        azure.adopted.push(claim.metadata.name);
        return azure.records;
      },
      driftExemptPools: (claims) =>
        claims.some(({ metadata }) => SET_RECORD in (metadata.annotations ?? {})) ? azure.spared : [],
      updateInPlace(request) {
        azure.updates.push(request.claim.metadata.name);
        return azure.update(request, neverAborted());
      },
    },
  };
  return azure;
}
