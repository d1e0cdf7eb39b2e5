/** How answers are sent: JSON that is never kept by a browser, compressed where that helps, and errors in the form of the wire. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import type { WireError } from '../wire.ts';
import { SECURITY_HEADERS } from './headers.table.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export const JSON_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
};

export function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(String(headers['accept-encoding'] ?? ''));
}

export async function sendJson(exchange: Exchange, body: unknown): Promise<void> {
  const text = JSON.stringify(body);
  if (text.length < MIN_COMPRESSED || !acceptsGzip(exchange.request))
    return send(exchange, 200, JSON_HEADERS, Buffer.from(text));
  const { gzip } = await import('node:zlib');
  sendGzip(exchange, await promisify(gzip)(text));
}

export function sendGzip(exchange: Exchange, body: Uint8Array): void {
  send(exchange, 200, { ...JSON_HEADERS, 'content-encoding': 'gzip', vary: 'accept-encoding' }, body);
}

export function sendError(
  exchange: Exchange,
  status: number,
  error: WireError,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { request, response } = exchange;
  // What is left of a body is not read.
  if (!request.complete) response.shouldKeepAlive = false;
  send(exchange, status, { ...JSON_HEADERS, ...headers }, Buffer.from(JSON.stringify(error)));
}

export function send(
  { request, response }: Exchange,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

// ---------------------------------------------------------------------------------------------------

const MIN_COMPRESSED = 1_024;
