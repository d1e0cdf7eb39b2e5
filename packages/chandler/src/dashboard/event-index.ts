/** Events by the object that they are about. */
import type { ReadEvent } from '../diagnose/index.ts';
import { subjectOfEvent } from './top-nodes.ts';

export class EventIndex {
  /** By `Kind/name`, then by the UID of the event. */
  readonly #events = new Map<string, Map<string, ReadEvent>>();

  add(uid: string, event: ReadEvent): void {
    const subject = subjectOfEvent(event);
    let own = this.#events.get(subject);
    if (own === undefined) {
      own = new Map();
      this.#events.set(subject, own);
    }
    own.set(uid, event);
  }

  remove(uid: string, event: ReadEvent): void {
    const subject = subjectOfEvent(event);
    const own = this.#events.get(subject);
    own?.delete(uid);
    if (own?.size === 0) this.#events.delete(subject);
  }

  /** @param subject `Node/x`. */
  about(subject: string): readonly ReadEvent[] {
    return [...(this.#events.get(subject)?.values() ?? [])];
  }
}
