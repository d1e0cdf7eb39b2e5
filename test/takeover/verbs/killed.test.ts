/** A run that is killed: before each of its steps, and after each of its writes. */
import { KubeClient } from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handBack, takeOver } from '../../../packages/chandler/src/cli/testing.ts';
import { type Sequence, type TwoControllers, twoControllers } from './takeover-stage.ts';
import { CHANDLER, KARPENTER } from './two-controllers.ts';

let stage: TwoControllers;
beforeAll(async () => {
  stage = await twoControllers();
});
afterAll(async () => {
  expect(stage.mostLeaders).toBe(1);
  expect(stage.history.returned).toEqual([]);
  await stage.end();
});

interface KillPoint {
  readonly at: 'step' | 'write';
  readonly number: number;
}

const points = (steps: number, writes: number): KillPoint[] => [
  ...Array.from({ length: steps }, (_, at): KillPoint => ({ at: 'step', number: at + 1 })),
  ...Array.from({ length: writes }, (_, at): KillPoint => ({ at: 'write', number: at + 1 })),
];
const OF_START = points(6, 4);
const OF_BACK = points(6, 5);

/** Of the writes of a takeover, the first one is a dry run. Runs until it is killed. @returns how many steps and writes there were. */
async function killed(sequence: Sequence, point: KillPoint) {
  const kill = new AbortController();
  const seen = { step: 0, write: 0 };
  const count = (what: KillPoint['at']) => {
    seen[what] += 1;
    if (what === point.at && seen[what] === point.number) kill.abort(new Error('killed'));
  };
  const send = stage.transport();
  const client = new KubeClient({
    async transport(request) {
      const answer = await send(request);
      if (request.method !== 'GET') count('write');
      kill.signal.throwIfAborted();
      return answer;
    },
  });
  const ended = stage.run(sequence, { client, signal: kill.signal, report: () => count('step') });
  return { ended: await ended.then(({ outcome }) => outcome, String), seen };
}

async function replicas() {
  const karpenter = await stage.deployment(KARPENTER);
  const chandler = await stage.deployment(CHANDLER);
  const observes = chandler.spec.template.spec.containers[0]!.args!.includes('--observe');
  return [karpenter.spec.replicas, chandler.spec.replicas, observes, await stage.leader()];
}

const WITH_KARPENTER = [2, 1, true, 'karpenter'];
const WITH_CHANDLER = [0, 1, false, 'chandler'];

describe('a takeover that was killed', () => {
  test.each(OF_START)('$at $number: "start" finishes it', async (point) => {
    expect((await killed(takeOver, point)).ended).toBe('Error: killed');
    await stage.takeOver();
    expect(await replicas()).toEqual(WITH_CHANDLER);
    await stage.handBack();
    expect(await replicas()).toEqual(WITH_KARPENTER);
  });

  test.each(OF_START)('$at $number: "back" undoes it', async (point) => {
    expect((await killed(takeOver, point)).ended).toBe('Error: killed');
    await stage.handBack();
    expect(await replicas()).toEqual(WITH_KARPENTER);
  });

  test('has no other steps and writes', async () => {
    const { ended, seen } = await killed(takeOver, { at: 'step', number: 100 });
    expect({ ended, seen }).toEqual({ ended: 'takenOver', seen: { step: 6, write: 4 } });
  });
});

describe('a hand-over to Karpenter that was killed', () => {
  test.each(OF_BACK)('$at $number: "back" finishes it', async (point) => {
    await stage.takeOver();
    expect((await killed(handBack, point)).ended).toMatch(/killed/);
    await stage.handBack();
    expect(await replicas()).toEqual(WITH_KARPENTER);
  });

  test.each(OF_BACK)('$at $number: "start" undoes it', async (point) => {
    await stage.takeOver();
    expect((await killed(handBack, point)).ended).toMatch(/killed/);
    await stage.takeOver();
    expect(await replicas()).toEqual(WITH_CHANDLER);
  });

  test('has no other steps and writes', async () => {
    const { ended, seen } = await killed(handBack, { at: 'step', number: 100 });
    expect({ ended, seen }).toEqual({ ended: 'handedBack', seen: { step: 6, write: 5 } });
  });
});
