/**
 * As much of an API server as `chandler top` reads, on a socket, for a cluster of many nodes: lists in pages, and watches
 * that stay open. A line on standard input with a number moves that many pods to the first node. It prints its address.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { ReadObject } from '../packages/chandler/src/causes/index.ts';
import { aClass, aPool } from '../test/why/cluster-objects.ts';
import { aClaim, aNode, anEvent } from '../test/why/objects.ts';
import { runningPod } from './pods.ts';
import { lifeSized } from './why-cluster.ts';

const [NODE_COUNT, POD_COUNT] = process.argv.slice(2).map(Number) as [number, number];
const VERSION = '1000';

const claimName = (at: number) => `default-n${at}`;
const nodeOfPod = (at: number) => `aks-${claimName(at % NODE_COUNT)}`;

interface Listed {
  readonly count: number;
  of(at: number): object;
}

const only = (...objects: readonly object[]): Listed => ({ count: objects.length, of: (at) => objects[at]! });

const LISTS: Readonly<Record<string, Listed>> = {
  nodes: { count: NODE_COUNT, of: (at) => stored(lifeSized(aNode({ claim: claimName(at) })), at) },
  pods: { count: POD_COUNT, of: (at) => podAt(at, nodeOfPod(at), VERSION) },
  nodeclaims: { count: NODE_COUNT, of: (at) => stored(lifeSized(aClaim({ name: claimName(at) })), at) },
  nodepools: only(stored(aPool(), 0)),
  aksnodeclasses: only(stored(aClass(), 0)),
  events: { count: NODE_COUNT, of: (at) => stored(eventAt(at), at) },
};

const watches = new Set<ServerResponse>();
/** Events that a watch which opens late has missed. */
let sent = '';

const http = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://x');
  const plural = pathname.split('/').at(-1)!;
  // Each event has one of the two reasons that are asked for.
  const isOther = searchParams.get('fieldSelector')?.includes('Unconsolidatable') === true;
  const list = isOther ? only() : (LISTS[plural] ?? only());
  response.writeHead(200, { 'content-type': 'application/json' });
  if (searchParams.get('watch') !== null) {
    response.flushHeaders();
    if (plural === 'pods') {
      if (sent !== '') response.write(sent);
      watches.add(response);
    }
    return;
  }
  const from = Number(searchParams.get('continue') ?? 0);
  const to = Math.min(list.count, from + Number(searchParams.get('limit') ?? list.count));
  const items = Array.from({ length: to - from }, (_, at) => JSON.stringify(list.of(from + at)));
  const metadata = { resourceVersion: VERSION, ...(to < list.count ? { continue: String(to) } : {}) };
  response.end(`{"kind":"List","metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`);
});
// A busy machine must not lose idle connections.
http.keepAliveTimeout = 600_000;
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));

const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const lines = Array.from({ length: Number(line) }, (_, at) => {
    const object = podAt(at, nodeOfPod(0), String(Number(VERSION) + 1 + at));
    return `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
  });
  sent = lines.join('');
  for (const watch of watches) watch.write(sent);
});
input.once('close', () => process.exit());

function podAt(at: number, nodeName: string, resourceVersion: string): object {
  const pod = runningPod(at);
  const spec = { ...(pod['spec'] as object), nodeName };
  return { ...pod, metadata: { ...pod.metadata, resourceVersion }, spec };
}

function stored(object: ReadObject, at: number): object {
  return { ...object, metadata: { uid: `uid-${at}`, ...object.metadata, resourceVersion: VERSION } };
}

function eventAt(at: number): ReadObject {
  const message = `Pdb "team-${at % 50}/web" prevents pod evictions`;
  return anEvent({ on: `NodeClaim/${claimName(at)}`, reason: 'DisruptionBlocked', message }, at);
}
