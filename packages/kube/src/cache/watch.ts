/**
 * Reads a watch: JSON values, one a line, in chunks that end anywhere. Gives the events chunk by chunk, because
 * one await per event would cost more than decoding it. What an event means is left to the reflector.
 */
import { ApiStatusError } from '../client/api-error.ts';
import type { DecodedEvent } from '../client/assert-stored.ts';
import type { KubeObject, WatchEvent } from '../object.ts';
import { withoutManagedFields } from './managed-fields.ts';

export interface DecodeOptions {
  /** Removes `metadata.managedFields` before decoding: it is about half of a pod's text. Default false. */
  readonly omitManagedFields?: boolean;
  /** Longest line that is accepted. Default 32 MiB; etcd's own limit is below 2 MiB an object. */
  readonly maxLineBytes?: number;
}

/** A running watch. Iterate once; `cancel` ends it from outside. */
export interface WatchStream<T extends KubeObject = KubeObject> {
  batches(): AsyncIterable<WatchEvent<T>[]>;
  cancel(): void;
}

/** Events in order, all that a chunk completed at once. Empty lists (a partial line) are passed on as signs of life. */
export async function* decodeWatch(
  chunks: AsyncIterable<Uint8Array>,
  options: DecodeOptions = {},
): AsyncGenerator<DecodedEvent[]> {
  const { maxLineBytes = 32 * 1024 * 1024 } = options;
  const shorten = options.omitManagedFields ? withoutManagedFields : (text: Buffer) => text;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // A newline byte is never part of a longer UTF-8 character, so cutting there is safe, anywhere else it is not.
    const end = bytes.lastIndexOf(NEWLINE);
    if (end < 0) {
      pendingBytes += bytes.length;
      if (pendingBytes > maxLineBytes) throw malformed(`a line of more than ${maxLineBytes} bytes`);
      // The transport may use the chunk's memory again.
      pending.push(Buffer.from(bytes));
      yield [];
      continue;
    }
    const complete = bytes.subarray(0, end);
    const lines = pending.length === 0 ? complete : Buffer.concat([...pending, complete]);
    const rest = bytes.subarray(end + 1);
    pending = rest.length === 0 ? [] : [Buffer.from(rest)];
    pendingBytes = rest.length;
    yield parseLines(shorten(lines).toString('utf8'));
  }
  // A server that ends without a last newline; a partial event is dropped, the next watch delivers it again.
  const tail = shorten(Buffer.concat(pending)).toString('utf8').trim();
  if (tail === '') return;
  const last = tryParse(tail);
  if (last) yield [last];
}

// ------------------------------------------------------------------------------------------------

const NEWLINE = 0x0a;

function parseLines(text: string): DecodedEvent[] {
  const events: DecodedEvent[] = [];
  let from = 0;
  while (from < text.length) {
    let to = text.indexOf('\n', from);
    if (to < 0) to = text.length;
    if (to > from) events.push(parseEvent(text.slice(from, to)));
    from = to + 1;
  }
  return events;
}

function parseEvent(line: string): DecodedEvent {
  const event = tryParse(line);
  if (!event) throw malformed(line.slice(0, 100));
  return event;
}

function tryParse(line: string): DecodedEvent | undefined {
  try {
    const event = JSON.parse(line) as DecodedEvent;
    return typeof event?.type === 'string' && typeof event.object === 'object' && event.object
      ? event
      : undefined;
  } catch {
    return undefined;
  }
}

function malformed(detail: string): ApiStatusError {
  return new ApiStatusError('malformed', `the watch sent an invalid event: ${detail}`);
}
