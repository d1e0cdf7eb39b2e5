/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';

/** Undefined: it is larger. Nothing of it is kept then. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // The answer is still to be sent: the connection stays.
  const parts = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of parts) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
