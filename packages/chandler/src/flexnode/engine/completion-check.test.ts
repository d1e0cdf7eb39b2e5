import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  collected,
  never,
  type SmallMachine,
  smallMachine,
  smallSteps,
} from '../../../../../test/flexnode/small-steps.ts';
import { FlexError } from '../flex-error.ts';
import type { Step, StepContext, StepId } from '../step.ts';
import { readJournal } from './journal.ts';
import { runBootstrap } from './run.ts';

let machine: SmallMachine;
beforeEach(async () => {
  machine = smallMachine();
  await run(smallSteps(machine));
  machine.executed.length = 0;
});
afterEach(() => machine.dispose());

const run = (steps: readonly Step[], signal = never) =>
  runBootstrap(machine.parts({ steps }), { signal, on: () => undefined });

/** The same steps, some of which answer otherwise. */
function stepsWith(answers: Partial<Record<StepId, (context: StepContext) => Promise<boolean>>>): Step[] {
  return smallSteps(machine).map((step) => ({ ...step, isCompleted: answers[step.id] ?? step.isCompleted }));
}

/** Settles only when the check is aborted, like a request without a response. */
const withoutAnswer = ({ signal }: StepContext) =>
  new Promise<boolean>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

describe('the look before a run', () => {
  test('asks all steps at once', async () => {
    const asked: StepId[] = [];
    let answer: (() => void) | undefined;
    const all = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const together = (id: StepId) => async () => {
      asked.push(id);
      if (asked.length === 4) answer?.();
      await all;
      return true;
    };
    const ids = smallSteps(machine).map((step) => step.id);
    const result = await run(stepsWith(Object.fromEntries(ids.map((id) => [id, together(id)]))));
    expect(asked).toEqual(ids);
    expect(result).toMatchObject({ success: true, changed: false });
  });

  test('does not wait for later answers when an earlier step has something to do', async () => {
    let looks = 0;
    const late = async (context: StepContext) => (++looks === 1 ? withoutAnswer(context) : true);
    const result = await run(stepsWith({ containerd: async () => false, 'start-services': late }));
    expect(result).toMatchObject({ success: true, changed: true });
    expect(machine.executed[0]).toBe('containerd');
  });

  test('nothing is executed while a step is still being looked at', async () => {
    let looking = 0;
    const slow = async () => {
      looking += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      looking -= 1;
      return true;
    };
    const during: number[] = [];
    const steps = stepsWith({ directories: async () => false, kubelet: slow }).map((step) => ({
      ...step,
      execute: async (context: StepContext) => {
        during.push(looking);
        await step.execute(context);
      },
    }));
    expect(await run(steps)).toMatchObject({ success: true, changed: true });
    expect(during.length).toBeGreaterThan(0);
    expect(during.every((count) => count === 0)).toBe(true);
  });

  test('an earlier step that has changes runs before a later one with a failing check', async () => {
    let looks = 0;
    const broken = async () => {
      if (++looks > 1) return true;
      throw new FlexError({ class: 'step', code: 'disk.broken', message: 'it cannot be read' });
    };
    const result = await run(stepsWith({ directories: async () => false, kubelet: broken }));
    expect(result).toMatchObject({ success: true, changed: true });
    expect(machine.executed[0]).toBe('directories');
  });

  test('a failing completion check ends the run, and nothing is written', async () => {
    const broken = async () => {
      throw new FlexError({ class: 'step', code: 'disk.broken', message: 'it cannot be read' });
    };
    const before = await readJournal(machine.parts().host);
    const result = await run(stepsWith({ kubelet: broken, 'start-services': withoutAnswer }));
    expect(result).toMatchObject({ success: false, changed: false, error: { code: 'disk.broken' } });
    expect(machine.executed).toEqual([]);
    expect((await readJournal(machine.parts().host)).lines).toBe(before.lines);
  });

  test('what the journal knows to be undone asks nothing of the machine', async () => {
    const asked: StepId[] = [];
    const steps = smallSteps(machine).map((step) => ({
      ...step,
      inputs: (context: StepContext) => (step.id === 'kubelet' ? 'another' : step.inputs(context)),
      isCompleted: async (context: StepContext) => {
        asked.push(step.id);
        return step.isCompleted(context);
      },
    }));
    await run(steps);
    // Each that is done on paper once, by the run itself, just before its turn.
    expect(asked.filter((id) => id === 'directories')).toHaveLength(1);
  });

  test('an interruption ends it as such', async () => {
    const stop = new AbortController();
    const { events, on } = collected();
    const steps = stepsWith({ kubelet: withoutAnswer });
    const running = runBootstrap(machine.parts({ steps }), { signal: stop.signal, on });
    setTimeout(() => stop.abort(new Error('stopped by SIGINT')), 10);
    expect(await running).toMatchObject({ success: false, error: { code: 'run.interrupted' } });
    expect(events.at(-1)).toMatchObject({ type: 'run-completed', success: false, changed: false });
  });
});
