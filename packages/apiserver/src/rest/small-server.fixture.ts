/** A server with a few kinds in virtual time, with a short request function as the administrator. */
import type { KubeObject, Status } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { ApiServer, type ApiServerOptions } from '../server.ts';

export interface Reply<Body = KubeObject & Status & { items: KubeObject[] }> {
  readonly code: number;
  readonly body: Body;
  readonly headers: Headers;
}

export interface SmallServer {
  readonly server: ApiServer;
  readonly world: VirtualWorld;
  /** `GET /api/v1/…`, with a body that is sent as JSON. */
  ask(line: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export async function smallServer(options: Partial<ApiServerOptions> = {}): Promise<SmallServer> {
  const world = virtualWorld();
  const server = await ApiServer.create({ world, ...options });
  const send = server.adminFetch;
  return {
    server,
    world,
    async ask(line, body, headers = {}) {
      const [method, target] = line.split(' ') as [string, string];
      const response = await send(`https://local${target}`, {
        method,
        headers: { ...contentType(method), 'user-agent': 'tester/1', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return { code: response.status, body: json ? JSON.parse(text) : text, headers: response.headers };
    },
  };
}

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
export const PODS = '/api/v1/namespaces/default/pods';

export const aConfigMap = (
  name: string,
  more: Partial<KubeObject['metadata']> & { data?: object } = {},
): KubeObject => {
  const { data, ...metadata } = more;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    ...(data === undefined ? {} : { data }),
  };
};

export const aPod = (
  name: string,
  more: { labels?: Record<string, string>; spec?: object } = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...(more.labels === undefined ? {} : { labels: more.labels }) },
  spec: { containers: [{ name: 'main', image: 'image' }], ...more.spec },
});

/** The lines of a watch, as they arrive. */
export async function* watchLines(
  response: Response,
): AsyncGenerator<{ type: string; object: KubeObject & Status }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body!) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
}

// ---------------------------------------------------------------------------------------------------

function contentType(method: string): Record<string, string> {
  return method === 'PATCH'
    ? { 'content-type': 'application/merge-patch+json' }
    : { 'content-type': 'application/json' };
}
