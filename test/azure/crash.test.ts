import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { FEW_SIZES } from '../operator/azure-stage.ts';
import { everyNth } from '../part.ts';
import { type DeathMoment, mortalFetch } from './crash.fixture.ts';
import {
  aClaim,
  inventory,
  NOTHING,
  removeVm,
  settleMachine,
  type VmCloud,
  type VmCloudOptions,
  vmCloud,
} from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** Ends with the first run without a crash; returns the calls at which a run crashed. */
async function killAtEveryCall(
  options: VmCloudOptions,
  moment: DeathMoment,
  run: (fixture: VmCloud, mortal: VmCloud['cloud']) => Promise<unknown>,
  goOn: (fixture: VmCloud, died: string) => Promise<void>,
): Promise<readonly string[]> {
  const diedAt: string[] = [];
  for (let call = 1; call < 200; call++) {
    const fixture = await vmCloud(options);
    open = fixture;
    const process = mortalFetch(fixture.fetch, call, moment);
    await run(fixture, fixture.startProcess(process.fetch).cloud).catch((error: unknown) => {
      if (!process.dead) throw error;
    });
    // The answer of a best effort may die unnoticed: then the run went on to its end.
    if (!process.dead) return diedAt;
    diedAt.push(process.lastCall);
    await goOn(fixture, `${moment} call ${call}, ${process.lastCall}`);
    await fixture.close();
  }
  throw new Error('the launch never ends');
}

const ONE_MACHINE = {
  vms: ['aks-a'],
  nics: ['aks-a'],
  disks: ['aks-a'],
  extensions: ['computeAksLinuxBilling', 'cse-agent-karpenter'],
};

/** One family: every death builds a cloud again. */
const WITH_SCRIPT: VmCloudOptions = { mode: 'bootstrappingclient', catalogue: FEW_SIZES };
const MOMENTS: readonly DeathMoment[] = ['before', 'after'];

function checkMachine(fixture: VmCloud, when: string): void {
  expect(inventory(fixture), when).toEqual(ONE_MACHINE);
  const states = [...fixture.server.resources.vms(), ...fixture.server.resources.extensions()].map(
    (resource) => resource.properties['provisioningState'],
  );
  expect(new Set(states), when).toEqual(new Set(['Succeeded']));
}

/** How often each part was put; a script that is put twice may run twice. */
function putsOf(fixture: VmCloud): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method, path } of fixture.server.resources.calls()) {
    const part =
      path.split('/').at(-2)! + (path.includes('/extensions/') ? `/${path.split('/').at(-1)}` : '');
    if (method === 'PUT' && part !== 'networkInterfaces') counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}

const PUT_ONCE = {
  virtualMachines: 1,
  'extensions/cse-agent-karpenter': 1,
  'extensions/computeAksLinuxBilling': 1,
};

describe('a process that crashes in a launch', () => {
  test.each(MOMENTS)(
    '%s every call: the next one ends with exactly one machine, with all it needs',
    async (moment) => {
      const claim = aClaim('a');
      const diedAt = await killAtEveryCall(
        WITH_SCRIPT,
        moment,
        (fixture, cloud) => settleMachine(fixture, cloud, claim, fixture.nodeClass()),
        async (fixture, when) => {
          const { cloud } = fixture.startProcess();
          const { last } = await settleMachine(fixture, cloud, claim, fixture.nodeClass());
          expect(last.instance.claimUid, when).toBe('uid-a');
          checkMachine(fixture, when);
          expect(putsOf(fixture), when).toEqual(PUT_ONCE);
        },
      );
      expect(diedAt).toEqual(
        expect.arrayContaining([
          'PUT networkInterfaces/aks-a',
          'PUT virtualMachines/aks-a',
          'PUT extensions/cse-agent-karpenter',
          'PUT extensions/computeAksLinuxBilling',
        ]),
      );
    },
    120_000,
  );

  test.each(MOMENTS)(
    '%s every call, and then has its claim deleted: nothing is left',
    async (moment) => {
      const claim = aClaim('a');
      await killAtEveryCall(
        WITH_SCRIPT,
        moment,
        (fixture, cloud) => settleMachine(fixture, cloud, claim, fixture.nodeClass()),
        async (fixture, when) => {
          await removeVm(fixture, fixture.startProcess().cloud, claim);
          expect(inventory(fixture), when).toEqual(NOTHING);
        },
      );
    },
    120_000,
  );

  test('after the VM was accepted and then failed: the failure is reported from what Azure shows', async () => {
    const fixture = await vmCloud(WITH_SCRIPT);
    open = fixture;
    fixture.server.faults.add({ name: 'zonal-allocation', count: 1 });
    const claim = aClaim('a');
    const nodeClass = fixture.nodeClass();
    for (let step = 0; step < 3 && inventory(fixture).vms.length === 0; step++) {
      const { retryAfterMs } = await fixture.cloud.create(
        { claim, nodeClass: nodeClass as never },
        neverAborted(),
      );
      await fixture.clock.advance(retryAfterMs ?? 0);
    }
    await fixture.clock.advance(10_000);
    const { cloud, unavailable } = fixture.startProcess();
    const failed = cloud.create({ claim, nodeClass: nodeClass as never }, neverAborted());
    await expect(failed).rejects.toMatchObject({
      kind: 'CreateFailed',
      reason: 'ZonalAllocationFailure',
      code: 'ZonalAllocationFailed',
    });
    expect(unavailable.list().map((entry) => entry.reason)).toContain('ZonalAllocationFailure');
    await settleMachine(fixture, cloud, claim, nodeClass);
    checkMachine(fixture, 'after the failure');
  });
});

describe('a process that crashes in a launch that fails', () => {
  test.each(everyNth('moments of a launch that fails', MOMENTS, 2))(
    '%s every call: the next one still ends with exactly one machine',
    async (moment) => {
      const claim = aClaim('a');
      const launch = async (fixture: VmCloud, cloud: VmCloud['cloud']) => {
        for (let attempt = 0; attempt < 5; attempt++) {
          const settled = await settleMachine(fixture, cloud, claim, fixture.nodeClass()).catch(
            (error: unknown) => {
              if ((error as { kind?: string }).kind !== 'CreateFailed') throw error;
              return undefined;
            },
          );
          if (settled !== undefined) return;
          await fixture.clock.advance(1_000);
        }
        throw new Error('five attempts were not enough');
      };
      await killAtEveryCall(
        { ...WITH_SCRIPT, server: { faults: [{ name: 'allocation', count: 1 }] } },
        moment,
        (fixture, cloud) => launch(fixture, cloud),
        async (fixture, when) => {
          await launch(fixture, fixture.startProcess().cloud);
          checkMachine(fixture, when);
        },
      );
    },
    180_000,
  );
});

describe('a process that crashes in a deletion', () => {
  test.each(everyNth('moments of a deletion', MOMENTS, 2))(
    '%s every call: the next one leaves nothing behind',
    async (moment) => {
      const claim = aClaim('a');
      let launched: Stored<NodeClaim> = claim;
      const diedAt = await killAtEveryCall(
        WITH_SCRIPT,
        moment,
        async (fixture, cloud) => {
          const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
          launched = { ...claim, status: { providerID: last.instance.providerID } };
          await removeVm(fixture, cloud, launched);
        },
        async (fixture, when) => {
          await removeVm(fixture, fixture.startProcess().cloud, launched);
          expect(inventory(fixture), when).toEqual(NOTHING);
        },
      );
      expect(diedAt).toContain('DELETE virtualMachines/aks-a');
    },
    120_000,
  );
});
