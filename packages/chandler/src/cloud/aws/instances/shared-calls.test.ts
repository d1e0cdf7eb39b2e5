import { neverAborted } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';

import { SharedCalls } from './shared-calls.ts';

/** A server that answers when the test opens it. */
function slowCalls(maxItems = 3) {
  const sent: {
    readonly keys: readonly string[];
    readonly signal: AbortSignal;
    answer: () => void;
    fail: (error: Error) => void;
  }[] = [];
  const calls = new SharedCalls<string>({
    maxItems,
    call: (keys, signal) =>
      new Promise((resolve, reject) => {
        const answer = () =>
          resolve(new Map(keys.filter((key) => key !== 'missing').map((key) => [key, `${key}!`])));
        sent.push({ keys, signal, answer, fail: reject });
      }),
  });
  return { calls, sent, turn: () => new Promise<void>((resolve) => setImmediate(resolve)) };
}

describe('questions', () => {
  test('of one turn go together, and those that come while a call is in flight go with the next one', async () => {
    const { calls, sent, turn } = slowCalls();
    const first = ['a', 'b', 'a'].map((key) => calls.ask(key, neverAborted()));
    await turn();
    const later = ['c', 'missing', 'd', 'e'].map((key) => calls.ask(key, neverAborted()));
    expect(sent.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    sent[0]!.answer();
    expect(await Promise.all(first)).toEqual(['a!', 'b!', 'a!']);
    await turn();
    sent[1]!.answer();
    await turn();
    expect(sent.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c', 'missing', 'd'], ['e']]);
    sent[2]!.answer();
    expect(await Promise.all(later)).toEqual(['c!', undefined, 'd!', 'e!']);
  });

  test('that fail together get the same error, and the next ones are asked anew', async () => {
    const { calls, sent, turn } = slowCalls();
    const failed = Promise.allSettled(['a', 'b'].map((key) => calls.ask(key, neverAborted())));
    await turn();
    const reason = new Error('no answer');
    sent[0]!.fail(reason);
    expect(await failed).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    const again = calls.ask('a', neverAborted());
    await turn();
    sent[1]!.answer();
    expect(await again).toBe('a!');
  });
});

describe('an abort', () => {
  test('ends the waiting of the one that was aborted, and the call only when nobody waits for it any more', async () => {
    const { calls, sent, turn } = slowCalls();
    const [one, other] = [new AbortController(), new AbortController()];
    const asked = Promise.allSettled([calls.ask('a', one.signal), calls.ask('b', other.signal)]);
    await turn();
    one.abort(new Error('one'));
    expect(sent[0]!.signal.aborted).toBe(false);
    other.abort(new Error('other'));
    expect(sent[0]!.signal.aborted).toBe(true);
    sent[0]!.fail(new Error('aborted'));
    expect((await asked).map((each) => each.status === 'rejected' && (each.reason as Error).message)).toEqual(
      ['one', 'other'],
    );
  });

  test('before the call is sent asks nothing', async () => {
    const { calls, sent, turn } = slowCalls();
    const reason = new Error('stopped');
    await expect(calls.ask('a', AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = calls.ask('b', controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await turn();
    expect(sent).toEqual([]);
  });
});
