import { NODES } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';

import {
  aFailure,
  type BootstrapStage,
  bootstrapStage,
  conditionOf,
  withPod,
} from './bootstrap-outcome.fixture.ts';

let own: BootstrapStage;
afterEach(() => own.stage.end());

const MINUTE_MS = 60_000;
const failing = { state: 'failed', failure: aFailure() } as const;

const oneFails = async (poolSpec: Record<string, unknown> = {}) => {
  let failed: string | undefined;
  own.bootstrap.says = ({ metadata }) => {
    failed ??= metadata.name;
    return metadata.name === failed ? failing : undefined;
  };
  await withPod(own, poolSpec);
  await own.stage.until('a claim failed', async () => (await own.failed()).length === 1);
  return failed!;
};

describe('the condition CSEProvisioned', () => {
  test('is Unknown from the launch on, and True when the node has registered, without an extra write', async () => {
    own = await bootstrapStage({ joins: true });
    await withPod(own);
    const states: (string | undefined)[] = [];
    await own.stage.until('it is initialized', async () => {
      const [claim] = await own.claims();
      const state = claim && conditionOf(claim)?.status;
      if (state !== states.at(-1)) states.push(state);
      return claim !== undefined && conditionOf(claim, 'Initialized')?.status === 'True';
    });
    expect(states).toEqual(['Unknown', 'True']);
    const [claim] = await own.claims();
    expect(conditionOf(claim!)?.reason).toBe('CSEProvisioned');
    const joined = conditionOf(claim!, 'Registered')?.lastTransitionTime;
    expect(conditionOf(claim!)?.lastTransitionTime).toBe(joined);
  });

  test('is True as soon as the instance reports it, before the Node exists', async () => {
    own = await bootstrapStage();
    own.bootstrap.says = () => ({ state: 'succeeded' });
    await withPod(own);
    await own.stage.until('it says so', async () => {
      const [claim] = await own.claims();
      return claim !== undefined && conditionOf(claim)?.status === 'True';
    });
    expect(await own.stage.list(NODES)).toEqual([]);
  });

  test('does not appear on claims that registered before the controller started', async () => {
    own = await bootstrapStage({ joins: true });
    await withPod(own);
    const [claim] = await (async () => {
      await own.stage.until('it is initialized', async () => {
        const [first] = await own.claims();
        return first !== undefined && conditionOf(first, 'Initialized')?.status === 'True';
      });
      return own.claims();
    })();
    const status = claim!['status'] as { conditions: { type: string }[] };
    const conditions = status.conditions.filter(({ type }) => type !== 'CSEProvisioned');
    const name = claim!.metadata.name!;
    await own.stage.admin.patchStatus(
      NODE_CLAIMS,
      { name },
      { type: 'merge', patch: { status: { conditions } } },
    );
    await own.restart();
    await own.stage.world.clock.advance(2 * MINUTE_MS);
    expect(conditionOf((await own.stage.get(NODE_CLAIMS, name))!)).toBeUndefined();
    expect(own.bootstrap.looks.at(-1)).toEqual([]);
  });

  test('has the whole failure as its message, with the reason CSEFailed', async () => {
    own = await bootstrapStage();
    const name = await oneFails();
    const shown = conditionOf((await own.stage.get(NODE_CLAIMS, name))!);
    expect(shown).toMatchObject({ status: 'False', reason: 'CSEFailed', message: failing.failure.message });
    const { annotations } = (await own.stage.get(NODE_CLAIMS, name))!.metadata;
    expect(annotations).toMatchObject({
      'chandler.sh/bootstrap-failure': '50 ERR_OUTBOUND_CONN_FAIL',
      'chandler.sh/bootstrap-log': aFailure().log.join('\n'),
    });
    expect(annotations?.['chandler.sh/journey']).toContain('ERR_OUTBOUND_CONN_FAIL');
  });

  test.each([
    ['with a providerID', 1_000],
    ['before its providerID is set', 30_000],
  ])(
    'is not False while the Node of the instance exists (%s), because it registered despite the failed script',
    async (_, providerIdMs) => {
      own = await bootstrapStage({ joins: true });
      own.stage.cloud.bootMs = 1_000;
      own.stage.cloud.providerIdMs = providerIdMs;
      own.bootstrap.says = (claim) =>
        own.stage.cloud.machines.has(claim.metadata.uid ?? '') ? failing : undefined;
      await withPod(own);
      await own.stage.until('it is initialized', async () => {
        const [claim] = await own.claims();
        return claim !== undefined && conditionOf(claim, 'Initialized')?.status === 'True';
      });
      expect(await own.failed()).toEqual([]);
    },
  );
});

describe('an instance that failed after its creation was accepted', () => {
  test('is a bootstrap failure when the instance reports one: the claim is kept, not deleted', async () => {
    own = await bootstrapStage();
    own.bootstrap.says = () => failing;
    own.stage.cloud.failures = [
      new CloudError('CreateFailed', 'an extension failed', {
        reason: 'ExtensionFailed',
        instanceFailed: true,
      }),
    ];
    await withPod(own);
    await own.stage.until('a claim failed', async () => (await own.failed()).length > 0);
    const [claim] = await own.failed();
    const reasons = (await own.stage.eventsOf(claim!.metadata.name!)).map(({ reason }) => reason);
    expect(reasons).toContain('CSEFailed');
    expect(reasons).not.toContain('AsyncProvisioningError');
  });

  test('is a launch failure otherwise: the claim is deleted', async () => {
    own = await bootstrapStage({ joins: true });
    own.stage.cloud.failures = [
      new CloudError('CreateFailed', 'no', { reason: 'AllocationFailure', instanceFailed: true }),
    ];
    await withPod(own);
    await own.stage.until('the pod has a node', async () => (await own.stage.list(NODES)).length === 1);
    expect(await own.failed()).toEqual([]);
  });
});

