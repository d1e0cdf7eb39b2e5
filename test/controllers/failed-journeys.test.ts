import { CONFIG_MAPS } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { Claim } from '../../packages/chandler/src/controllers/index.ts';
import { JourneyKeeper } from '../../packages/chandler/src/controllers/testing.ts';
import { KEPT_JOURNEYS_NAME } from '../../packages/chandler/src/diagnose/index.ts';

import { type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

const scope = () => ({ ...stage.context, signal: neverAborted() });

const FAILED_AT = '2026-01-01T00:00:00Z';

function failedClaim(name: string): Claim {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, uid: `uid-${name}`, creationTimestamp: FAILED_AT },
    spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' } },
    status: {
      conditions: [
        {
          type: 'CSEProvisioned',
          status: 'False',
          reason: 'CSEFailed',
          message: 'exit code 50',
          lastTransitionTime: FAILED_AT,
        },
      ],
    },
  } as unknown as Claim;
}

const kept = async () =>
  Object.keys(
    ((await stage.get(CONFIG_MAPS, KEPT_JOURNEYS_NAME, stage.context.settings.namespace))?.['data'] ??
      {}) as object,
  ).sort();

describe('failed claims', () => {
  test('are recorded together, also those that fail after the first write', async () => {
    stage = await setStage();
    const keeper = new JourneyKeeper();
    for (const name of ['first', 'second', 'third']) {
      expect(keeper.note(failedClaim(name))).toBe(true);
      await keeper.write(scope());
    }
    expect(await kept()).toEqual(['first', 'second', 'third']);
    const [, ...later] = stage.writes.filter(
      (write) => write.includes(KEPT_JOURNEYS_NAME) || write.startsWith('POST'),
    );
    expect(later.every((write) => write.startsWith('PATCH'))).toBe(true);
  });

  test('of two processes are both recorded: a write on an old version is retried', async () => {
    stage = await setStage();
    const [one, other] = [new JourneyKeeper(), new JourneyKeeper()];
    one.note(failedClaim('zero'));
    await one.write(scope());
    one.note(failedClaim('a'));
    other.note(failedClaim('b'));
    const outcomes = await Promise.allSettled([one.write(scope()), other.write(scope())]);
    const [late] = outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [[one, other][at]!] : []));
    expect(late).toBeDefined();
    await late!.write(scope());
    expect(await kept()).toEqual(['a', 'b', 'zero']);
  });

  test('that cannot be written are bounded: the newest wait', async () => {
    stage = await setStage();
    const keeper = new JourneyKeeper();
    const names = Array.from({ length: 60 }, (_, index) => `claim-${index}`);
    for (const name of names) keeper.note(failedClaim(name));
    expect(keeper.waiting).toBe(50);
    await keeper.write(scope());
    expect(await kept()).toEqual(names.slice(-50).sort());
    expect(keeper.waiting).toBe(0);
  });
});
