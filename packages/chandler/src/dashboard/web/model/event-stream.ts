/** Reads server-sent events from pieces of text: what EventSource does, for a stream that is fetched with a header. Pure. */

export interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export class EventStreamReader {
  #rest = '';
  #id = '';
  #event = '';
  #data: string[] = [];

  /** The events that are complete with this piece. */
  read(piece: string): ServerEvent[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    const events: ServerEvent[] = [];
    for (const line of lines) {
      if (line !== '') this.#field(line);
      else if (this.#data.length > 0) {
        events.push({ id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') });
        this.#data = [];
        this.#event = '';
      } else this.#event = '';
    }
    return events;
  }

  #field(line: string): void {
    // A comment.
    if (line.startsWith(':')) return;
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id') this.#id = value;
  }
}
