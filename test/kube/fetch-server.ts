/** Puts a `fetch` behind a real socket, so that sockets can be tested with a server that lives in the test. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Fetch } from '@chandler/kube';
import { collect } from '@chandler/kube/testing';

export interface FetchServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function serveFetch(fetch: Fetch, port = 0): Promise<FetchServer> {
  const server = createServer((request, response) => {
    answer(fetch, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

// ------------------------------------------------------------------------------------------------

async function answer(fetch: Fetch, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await collect(request as AsyncIterable<Buffer>));
  const answered = await fetch(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? 'GET',
    headers: request.headers as Record<string, string>,
    ...(body.length === 0 ? {} : { body }),
  });
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.flushHeaders();
  if (!answered.body) {
    response.end();
    return;
  }
  await pipeline(Readable.fromWeb(answered.body as Parameters<typeof Readable.fromWeb>[0]), response);
}
