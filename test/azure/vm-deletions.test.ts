import { neverAborted } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { aClaim, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

test('the more VMs are being deleted, the less often each is polled: reads are left for the rest', async () => {
  const reads = { perSecond: 2, burst: 5000 };
  open = await vmCloud({ rates: { read: reads } });
  const { cloud, server } = open;
  server.faults.add({ name: 'stuck-delete' });
  const claims = Array.from({ length: 10 }, (_, at) => aClaim(`a-${at}`));
  for (const claim of claims) await settleMachine(open, cloud, claim, open.nodeClass());
  expect(await cloud.delete(claims[0]!, neverAborted()), 'one').toEqual({
    state: 'deleting',
    retryAfterMs: 3_000,
  });
  const steps = await Promise.all(claims.map((claim) => cloud.delete(claim, neverAborted())));
  expect(steps.map((step) => step.state)).toEqual(claims.map(() => 'deleting'));
  const again = await cloud.delete(claims[0]!, neverAborted());
  expect(again, 'ten, with half of two reads in a second').toEqual({
    state: 'deleting',
    retryAfterMs: 10_000,
  });
});
