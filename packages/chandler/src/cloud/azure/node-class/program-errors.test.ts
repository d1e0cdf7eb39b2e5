/** A bug in any reader of the status of a node class is not taken for an answer: nothing stays True because of it. */
import { neverAborted, PROGRAM_ERRORS, throwAtCall } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import type { AKSNodeClassSpec } from '../../../api/index.ts';
import { SET_ID } from '../disk-encryption/evidence/evidence.fixture.ts';
import { conditionOf, nodeClassOf, SUBNET, scene } from './node-class.fixture.ts';
import { AzureNodeClassStatus, type NodeClassStatusDeps } from './status.ts';

/** Another subnet of the network of the cluster, so that its resource group is read too. */
const SPEC: AKSNodeClassSpec = {
  localDNS: { mode: 'Preferred', kubeDNSOverrides: [], vnetDNSOverrides: [] },
  osDiskDiskEncryptionSetID: SET_ID,
  vnetSubnetID: `${SUBNET}-2`,
};

/** A version and a network policy with which every reader of LocalDNS is called. */
function soundScene() {
  const { deps } = scene();
  return scene({
    deps: {
      kubernetesVersion: async () => ({ value: 'v1.36.1', source: 'cluster', path: '/version' }),
      localDns: { ...deps.localDns, networkPolicy: () => 'calico' },
    },
  });
}

/** LocalDNS is decided once; without the state the readers are called again. */
async function before() {
  const { status } = await soundScene().status.reconcile(nodeClassOf(SPEC));
  const { localDNSState: _, ...rest } = status;
  return rest;
}

function readersOf({ world: _, ...readers }: NodeClassStatusDeps) {
  return readers;
}

async function callsOfSoundReconcile(): Promise<number> {
  const { deps } = soundScene();
  const { it, calls } = throwAtCall(readersOf(deps), -1);
  await new AzureNodeClassStatus({ ...wrapped(it), world: deps.world }).reconcile(
    nodeClassOf(SPEC, { status: await before() }),
    neverAborted(),
  );
  return calls();
}

/** A spread takes own properties only. */
function wrapped(it: ReturnType<typeof readersOf>) {
  const { kubernetesVersion, findImages, subnet, validation, localDns } = it;
  return { kubernetesVersion, findImages, subnet, validation, localDns };
}

const CALLS = await callsOfSoundReconcile();

describe('a bug in a reader of the node class status', () => {
  test('every reader is called', () => {
    expect(CALLS).toBe(15);
  });

  test.each(Array.from({ length: CALLS }, (_, call) => call))(
    'call %i: the error surfaces, and no condition stays True without evidence',
    async (call) => {
      for (const bug of PROGRAM_ERRORS) {
        const { deps } = soundScene();
        const { it, threw } = throwAtCall(readersOf(deps), call, bug);
        const status = await before();
        const sound = new Set(trueConditions(status));
        const result = await new AzureNodeClassStatus({ ...wrapped(it), world: deps.world }).reconcile(
          nodeClassOf(SPEC, { status }),
          neverAborted(),
        );
        expect(threw()).toBe(true);
        expect(result.errors.map(({ error }) => error)).toContain(bug);
        const lost = [...sound].filter((type) => conditionOf(result.status, type)?.status !== 'True');
        expect(lost).toContain('Ready');
        expect(lost.length).toBeGreaterThanOrEqual(2);
        const unknown = lost.filter((type) => type !== 'Ready');
        for (const type of unknown)
          expect(conditionOf(result.status, type)).toMatchObject({
            status: 'Unknown',
            reason: 'ProgramError',
            message: expect.stringContaining(bug.message),
          });
      }
    },
  );

  test('the next sound reconcile makes the class Ready again', async () => {
    const { deps } = soundScene();
    const { it } = throwAtCall(readersOf(deps), 0, PROGRAM_ERRORS[0]);
    const broken = await new AzureNodeClassStatus({ ...wrapped(it), world: deps.world }).reconcile(
      nodeClassOf(SPEC, { status: await before() }),
      neverAborted(),
    );
    const { status } = await soundScene().status.reconcile(nodeClassOf(SPEC, { status: broken.status }));
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
  });
});

function trueConditions(status: { conditions?: readonly { type?: string; status?: string }[] }): string[] {
  return (status.conditions ?? []).flatMap(({ type, status: state }) =>
    state === 'True' && type !== undefined ? [type] : [],
  );
}
