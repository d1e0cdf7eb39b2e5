/** As much of an API server as reading takes: gets and lists with selectors, as JSON over a socket. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ObjectReader, ReadObject } from '../packages/chandler/src/causes/index.ts';

export async function serve(objects: ObjectReader): Promise<{ readonly url: string; close(): void }> {
  const http = createServer((request, response) => {
    void answerTo(objects, new URL(request.url!, 'http://x')).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => http.close(() => undefined).closeAllConnections() };
}

// ---------------------------------------------------------------------------------------------------

async function answerTo(objects: ObjectReader, { pathname, searchParams }: URL) {
  const match =
    /^\/apis?(?:\/([^/]+\.[^/]+|apps|policy))?\/v[^/]+(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?$/.exec(
      pathname,
    );
  const [, group = '', namespace, plural = '', name] = match ?? [];
  const resource = { group, version: 'v1', plural, kind: '', namespaced: namespace !== undefined };
  const looked =
    name === undefined
      ? await objects.list(resource, {
          ...(namespace === undefined ? {} : { namespace }),
          labels: selectorOf(searchParams.get('labelSelector')),
          fields: selectorOf(searchParams.get('fieldSelector')),
        })
      : await objects.get(resource, { name, ...(namespace === undefined ? {} : { namespace }) });
  if (!('found' in looked)) {
    const details = name === undefined ? {} : { name };
    return {
      status: 404,
      body: { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, details },
    };
  }
  return {
    status: 200,
    body: Array.isArray(looked.found)
      ? { kind: 'List', metadata: { resourceVersion: '1' }, items: looked.found.map(versioned) }
      : versioned(looked.found as ReadObject),
  };
}

function versioned(object: ReadObject): ReadObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
}

function selectorOf(text: string | null): Record<string, string> {
  return Object.fromEntries(
    (text ?? '').split(',').flatMap((pair) => (pair === '' ? [] : [pair.split('=') as [string, string]])),
  );
}