describe('a failed claim', () => {
  test('has its instance terminated at once, stays for ten minutes, and is deleted', async () => {
    own = await bootstrapStage();
    const name = await oneFails();
    await own.stage.until('the machine is gone', () => !own.machines().includes(`aks-${name}`), 5_000);
    await own.stage.world.clock.advance(9 * MINUTE_MS);
    expect(conditionOf((await own.stage.get(NODE_CLAIMS, name))!)?.status).toBe('False');
    await own.stage.world.clock.advance(2 * MINUTE_MS);
    expect(await own.stage.get(NODE_CLAIMS, name)).toBeUndefined();
  });

  test('keeps its instance as long as the claim when that is configured for debugging', async () => {
    own = await bootstrapStage();
    own.bootstrap.after = { keepClaimMs: 30 * MINUTE_MS, keepInstance: true };
    const name = await oneFails();
    await own.stage.world.clock.advance(29 * MINUTE_MS);
    expect(own.machines()).toContain(`aks-${name}`);
    await own.stage.world.clock.advance(2 * MINUTE_MS);
    expect(own.machines()).not.toContain(`aks-${name}`);
    expect(await own.stage.get(NODE_CLAIMS, name)).toBeUndefined();
  });

  test('is deleted at once with a retention of zero, and the pool has the event', async () => {
    own = await bootstrapStage();
    own.bootstrap.after = { keepClaimMs: 0, keepInstance: false };
    let failed: string | undefined;
    own.bootstrap.says = ({ metadata }) => {
      failed ??= metadata.name;
      return metadata.name === failed ? failing : undefined;
    };
    await withPod(own);
    await own.stage.until('it came and went', async () => {
      return failed !== undefined && (await own.stage.get(NODE_CLAIMS, failed)) === undefined;
    });
    const told = (await own.stage.eventsOf('general')).find(({ reason }) => reason === 'CSEFailed');
    expect(told?.message).toContain(`NodeClaim ${failed}: CSE exited with code 50`);
  });

  test('does not block its replacement, and does not count towards the limits of its pool', async () => {
    own = await bootstrapStage();
    const name = await oneFails({ limits: { cpu: '2', nodes: '1' } });
    own.stage.cloud.joins = true;
    await own.stage.until(
      'another node is there',
      async () => (await own.stage.list(NODES)).length === 1,
      30_000,
    );
    expect((await own.claims()).map(({ metadata }) => metadata.name)).toContain(name);
    expect(await own.claims()).toHaveLength(2);
    const shown = (await own.stage.get(NODE_POOLS, 'general'))?.['status'] as { nodes?: number };
    expect(shown.nodes).toBe(1);
  });

  test('is kept by the next process, and its instance is still terminated', async () => {
    own = await bootstrapStage();
    own.bootstrap.after = { keepClaimMs: 10 * MINUTE_MS, keepInstance: true };
    const name = await oneFails();
    own.bootstrap.after = { keepClaimMs: 10 * MINUTE_MS, keepInstance: false };
    await own.restart();
    await own.stage.until('the machine is gone', () => !own.machines().includes(`aks-${name}`), 10_000);
    await own.stage.world.clock.advance(5 * MINUTE_MS);
    expect(await own.stage.get(NODE_CLAIMS, name)).toBeDefined();
    expect(own.stage.cloud.launches.get((await own.stage.get(NODE_CLAIMS, name))!.metadata.uid!)).toBe(1);
    await own.stage.world.clock.advance(6 * MINUTE_MS);
    expect(await own.stage.get(NODE_CLAIMS, name)).toBeUndefined();
  });

  test('can be deleted by hand', async () => {
    own = await bootstrapStage();
    const name = await oneFails();
    await own.stage.admin.delete(NODE_CLAIMS, { name });
    await own.stage.until('it is gone', async () => (await own.stage.get(NODE_CLAIMS, name)) === undefined);
  });
});

describe('events of a bootstrap failure', () => {
  test('are published once, although every poll finds the failure', async () => {
    own = await bootstrapStage();
    const name = await oneFails();
    await own.restart();
    await own.stage.world.clock.advance(5 * MINUTE_MS);
    const lines = own.stage.world.lines.filter(({ fields }) => fields['reason'] === 'CSEFailed');
    expect(lines.map(({ fields }) => fields['nodeclaim'])).toEqual([name]);
    const series = [...own.stage.world.values].filter(([key]) =>
      key.startsWith('chandler_cse_failures_total'),
    );
    expect(series.map(([, value]) => value)).toEqual([1]);
    for (const label of ['code="50"', 'nodepool="general"', 'image="2204gen2/202608.10.0"'])
      expect(series[0]![0]).toContain(label);
  });

  test('a pool with two failures has no registration health', async () => {
    own = await bootstrapStage();
    own.bootstrap.says = () => failing;
    await withPod(own);
    await own.stage.until('it is not healthy', async () => {
      const found = await own.stage.get(NODE_POOLS, 'general');
      return found !== undefined && conditionOf(found, 'NodeRegistrationHealthy')?.status === 'False';
    });
  });
});
