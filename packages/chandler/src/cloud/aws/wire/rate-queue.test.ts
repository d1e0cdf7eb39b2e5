/** Properties of the queue of one bucket, for random calls. */
import { settle, virtualWorld } from '@chandler/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AwsError } from '../errors/index.ts';
import { RateQueue } from './rate-queue.ts';

/** A call that arrives, and what happens to it. */
interface Arrival {
  readonly afterMs: number;
  readonly instances: number;
  readonly abortAfterMs: number | undefined;
  readonly throttled: boolean;
}

const ARRIVAL: fc.Arbitrary<Arrival> = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 700 })),
  instances: fc.integer({ min: 0, max: 12 }),
  abortAfterMs: fc.option(fc.integer({ min: 0, max: 3000 }), { nil: undefined, freq: 5 }),
  throttled: fc.boolean().map((value) => value),
});

const RATE = fc.record({
  perSecond: fc.constantFrom(0.5, 2, 5, 7.3),
  burst: fc.integer({ min: 1, max: 8 }),
});

interface Outcome {
  readonly call: number;
  readonly arrivedMs: number;
  readonly atMs: number;
  readonly kind: 'sent' | 'aborted' | 'held back';
}

test('no bucket is exceeded, nobody overtakes, nobody waits too long, and every call ends once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(ARRIVAL, { minLength: 1, maxLength: 60 }),
      RATE,
      RATE,
      fc.constantFrom(0, 900, 4000),
      fc.constantFrom(0, 0.05, 0.3),
      async (arrivals, requests, instances, longestWaitMs, throttleRate) => {
        const world = virtualWorld({ seed: arrivals.length });
        const { clock } = world;
        const queue = new RateQueue({ name: 'test', requests, instances, longestWaitMs }, world);
        const outcomes: Outcome[] = [];
        const closed: { fromMs: number; untilMs: number }[] = [];
        for (const [call, { afterMs, instances: asked, abortAfterMs, throttled }] of arrivals.entries()) {
          await clock.advance(afterMs);
          const arrivedMs = clock.monotonic();
          const stop = new AbortController();
          if (abortAfterMs !== undefined) clock.after(abortAfterMs, () => stop.abort('aborted'));
          const ended = (kind: Outcome['kind']) =>
            void outcomes.push({ call, arrivedMs, atMs: clock.monotonic(), kind });
          void queue.pass(asked, stop.signal).then(
            (sentAtMs) => {
              ended('sent');
              if (!throttled || world.random.next() >= throttleRate) return queue.answered(sentAtMs);
              queue.throttled(sentAtMs, undefined);
              closed.push({ fromMs: clock.monotonic(), untilMs: clock.monotonic() + 500 });
            },
            (reason: unknown) =>
              ended(
                reason === 'aborted'
                  ? 'aborted'
                  : (reason as AwsError).code === 'HeldBack'
                    ? 'held back'
                    : never(reason),
              ),
          );
          await settle();
        }
        await clock.advance(200_000);
        await settle();

        expect(outcomes.map(({ call }) => call).sort((one, other) => one - other)).toEqual([
          ...arrivals.keys(),
        ]);
        const sent = outcomes.filter(({ kind }) => kind === 'sent');
        expect(
          sent.map(({ call }) => call),
          'in order',
        ).toEqual(sent.map(({ call }) => call).sort((one, other) => one - other));
        for (const { arrivedMs, atMs } of outcomes)
          expect(atMs - arrivedMs).toBeLessThanOrEqual(longestWaitMs);
        for (const [first, { atMs: fromMs }] of sent.entries())
          for (const [last, { atMs }] of sent.entries()) {
            if (last < first) continue;
            const between = sent.slice(first, last + 1);
            const seconds = (atMs - fromMs) / 1000;
            expect(between.length).toBeLessThanOrEqual(requests.burst + seconds * requests.perSecond + 0.01);
            const asked = between.map(({ call }) => Math.min(arrivals[call]!.instances, instances.burst));
            const sum = asked.reduce((one, other) => one + other, 0);
            expect(sum).toBeLessThanOrEqual(instances.burst + seconds * instances.perSecond + 0.01);
          }
        for (const { fromMs, untilMs } of closed)
          expect(sent.filter(({ atMs }) => atMs > fromMs && atMs < untilMs)).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

function never(reason: unknown): never {
  throw reason;
}
