/**
 * Remembers the last event of each pod. The same message is a duplicate for some time; a different message is
 * published at once, because a pod that was nominated to a claim needs an event when the claim is gone.
 */
import { RecentMap } from '@chandler/kube';

const MAX_PODS = 50_000;

export class EventDeduper {
  readonly #deduper = new RecentMap<{ readonly text: string; readonly turn: number }>(MAX_PODS);

  /** The dedupe values of this message: equal for a repeated message, new for another one. */
  about(podUid: string, text: string): readonly string[] {
    const last = this.#deduper.get(podUid);
    const turn = last === undefined ? 0 : last.text === text ? last.turn : last.turn + 1;
    this.#deduper.set(podUid, { text, turn });
    return [podUid, `${turn}`];
  }
}
