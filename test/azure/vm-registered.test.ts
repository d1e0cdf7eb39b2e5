import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { vmNameOf } from '../../packages/chandler/src/cloud/azure/index.ts';

import { aClaim, inventory, NOTHING, removeVm, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** Steps, with what the claim knows by then, until one throws. */
async function untilItFails(
  fixture: VmCloud,
  cloud: VmCloud['cloud'],
  claim: Stored<NodeClaim>,
): Promise<{ readonly error: unknown; readonly known: Stored<NodeClaim> }> {
  let known = claim;
  for (let steps = 0; steps < 100; steps++) {
    try {
      const step = await cloud.create({ claim: known, nodeClass: fixture.nodeClass() }, neverAborted());
      if (step.state === 'launched') known = withMachine(claim, step.instance.providerID);
      if (step.state === 'launched' && step.settled) break;
      await fixture.clock.advance(step.retryAfterMs ?? 1000);
    } catch (error) {
      return { error, known };
    }
  }
  throw new Error('it did not fail');
}

function withMachine(claim: Stored<NodeClaim>, providerID: string): Stored<NodeClaim> {
  return { ...claim, status: { ...claim.status, providerID } };
}

const registered = (claim: Stored<NodeClaim>, status: 'True' | 'Unknown'): Stored<NodeClaim> => ({
  ...claim,
  status: {
    conditions: [
      {
        type: 'Registered',
        status,
        reason: 'Registered',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
});

const deletions = ({ server }: VmCloud) =>
  server.resources.calls().filter((call) => call.method === 'DELETE');

describe('a VM with a failed last extension', () => {
  test.each([
    ['extension-timeout', 'True'],
    ['extension-fails', 'True'],
    // Its node may be there, and the claim does not say so yet.
    ['extension-timeout', 'Unknown'],
  ] as const)(
    'with %s, while Registered is %s, is left to its claim, which drains it first',
    async (name, status) => {
      open = await vmCloud();
      open.server.faults.add({ name });
      const claim = registered(aClaim('a'), status);
      const { error, known } = await untilItFails(open, open.cloud, claim);
      expect(error).toMatchObject({ reason: 'ExtensionFailed', instanceFailed: true });
      await open.clock.advance(60_000);
      expect(deletions(open)).toEqual([]);
      const again = open
        .startProcess()
        .cloud.create({ claim: known, nodeClass: open.nodeClass() }, neverAborted());
      await expect(again, 'another process').rejects.toMatchObject({ instanceFailed: true });
      expect(deletions(open), 'nothing of a machine that may run').toEqual([]);
      await removeVm(open, open.cloud, known);
      expect(inventory(open)).toEqual(NOTHING);
    },
  );

  test('and that no claim names yet is deleted at once: it has no node', async () => {
    open = await vmCloud();
    const { clock, cloud, server } = open;
    server.faults.add({ name: 'extension-timeout' });
    const request = { claim: aClaim('a'), nodeClass: open.nodeClass() };
    let failure: unknown;
    for (let steps = 0; steps < 100 && failure === undefined; steps++) {
      await cloud.create(request, neverAborted()).catch((error: unknown) => {
        failure = error;
      });
      await clock.advance(3000);
    }
    expect(failure).toMatchObject({ reason: 'ExtensionFailed' });
    expect(deletions(open)).toHaveLength(1);
  });
});

test('the interface of a VM stays when a policy denies its extension to a new process', async () => {
  open = await vmCloud();
  const { cloud, clock, fetch } = open;
  const nodeClass = open.nodeClass();
  const claim = aClaim('a');
  let step = await cloud.create({ claim, nodeClass }, neverAborted());
  while (step.state !== 'launched') {
    await clock.advance(step.retryAfterMs);
    step = await cloud.create({ claim, nodeClass }, neverAborted());
  }
  await clock.advance(60_000);
  const denying = open.startProcess(async (input, init) =>
    init?.method === 'PUT' && String(input).includes('/extensions/')
      ? Response.json({ error: { code: 'RequestDisallowedByPolicy', message: 'no' } }, { status: 403 })
      : fetch(input, init),
  );
  const known = withMachine(claim, step.instance.providerID);
  await expect(denying.cloud.create({ claim: known, nodeClass }, neverAborted())).rejects.toMatchObject({
    reason: 'RequestDisallowedByPolicy',
  });
  expect(deletions(open)).toEqual([]);
});

test('a VM with another name than it would get today is found by the provider ID of its claim', async () => {
  open = await vmCloud();
  const { cloud, clock } = open;
  const nodeClass = open.nodeClass();
  const claim = aClaim('a');
  let step = await cloud.create({ claim, nodeClass }, neverAborted());
  while (step.state !== 'launched') {
    await clock.advance(step.retryAfterMs);
    step = await cloud.create({ claim, nodeClass }, neverAborted());
  }
  // As if the rule had been another one when it was made.
  const renamed = withMachine(aClaim('b', { uid: 'uid-a' }), step.instance.providerID);
  expect(vmNameOf('b')).not.toBe(step.instance.name);
  await clock.advance(60_000);
  const found = await open.startProcess().cloud.create({ claim: renamed, nodeClass }, neverAborted());
  expect(found).toMatchObject({ state: 'launched', instance: { name: 'aks-a' } });
  expect(inventory(open)).toMatchObject({ vms: ['aks-a'], nics: ['aks-a'] });
});
