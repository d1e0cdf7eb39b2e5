/**
 * Controllers of tests run under the account of deploy/rbac.yaml, and what they request is recorded: a request that RBAC
 * refuses fails the test, and `npm run test:cluster` finds rules that nothing used. It reads the records from the folder
 * CHANDLER_ROLE_USE, one file per process.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiServer } from '@chandler/apiserver';
import { type Fetch, fetchTransport, KubeClient } from '@chandler/kube';
import {
  type BaseRoles,
  covers,
  type OptionalRoles,
  type Request,
  readRules,
  requestOf,
} from './role-rules.ts';
import { CONTROLLER_USER, roleObjects } from './roles.ts';

export const DEFAULT_BOOTSTRAP_TOKEN = 'abcdef.0123456789abcdef';

/** Grants the roles, and returns a `fetch` of the account that records its requests. */
export async function controllerFetch(
  server: ApiServer,
  bootstrapToken = DEFAULT_BOOTSTRAP_TOKEN,
  optional: readonly OptionalRoles[] = [],
  base: BaseRoles = 'rbac.yaml',
): Promise<Fetch> {
  const admin = new KubeClient({ transport: fetchTransport(server.adminFetch) });
  for (const [resource, object] of roleObjects(bootstrapToken, optional, base))
    if ((await admin.find(resource, keyOf(object.metadata))) === undefined)
      await admin.create(resource, object);
  return recordingFetch(server, bootstrapToken, optional, base);
}

/** The same for a server that has the roles already. */
export function recordingFetch(
  server: ApiServer,
  bootstrapToken = DEFAULT_BOOTSTRAP_TOKEN,
  optional: readonly OptionalRoles[] = [],
  base: BaseRoles = 'rbac.yaml',
): Fetch {
  const send = server.fetchAs(CONTROLLER_USER);
  const log = logOf(server, { bootstrapToken, optional, base });
  return (url, init) => {
    const answered = send(url, init);
    const request = requestOf(init?.method ?? 'GET', new URL(url));
    // Beside the answer, not in its way: suites in virtual time count on how soon it arrives.
    if (request !== undefined)
      void answered.then(
        ({ status }) => {
          log.used.set(JSON.stringify(request), request);
          if (status === 403) log.refused.push(request);
        },
        () => undefined,
      );
    return answered;
  };
}

/** The server as the playground's controller sees it: requests of the account are recorded. */
export function recordingServer(
  server: ApiServer,
  bootstrapToken?: string,
  base: BaseRoles = 'rbac.yaml',
): ApiServer {
  return new Proxy(server, {
    get(target, key) {
      if (key === 'fetchAs')
        return (user: { readonly username: string }) =>
          user.username === CONTROLLER_USER.username
            ? recordingFetch(target, bootstrapToken, [], base)
            : target.fetchAs(user as never);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Called at the end of a test. @throws when RBAC refused a request; a refusal of an admission plugin is none of it. */
export function checkRoleUse(server: ApiServer): void {
  const log = logs.get(server);
  if (log === undefined) return;
  logs.delete(server);
  const rules = readRules(log.bootstrapToken, log.optional, log.base);
  const refused = log.refused.filter((request) => !rules.some((rule) => covers(rule, request)));
  record([...log.used.values()]);
  if (refused.length > 0)
    throw new Error(
      `deploy/${log.base} does not allow ${refused.map((one) => JSON.stringify(one)).join(', ')}`,
    );
}

/** Adds requests to the record of this run, when there is one. */
export function record(requests: readonly Request[]): void {
  const folder = process.env['CHANDLER_ROLE_USE'];
  if (folder === undefined || requests.length === 0) return;
  const lines = requests.map((request) => `${JSON.stringify(withoutToken(request))}\n`);
  appendFileSync(join(folder, `${process.pid}.jsonl`), [...new Set(lines)].join(''));
}

/** Every request that the suites of this run recorded. */
export function readRecords(folder: string): Request[] {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return [...new Set(lines)].filter((line) => line !== '').map((line) => JSON.parse(line) as Request);
}

// ---------------------------------------------------------------------------------------------------

interface LogRoles {
  readonly bootstrapToken: string;
  readonly optional: readonly OptionalRoles[];
  readonly base: BaseRoles;
}

interface Log extends LogRoles {
  readonly used: Map<string, Request>;
  readonly refused: Request[];
}

const logs = new WeakMap<ApiServer, Log>();

function logOf(server: ApiServer, roles: LogRoles): Log {
  const log = logs.get(server) ?? { ...roles, used: new Map(), refused: [] };
  logs.set(server, log);
  return log;
}

function keyOf({ name, namespace }: { name?: string; namespace?: string }) {
  return { name: name!, ...(namespace === undefined ? {} : { namespace }) };
}

/** Every cluster has its own token; deploy/rbac.yaml has a placeholder. */
function withoutToken(request: Request): Request {
  return request.name.startsWith('bootstrap-token-')
    ? { ...request, name: 'bootstrap-token-TOKENID' }
    : request;
}
