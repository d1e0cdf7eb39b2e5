/**
 * Counts every effect of a run and ends it at a chosen one, before or after it happens: from then on nothing more has an
 * effect, as after `kill -9`. Code that catches the error and continues gets it again at the next step.
 */
import type { EffectKind, OnEffect } from '../../packages/chandler/src/flexnode/testing.ts';

export class Killed extends Error {
  constructor(point: string) {
    super(`killed at ${point}`);
    this.name = 'Killed';
  }
}

export interface KillSwitch {
  readonly onEffect: OnEffect;
  /** The same for what is not the host's: calls to Azure, to the cluster, to a mirror. */
  call<T>(what: string, act: () => Promise<T>): Promise<T>;
  /** What there was so far, as `write /etc/fstab (before)`. */
  readonly points: readonly string[];
  readonly dead: boolean;
}

/** `at`: the number of the point, from 0; without it nothing is ended and the points are counted. */
export function killSwitch(at = Number.POSITIVE_INFINITY, onDeath: () => void = () => undefined): KillSwitch {
  const points: string[] = [];
  let dead = false;
  const pass = (point: string) => {
    if (dead) throw new Killed('a point after its death');
    if (points.push(point) - 1 < at) return;
    dead = true;
    onDeath();
    throw new Killed(point);
  };
  return {
    points,
    get dead() {
      return dead;
    },
    onEffect: (kind: EffectKind, what, moment) => pass(`${kind} ${what} (${moment})`),
    async call(what, act) {
      pass(`call ${what} (before)`);
      const answer = await act();
      pass(`call ${what} (after)`);
      return answer;
    },
  };
}
