import { afterEach, expect, test } from 'vitest';
import { MOST_AT_ONCE } from '../../src/cloud/azure/vm/launch-line.ts';
import { aClaim, inventory, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

const ENOUGH = { perSecond: 1000, burst: 5000 };

test('claims that cannot be launched hold no place in the line: those that can be are not kept waiting', async () => {
  open = await vmCloud({ rates: { read: ENOUGH, write: ENOUGH, delete: ENOUGH } });
  const { cloud, server, clock } = open;
  const nodeClass = open.nodeClass();
  server.faults.add({ name: 'forbidden', operation: 'PUT networkInterfaces' });
  const stuck = Array.from({ length: MOST_AT_ONCE }, (_, at) => aClaim(`stuck-${at}`));
  const refusals = await Promise.allSettled(stuck.map((claim) => cloud.create({ claim, nodeClass })));
  expect(refusals.every((each) => each.status === 'rejected')).toBe(true);
  server.faults.clear();
  await clock.advance(1000);
  const { steps } = await settleMachine(open, cloud, aClaim('able'), nodeClass);
  expect(steps[0]!.stages.map((stage) => stage.name)).toContain('networkInterface');
  expect(inventory(open).vms).toEqual(['aks-able']);
});

test('a launch that our own limits hold up waits, and says nowhere that it failed', async () => {
  open = await vmCloud({ rates: { write: { perSecond: 0.1, burst: 2 } } });
  const { steps } = await settleMachine(open, open.cloud, aClaim('patient'), open.nodeClass());
  const stages = steps.flatMap((step) => step.stages);
  expect(stages.map(({ message }) => message ?? '').join()).toContain('too many write calls');
  expect(stages.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
});
