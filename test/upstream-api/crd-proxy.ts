/**
 * A proxy in front of an API server that stores Chandler's CRDs in place of upstream's. Upstream's suites install their own
 * CRDs before the first spec; the proxy replaces the body of such a request when Chandler has a CRD of the same name. All
 * other requests and answers are passed on unchanged.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export interface CrdProxyOptions {
  /** `https://…` of the API server. */
  readonly url: string;
  readonly caPem: string;
  /** Requests are sent with this token. */
  readonly token: string;
  readonly crds: readonly NamedObject[];
}

export interface CrdProxy {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** The names of the CRDs that were replaced so far. */
  readonly replaced: ReadonlySet<string>;
  close(): Promise<void>;
}

export interface NamedObject {
  readonly metadata: { readonly name: string };
}

export async function startCrdProxy(options: CrdProxyOptions): Promise<CrdProxy> {
  const agent = new Agent({ keepAlive: true, ca: options.caPem });
  const replaced = new Set<string>();
  const server = createServer((incoming, response) => {
    forward({ ...options, agent, replaced }, incoming, response).catch((error: unknown) => {
      response.writeHead(502, { 'content-type': 'text/plain' }).end(`the proxy of the CRDs failed: ${error}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    replaced,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Forwarding extends CrdProxyOptions {
  readonly agent: Agent;
  readonly replaced: Set<string>;
}

async function forward(to: Forwarding, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = { ...incoming.headers, host: new URL(to.url).host, authorization: `Bearer ${to.token}` };
  const body = await bodyOf(incoming);
  const sent = writesCrd(incoming) ? withOurCrd(to, body) : body;
  if (sent.length > 0) headers['content-length'] = String(sent.length);
  const outgoing = request(`${to.url}${incoming.url}`, { agent: to.agent, method: incoming.method, headers });
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // The end of a watch by the client ends it at the server.
    pipeline(answer, response, () => outgoing.destroy());
  });
  outgoing.on('error', (error) => {
    if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
    response.end(`the API server does not answer: ${error.message}`);
  });
  outgoing.end(sent);
}

function writesCrd({ method, url }: IncomingMessage): boolean {
  return (method === 'POST' || method === 'PUT') && (url ?? '').split('?')[0]!.startsWith(CRDS);
}

function withOurCrd({ crds, replaced }: Forwarding, body: Buffer): Buffer {
  const theirs = JSON.parse(body.toString()) as { metadata: { name: string; resourceVersion?: string } };
  const ours = crds.find(({ metadata }) => metadata.name === theirs.metadata.name);
  if (ours === undefined) return body;
  replaced.add(ours.metadata.name);
  const { resourceVersion } = theirs.metadata;
  const metadata = { ...ours.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return Buffer.from(JSON.stringify({ ...ours, metadata }));
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
