/**
 * Which instance profiles of the cluster nobody uses any more. A profile has to be unused for an hour: a launch takes the
 * profile of its class minutes before the claim names it, and a controller that was restarted does not know such launches.
 */
import type { Clock } from '@chandler/kube';
import type { ListedProfile } from './instance-profiles.ts';

export interface ProfileUses {
  /** `status.instanceProfile` of all node classes. */
  readonly current: ReadonlySet<string>;
  /** What NodeClaims say that their instances were launched with. */
  readonly launched: ReadonlySet<string>;
  /** Of launch templates that may still be used. */
  readonly templates: ReadonlySet<string>;
}

/** Karpenter protects a profile for as long. */
export const UNUSED_MS = 60 * 60_000;

export class UnusedProfiles {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Since when they have been unused, by name. */
  #since = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Those that have been unused in every look of the last hour. */
  observe(profiles: readonly ListedProfile[], uses: ProfileUses): readonly ListedProfile[] {
    const nowMs = this.#clock.monotonic();
    const unused = profiles.filter(({ name }) => !isUsed(name, uses));
    this.#since = new Map(unused.map(({ name }) => [name, this.#since.get(name) ?? nowMs]));
    return unused.filter(({ name }) => nowMs - this.#since.get(name)! >= UNUSED_MS);
  }
}

export function isUsed(name: string, { current, launched, templates }: ProfileUses): boolean {
  return current.has(name) || launched.has(name) || templates.has(name);
}
