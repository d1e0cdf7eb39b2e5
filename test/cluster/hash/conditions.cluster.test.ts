/** Our condition set against upstream's own, led through the same random lives of NodeClaims. */
import { describe, expect, test } from 'vitest';
import { type Condition, ConditionSet } from '../../../packages/chandler/src/api/index.ts';
import type { ConditionedObject } from '../../../packages/chandler/src/api/testing.ts';

import { openHarness } from './harness.ts';
import { Seeded } from './seeded.ts';

const seed = Number(process.env['CHANDLER_SEED'] ?? 20260821);
const LIVES = 1_000;
const CREATED_MS = Date.parse('2026-08-21T10:00:00Z');
const DEPENDENTS = ['Launched', 'Registered', 'Initialized'];
const OTHERS = ['Drifted', 'Consolidatable', 'Drained', 'Drained'];
const harness = openHarness();

interface Step {
  readonly now: string;
  readonly set: 'True' | 'False' | 'Unknown' | 'Clear';
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly generation: number;
  readonly deleting: boolean;
}

describe.skipIf(!harness.ready)("conditions are equal to upstream's", () => {
  test(`after a thousand random sequences of changes (seed ${seed})`, () => {
    if (!harness.ready) return;
    const random = new Seeded(seed);
    const nodeClaim = { metadata: { name: 'a', generation: 1, creationTimestamp: '2026-08-21T10:00:00Z' } };
    const lives = Array.from({ length: LIVES }, () => randomSteps(random));
    const answers = harness.ask(lives.map((steps) => ({ kind: 'Conditions', object: { nodeClaim, steps } })));
    for (const [index, steps] of lives.entries()) {
      const theirs = JSON.parse(answers[index]!.value ?? 'null') as Condition[];
      expect({ steps, conditions: walk(nodeClaim, steps) }).toEqual({ steps, conditions: theirs });
    }
  });
});

function randomSteps(random: Seeded): Step[] {
  let nowMs = CREATED_MS;
  let generation = 1;
  let deleting = false;
  return Array.from({ length: 1 + Math.floor(random.next() * 8) }, () => {
    nowMs += Math.floor(random.next() * 4) * 1000;
    if (random.next() < 0.15) generation++;
    deleting ||= random.next() < 0.1;
    const clear = random.next() < 0.15;
    return {
      now: new Date(nowMs).toISOString(),
      set: clear ? 'Clear' : random.pick(['True', 'False', 'Unknown'] as const),
      type: random.pick(clear ? OTHERS : [...DEPENDENTS, ...OTHERS]),
      reason: random.pick(['Because', 'Otherwise']),
      message: random.pick(['', 'a message']),
      generation,
      deleting,
    };
  });
}

function walk(nodeClaim: ConditionedObject, steps: readonly Step[]): Condition[] {
  let conditions: Condition[] = [];
  for (const step of steps) {
    const metadata = {
      ...nodeClaim.metadata,
      generation: step.generation,
      ...(step.deleting ? { deletionTimestamp: '2026-08-21T10:00:00Z' } : {}),
    };
    const set = ConditionSet.of('NodeClaim', { metadata, status: { conditions } }, Date.parse(step.now));
    if (step.set === 'True') set.setTrue(step.type, step.reason, step.message);
    if (step.set === 'False') set.setFalse(step.type, step.reason, step.message);
    if (step.set === 'Unknown') set.setUnknown(step.type, step.reason, step.message);
    if (step.set === 'Clear') set.clear(step.type);
    conditions = set.list();
  }
  return conditions;
}
