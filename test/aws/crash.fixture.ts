/** A process that dies at its n-th call, to AWS or to the API server: just before it got there, or just after it was acted on. */
import type { Fetch } from '@chandler/kube';
import type { LaunchRecordStore } from '../../packages/chandler/src/cloud/aws/index.ts';

export type DeathMoment = 'before' | 'after';

export interface MortalProcess {
  readonly fetch: Fetch;
  readonly records: LaunchRecordStore;
  readonly dead: boolean;
  /** `CreateFleet`: the call it died at. */
  readonly lastCall: string;
}

export function mortalProcess(
  inner: { readonly fetch: Fetch; readonly records: LaunchRecordStore },
  dieAt: number,
  moment: DeathMoment,
): MortalProcess {
  let calls = 0;
  let dead = false;
  let lastCall = '';
  const die = (): never => {
    dead = true;
    throw new TypeError('fetch failed', { cause: new Error('the process died') });
  };
  const through = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    if (dead) return die();
    calls += 1;
    if (calls > dieAt) return die();
    if (calls < dieAt) return call();
    lastCall = name;
    if (moment === 'after') await call();
    return die();
  };
  const { records } = inner;
  return {
    get dead() {
      return dead;
    },
    get lastCall() {
      return lastCall;
    },
    fetch: (input, init) =>
      through(new URLSearchParams(String(init?.body)).get('Action') ?? 'unknown', () =>
        inner.fetch(input, init),
      ),
    records: {
      textOf: (claim) => records.textOf(claim),
      pending: () => records.pending(),
      ownerOf: (providerID) => records.ownerOf(providerID),
      keep: (claim, text, signal) => through('keep', () => records.keep(claim, text, signal)),
    },
  };
}
