/** Paths that name no resource: discovery, OpenAPI, version, health, metrics. */
import { discoveryAnswer } from '../edge/discovery.ts';
import { openApiAnswer } from '../edge/openapi.ts';
import { methodNotAllowed } from '../errors.ts';
import { type ApiAnswer, type ApiRequest, jsonAnswer } from './answer.ts';
import type { Parts } from './parts.ts';
import type { Target } from './route.ts';

export const VERSION_INFO = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3+chandler',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.26.8',
  compiler: 'gc',
  platform: 'linux/amd64',
} as const;

export function answerPath(parts: Parts, request: ApiRequest, { path, query }: Target): ApiAnswer {
  const known =
    (path === '/version' || path === '/version/' ? jsonAnswer(200, VERSION_INFO) : undefined) ??
    healthAnswer(path, query) ??
    (path === '/metrics' ? metricsAnswer(parts) : undefined) ??
    (path === '/' ? jsonAnswer(200, { paths: rootPaths(parts) }) : undefined) ??
    documentAnswer(parts, request, path);
  if (known === undefined) return pageNotFound();
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  return known;
}

export function pageNotFound(): ApiAnswer {
  return {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: '404 page not found\n',
  };
}

// ---------------------------------------------------------------------------------------------------

const HEALTH_CHECKS = ['ping', 'log', 'etcd', 'poststarthook/start-apiextensions-informers', 'shutdown'];
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

function healthAnswer(path: string, query: URLSearchParams | undefined): ApiAnswer | undefined {
  const [, root = '', ...check] = path.split('/');
  if (!HEALTH_PATHS.has(`/${root}`)) return undefined;
  const name = check.join('/');
  if (name !== '' && !HEALTH_CHECKS.includes(name)) return undefined;
  const lines = HEALTH_CHECKS.map((each) => `[+]${each} ok\n`).join('');
  const body = query?.has('verbose') && name === '' ? `${lines}${root} check passed\n` : 'ok';
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

function metricsAnswer({ store }: Parts): ApiAnswer {
  const lines = [
    '# HELP apiserver_storage_objects [STABLE] Number of stored objects at the time of last check split by kind.',
    '# TYPE apiserver_storage_objects gauge',
    ...store.keys().map((key) => `apiserver_storage_objects{resource="${key}"} ${store.count(key)}`),
    '# HELP chandler_apiserver_revision Revision of the last write.',
    '# TYPE chandler_apiserver_revision counter',
    `chandler_apiserver_revision ${store.revision}`,
  ];
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: `${lines.join('\n')}\n`,
  };
}

function rootPaths({ catalogue }: Parts): string[] {
  const paths = new Set([
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ]);
  for (const { group, version } of catalogue.all()) {
    if (group === '') paths.add(`/api/${version}`);
    else paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
  }
  return [...paths].sort();
}

function documentAnswer({ catalogue }: Parts, request: ApiRequest, path: string): ApiAnswer | undefined {
  const discovery = discoveryAnswer(path, request.headers['accept'], catalogue);
  if (discovery !== undefined) {
    return {
      status: 200,
      headers: { 'content-type': discovery.contentType },
      body: rendered(discovery.body),
    };
  }
  const document = openApiAnswer(path, catalogue, request.headers['accept']);
  if (document === undefined) return undefined;
  const headers = {
    'content-type': document.contentType,
    ...(document.etag === undefined ? {} : { etag: document.etag }),
  };
  if (document.etag !== undefined && request.headers['if-none-match'] === document.etag) {
    return { status: 304, headers, body: '' };
  }
  return { status: 200, headers, body: rendered(document.body) };
}

/** These documents are large and long-lived: each is written out once. */
const texts = new WeakMap<object, string>();

function rendered(body: object | string): string {
  if (typeof body === 'string') return body;
  let text = texts.get(body);
  if (text === undefined) {
    text = JSON.stringify(body);
    texts.set(body, text);
  }
  return text;
}
