/** A handler of web requests behind a real socket, plain or with TLS from a private authority. */
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';

export type Handler = (request: Request) => Promise<Response>;

export interface Served {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly handler: Handler;
  readonly port?: number;
  readonly tls?: { readonly certificatePem: string; readonly privateKeyPem: string };
}

/** An answer that stops in the middle: the promised length never comes. */
export const CUT_SHORT = 'x-standin-cut-short';
/** No answer at all. */
export const HANG_UP = 'x-standin-hang-up';

export async function serve(options: ServeOptions): Promise<Served> {
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    void answer(options, incoming, outgoing);
  };
  const server =
    options.tls === undefined
      ? createPlain(listener)
      : createSecure({ cert: options.tls.certificatePem, key: options.tls.privateKeyPem }, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// ---------------------------------------------------------------------------------------------------

async function answer(options: ServeOptions, incoming: IncomingMessage, outgoing: ServerResponse) {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const method = incoming.method ?? 'GET';
  const scheme = options.tls === undefined ? 'http' : 'https';
  const body = Buffer.concat(chunks);
  const request = new Request(`${scheme}://${incoming.headers.host}${incoming.url}`, {
    method,
    headers: incoming.headers as Record<string, string>,
    ...(method === 'GET' || method === 'HEAD' || body.length === 0 ? {} : { body }),
  });
  const response = await options.handler(request);
  const headers = Object.fromEntries(response.headers);
  if (headers[HANG_UP] !== undefined) return void incoming.socket.destroy();
  const content = Buffer.from(await response.arrayBuffer());
  if (headers[CUT_SHORT] !== undefined) {
    outgoing.writeHead(response.status, {
      'content-type': 'application/json',
      'content-length': content.length,
    });
    outgoing.write(content.subarray(0, content.length / 2));
    return void setTimeout(() => incoming.socket.destroy(), 5);
  }
  // Never in chunks: the script that reads it knows none.
  outgoing.writeHead(response.status, { ...headers, 'content-length': content.length });
  outgoing.end(content);
}
