/**
 * Our drift hashes and value objects against upstream's own Go code, on random input. The seed is
 * printed; CHANDLER_SEED runs another one, or the same one again.
 */
import {
  CronError,
  DurationError,
  formatDuration,
  parseCron,
  parseDuration,
  parseQuantity,
  type Quantity,
  QuantityError,
} from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import {
  aksNodeClassHash,
  ec2NodeClassHash,
  type Hashable,
  nodePoolHash,
} from '../../../packages/chandler/src/api/index.ts';
import { CLUSTER_CA, nodeClass, RECORDED_HASHES, TERMS } from '../../takeover/aws/objects.ts';
import { nodePool, POOL_NAMES, withTeam } from '../../takeover/objects.ts';
import { type Answer, openHarness, type Question } from './harness.ts';
import { RandomObjects } from './random-objects.ts';
import { RandomTexts } from './random-texts.ts';

const seed = Number(process.env['CHANDLER_SEED'] ?? 20260821);
const OBJECTS = 1_000;
const harness = openHarness();
process.stderr.write(
  harness.ready
    ? `hash harness: seed ${seed}\n`
    : `SKIPPED: nothing is compared with upstream, ${harness.reason}\n`,
);

/** Asks all questions at once, then compares one by one; a failure shows its question. */
function compare(questions: readonly Question[], ours: (question: Question) => Answer): void {
  if (!harness.ready) throw new Error('unreachable: the suite is skipped without a harness');
  const theirs = harness.ask(questions);
  for (const [index, question] of questions.entries()) {
    expect({ question, ...ours(question) }).toEqual({ question, ...theirs[index] });
  }
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

const bundles = [undefined, '', 'test-ca-bundle', 'Custom'];

describe.skipIf(!harness.ready)('a drift hash is the number upstream computes', () => {
  test('for a thousand random NodePools', () => {
    const random = new RandomObjects(seed);
    const questions = times(OBJECTS, () => ({ kind: 'NodePool', object: random.nodePool() }));
    compare(questions, ({ object }) => ({ value: nodePoolHash(object as Hashable) }));
  });

  test('for a thousand random AKSNodeClasses', () => {
    const random = new RandomObjects(seed);
    const questions = times(OBJECTS, () => ({ kind: 'AKSNodeClass', object: random.aksNodeClass() }));
    compare(questions, ({ object }) => ({ value: aksNodeClassHash(object as Hashable) }));
  });

  test.each(['v5', 'v6'] as const)('for a thousand random EC2NodeClasses, hash version %s', (version) => {
    const random = new RandomObjects(seed);
    const questions = times(OBJECTS, () => ({
      kind: `EC2NodeClass/${version}`,
      object: random.ec2NodeClass(),
      caBundle: random.pick(bundles),
    }));
    compare(questions, ({ object, caBundle }) => ({
      value: ec2NodeClassHash(object as Hashable, { caBundle, version }),
    }));
  });

  test("for the objects of Karpenter's cluster on EKS that is taken over", () => {
    if (!harness.ready) throw new Error('unreachable: the suite is skipped without a harness');
    const caBundle = Buffer.from(CLUSTER_CA).toString('base64');
    const [general, spot] = POOL_NAMES.map((name) => nodePool(name, TERMS));
    const answers = harness.ask([
      { kind: 'NodePool', object: general },
      { kind: 'NodePool', object: spot },
      { kind: 'NodePool', object: withTeam(general!, 'other') },
      { kind: 'EC2NodeClass/v5', object: nodeClass(), caBundle },
      { kind: 'EC2NodeClass/v6', object: nodeClass(), caBundle },
    ]);
    const { pools, changedPool, nodeClass: ofClass } = RECORDED_HASHES;
    const recorded = [pools.general, pools.spot, changedPool, ofClass.v5, ofClass.v6];
    expect(recorded).toEqual(answers.map(({ value }) => value));
  });
});

describe.skipIf(!harness.ready)('a value reads and prints as in Go', () => {
  test('quantities', () => {
    const random = new RandomTexts(seed);
    const questions = times(5_000, () => ({ kind: 'Quantity', object: random.quantity() }));
    compare(questions, ({ object }) => attempt(() => parseQuantity(object as string).toString()));
  });

  test('sums and differences of quantities', () => {
    const random = new RandomTexts(seed);
    const questions = times(2_000, () => ({ kind: 'Sum', object: times(4, () => random.smallQuantity()) }));
    compare(questions, ({ object }) => ({
      value: total((object as string[]).map(parseQuantity)).toString(),
    }));
  });

  test('durations', () => {
    const random = new RandomTexts(seed);
    const questions = times(3_000, () => ({ kind: 'Duration', object: random.duration() }));
    compare(questions, ({ object }) => attempt(() => formatDuration(parseDuration(object as string))));
  });

  test('the next hit of a schedule', () => {
    const random = new RandomTexts(seed);
    const questions = times(3_000, () => ({
      kind: 'CronNext',
      object: random.cron(),
      after: random.moment(),
    }));
    compare(questions, (question) => {
      const ours = attempt(() => nextHit(question.object as string, Date.parse(question.after!)));
      // The words of a refusal are our own; that it is refused is what must agree.
      return ours.error === undefined ? ours : { error: expect.any(String) as unknown as string };
    });
  });
});

function nextHit(schedule: string, afterMs: number): string {
  const hit = parseCron(schedule).next(afterMs);
  return hit === undefined ? 'never' : new Date(hit).toISOString().replace('.000Z', 'Z');
}

function total([first, ...rest]: Quantity[]): Quantity {
  return rest.reduce((sum, each, index) => (index % 2 === 0 ? sum.add(each) : sum.sub(each)), first!);
}

function attempt(run: () => string): Answer {
  try {
    return { value: run() };
  } catch (error) {
    const expected = [QuantityError, DurationError, CronError].some((kind) => error instanceof kind);
    if (!expected) throw error;
    return { error: (error as Error).message };
  }
}
