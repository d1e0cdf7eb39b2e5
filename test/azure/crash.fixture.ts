/** A process that dies at its n-th call to Azure: just before the call got there, or just after it was acted on. */
import type { Fetch } from '@chandler/kube';

export type DeathMoment = 'before' | 'after';

export interface MortalFetch {
  readonly fetch: Fetch;
  readonly dead: boolean;
  /** `PUT virtualMachines/aks-a`: the call it died at. */
  readonly lastCall: string;
}

export function mortalFetch(inner: Fetch, dieAt: number, moment: DeathMoment): MortalFetch {
  let calls = 0;
  let dead = false;
  let lastCall = '';
  const die = (): never => {
    dead = true;
    throw new TypeError('fetch failed', { cause: new Error('the process died') });
  };
  return {
    get dead() {
      return dead;
    },
    get lastCall() {
      return lastCall;
    },
    fetch: async (input, init) => {
      if (dead) return die();
      calls += 1;
      lastCall = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname.split('/').slice(-2).join('/')}`;
      if (calls < dieAt) return inner(input, init);
      if (moment === 'after') await inner(input, init);
      return die();
    },
  };
}
