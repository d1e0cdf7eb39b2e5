/**
 * What each pod was told last. The same word again is no news for a while; another word is, at once: a pod that was told
 * to wait for a claim, and whose claim is gone, must not go on believing in it.
 */
import { RecentMap } from '@chandler/kube';

const MAX_PODS = 50_000;

export class EventDeduper {
  readonly #words = new RecentMap<{ readonly text: string; readonly turn: number }>(MAX_PODS);

  /** What makes this word the same event as the one before, or another. */
  about(podUid: string, text: string): readonly string[] {
    const last = this.#words.get(podUid);
    const turn = last === undefined ? 0 : last.text === text ? last.turn : last.turn + 1;
    this.#words.set(podUid, { text, turn });
    return [podUid, `${turn}`];
  }
}
