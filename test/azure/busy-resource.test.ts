import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { aClaim, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let fixture: VmCloud;
afterEach(() => fixture?.close());

describe('a network interface that is busy', () => {
  test.each(['RetryableError', 'RetryableErrorDueToAnotherOperation', 'ReferencedResourceNotProvisioned'])(
    '%s: its launch waits, and other launches do not',
    async (code) => {
      fixture = await vmCloud();
      fixture.server.faults.add(`network-busy=${code}@resource=aks-a,count=1`);
      const nodeClass = fixture.nodeClass();
      const first = await fixture.cloud.create({ claim: aClaim('a'), nodeClass }, neverAborted());
      expect(first).toMatchObject({ state: 'waiting', retryAfterMs: 10_000 });
      const second = await fixture.cloud.create({ claim: aClaim('b'), nodeClass }, neverAborted());
      expect(second.retryAfterMs).toBeLessThan(10_000);
      expect(fixture.server.resources.nics().map(({ name }) => name)).toEqual(['aks-b']);
      await settleMachine(fixture, fixture.cloud, aClaim('a'), nodeClass);
    },
  );
});
