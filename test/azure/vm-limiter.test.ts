import type { Fetch, Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { MAX_AT_ONCE } from '../../packages/chandler/src/cloud/azure/testing.ts';
import type { LaunchStep } from '../../packages/chandler/src/cloud/index.ts';

import { aClaim, inventory, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

const ENOUGH = { perSecond: 1000, burst: 5000 };

test('claims that cannot be launched take no slot: those that can be are not delayed', async () => {
  open = await vmCloud({ rates: { read: ENOUGH, write: ENOUGH, delete: ENOUGH } });
  const { cloud, server, clock } = open;
  const nodeClass = open.nodeClass();
  server.faults.add({ name: 'forbidden', operation: 'PUT networkInterfaces' });
  const stuck = Array.from({ length: MAX_AT_ONCE }, (_, at) => aClaim(`stuck-${at}`));
  const refusals = await Promise.allSettled(
    stuck.map((claim) => cloud.create({ claim, nodeClass }, neverAborted())),
  );
  expect(refusals.every((each) => each.status === 'rejected')).toBe(true);
  server.faults.clear();
  await clock.advance(1000);
  const { steps } = await settleMachine(open, cloud, aClaim('able'), nodeClass);
  expect(steps[0]!.stages.map((stage) => stage.name)).toContain('networkInterface');
  expect(inventory(open).vms).toEqual(['aks-able']);
});

test('a launch that our own limits delay waits, and is not reported as failed', async () => {
  open = await vmCloud({ rates: { write: { perSecond: 0.1, burst: 2 } } });
  const { steps } = await settleMachine(open, open.cloud, aClaim('patient'), open.nodeClass());
  const stages = steps.flatMap((step) => step.stages);
  expect(stages.map(({ message }) => message ?? '').join()).toContain('too many write requests');
  expect(stages.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
});

test('after a restart, a claim whose VM exists does not queue behind claims that have not started', async () => {
  open = await vmCloud({ rates: { read: ENOUGH, write: ENOUGH, delete: ENOUGH } });
  const nodeClass = open.nodeClass();
  const { steps } = await settleMachine(open, open.cloud, aClaim('early'), nodeClass);
  const last = steps.at(-1)!;
  const providerID = last.state === 'launched' ? last.instance.providerID : '';
  const { cloud } = open.startProcess();
  const others = Array.from({ length: MAX_AT_ONCE + 30 }, (_, at) => aClaim(`late-${at}`));
  const queued = await Promise.all(others.map((claim) => cloud.create({ claim, nodeClass }, neverAborted())));
  expect(queued.at(-1)).toMatchObject({ state: 'waiting', rateLimited: true });
  const early = { ...aClaim('early'), status: { providerID } };
  expect(await cloud.create({ claim: early, nodeClass }, neverAborted())).toMatchObject({
    state: 'launched',
  });
});

describe('VMs that run already', () => {
  const CLAIMS = Array.from({ length: MAX_AT_ONCE }, (_, at) => aClaim(`on-${at}`));

  /** Steps each of them until it is where it stays. */
  async function stepAll(
    fixture: VmCloud,
    cloud: VmCloud['cloud'],
    claims: readonly Stored<NodeClaim>[],
    times: number,
  ) {
    const nodeClass = fixture.nodeClass();
    let steps: readonly LaunchStep[] = [];
    for (let round = 0; round < times; round++) {
      steps = await Promise.all(claims.map((claim) => cloud.create({ claim, nodeClass }, neverAborted())));
      await fixture.clock.advance(20_000);
    }
    return steps;
  }

  test('and that have hanging extensions take no slot, and are polled in turn', async () => {
    const reads = { perSecond: 100, burst: 5000 };
    open = await vmCloud({ rates: { read: reads, write: ENOUGH, delete: ENOUGH } });
    const { cloud } = open.startProcess(withHangingExtensions(open.fetch));
    const steps = await stepAll(open, cloud, CLAIMS, 8);
    expect(open.server.resources.extensions()).toHaveLength(MAX_AT_ONCE);
    expect(steps.every((step) => step.state === 'launched' && !step.settled)).toBe(true);
    const looks = steps.map((step) => (step.state === 'launched' ? (step.retryAfterMs ?? 0) : 0));
    expect(Math.min(...looks)).toBeGreaterThanOrEqual((MAX_AT_ONCE * 2 * 1000) / reads.perSecond);
    const able = await cloud.create({ claim: aClaim('able'), nodeClass: open.nodeClass() }, neverAborted());
    expect(able).not.toMatchObject({ rateLimited: true });
    expect(inventory(open).nics).toContain('aks-able');
  });

  test('as nodes take none either, though Azure is still creating them', async () => {
    open = await vmCloud({ rates: { read: ENOUGH, write: ENOUGH, delete: ENOUGH } });
    const { cloud } = open;
    const nodeClass = open.nodeClass();
    open.server.faults.add({ name: 'vm-slow', value: String(3600_000) });
    const steps = await stepAll(open, cloud, CLAIMS, 4);
    const late = await cloud.create({ claim: aClaim('late'), nodeClass }, neverAborted());
    expect(late, 'those that are not').toMatchObject({ rateLimited: true });
    const nodes = CLAIMS.map((claim, at) => asNode(claim, steps[at]!));
    const fresh = open.startProcess().cloud;
    await Promise.all(
      CLAIMS.map((_, at) => fresh.create({ claim: aClaim(`more-${at}`), nodeClass }, neverAborted())),
    );
    expect(await fresh.create({ claim: nodes[0]!, nodeClass }, neverAborted()), 'past a line').toMatchObject({
      state: 'launched',
    });
    await stepAll(open, cloud, nodes, 1);
    expect(await cloud.create({ claim: aClaim('late'), nodeClass }, neverAborted())).not.toMatchObject({
      rateLimited: true,
    });
  });
});

// ---------------------------------------------------------------------------------------------------

function asNode(claim: Stored<NodeClaim>, step: LaunchStep): Stored<NodeClaim> {
  if (step.state !== 'launched') throw new Error(`${claim.metadata.name} is not accepted`);
  const condition = { type: 'Registered', status: 'True' as const, reason: '', message: '' };
  const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  return { ...claim, status: { providerID: step.instance.providerID, conditions } };
}

/** Azure takes the extension and never says that it is there. */
function withHangingExtensions(inner: Fetch): Fetch {
  const hanging = new Set<string>();
  return async (input, init) => {
    const url = String(input);
    if (hanging.has(url)) return Response.json({ status: 'InProgress' });
    const answer = await inner(input, init);
    const operation = answer.headers.get('azure-asyncoperation');
    if (url.includes('/extensions/') && operation !== null) hanging.add(operation);
    return answer;
  };
}
