/** Requests to an API server as an authorizer sees them, with what was answered. */
import type { Transport, TransportRequest } from '@chandler/kube';

export interface Asked {
  readonly verb: string;
  readonly group: string;
  /** With the subresource: `pods/eviction`. */
  readonly resource: string;
  readonly namespace: string;
  /** Also where a list selects one by its name. */
  readonly name: string;
  readonly status: number;
}

export function recorded(send: Transport, log: Asked[]): Transport {
  return async (request) => {
    const answer = await send(request);
    const asked = attributesOf(request);
    if (asked !== undefined) log.push({ ...asked, status: answer.status });
    return answer;
  };
}

// ---------------------------------------------------------------------------------------------------

const PATH =
  /^\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;
const VERBS = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

function attributesOf({ method, path, query = {} }: TransportRequest): Omit<Asked, 'status'> | undefined {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [, group = '', namespace = '', plural = '', named = '', subresource] = match;
  const selected = /^metadata\.name=(.+)$/.exec(String(query['fieldSelector'] ?? ''))?.[1] ?? '';
  const read = named !== '' ? 'get' : query['watch'] === true ? 'watch' : 'list';
  return {
    verb: method === 'GET' ? read : VERBS[method],
    group,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    namespace,
    name: named || selected,
  };
}
