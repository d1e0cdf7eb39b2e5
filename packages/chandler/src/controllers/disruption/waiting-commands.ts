/**
 * Commands that wait for their validation, side by side. They are not kept in the cluster: nothing was done for them yet, and
 * a new leader plans again.
 */
import { type Command, methodNamed } from '../../disruption/index.ts';

/** What may change within this time: a pod that is created, an eviction that a budget no longer allows. */
export const VALIDATION_MS = 15_000;

export class WaitingCommands {
  readonly #commands = new Map<string, { readonly command: Command; readonly sinceMs: number }>();
  readonly #keyOfClaim = new Map<string, string>();

  add(command: Command, nowMs: number): void {
    this.#commands.set(command.key, { command, sinceMs: nowMs });
    for (const { claim } of command.candidates) this.#keyOfClaim.set(claim, command.key);
  }

  /** The command that removes this claim. */
  keyOf(claim: string): string | undefined {
    return this.#keyOfClaim.get(claim);
  }

  /** In the order in which they were given. */
  commands(): readonly Command[] {
    return [...this.#commands.values()].map(({ command }) => command);
  }

  get size(): number {
    return this.#commands.size;
  }

  /** Removes and returns those that have waited long enough, the oldest first. */
  takeDue(nowMs: number): readonly Command[] {
    const due = [...this.#commands.values()].filter(({ sinceMs }) => nowMs - sinceMs >= VALIDATION_MS);
    for (const { command } of due) this.remove(command);
    return due.map(({ command }) => command);
  }

  remove({ key, candidates }: Command): void {
    this.#commands.delete(key);
    for (const { claim } of candidates) this.#keyOfClaim.delete(claim);
  }

  /** Until the next one is due; undefined: none waits. */
  dueInMs(nowMs: number): number | undefined {
    if (this.#commands.size === 0) return undefined;
    const oldest = Math.min(...[...this.#commands.values()].map(({ sinceMs }) => sinceMs));
    return Math.max(0, oldest + VALIDATION_MS - nowMs);
  }
}

/** Drifted nodes are replaced whatever the price, so there is nothing that a wait could show. */
export function needsValidation({ method }: Command): boolean {
  return methodNamed(method).consolidationType !== '';
}
