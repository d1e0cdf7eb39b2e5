/**
 * The way of the page to the API server. It reads and never writes; it reads no Secret, and of ConfigMaps only those of this
 * product, by their names. What asks for more gets the answer of a server that does not permit it, whatever the credentials
 * would allow.
 */
import type { Transport, TransportRequest, TransportResponse } from '@chandler/kube';
import { KEPT_COMMANDS_NAME, KEPT_JOURNEYS_NAME } from '../diagnose/index.ts';
import { FREEZE_CONFIG_MAP } from '../disruption/index.ts';

export function readOnly(send: Transport): Transport {
  return async (request) => {
    const refusal = refusalOf(request);
    return refusal === undefined ? send(request) : forbidden(refusal);
  };
}

// ---------------------------------------------------------------------------------------------------

const OWN_CONFIG_MAPS: readonly string[] = [KEPT_JOURNEYS_NAME, KEPT_COMMANDS_NAME, FREEZE_CONFIG_MAP];

/** Undefined: it is permitted. */
function refusalOf({ method, path, query }: TransportRequest): string | undefined {
  if (method !== 'GET') return `the page only reads; it does not send ${method}`;
  const { resource, name, subresource } = target(path);
  if (subresource !== '' && subresource !== 'log' && subresource !== 'status')
    return `the page does not read ${resource}/${subresource}`;
  if (resource === 'secrets') return 'the page reads no secrets';
  if (resource !== 'configmaps') return undefined;
  const names = name === '' ? [selectedName(query?.['fieldSelector'])] : [name];
  return names.every((each) => OWN_CONFIG_MAPS.includes(each))
    ? undefined
    : 'of configmaps the page reads only those of this product';
}

/** `/api/v1/namespaces/shop/pods/web/log`; paths are escaped already. */
function target(path: string): {
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
} {
  const parts = path
    .split('?', 1)[0]!
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decodeURIComponent(part));
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = '', name = '', subresource = ''] = isInNamespace ? rest.slice(2) : rest;
  return { resource, name, subresource };
}

function selectedName(fieldSelector: unknown): string {
  return /^metadata\.name=([^,]+)$/.exec(String(fieldSelector ?? ''))?.[1] ?? '';
}

function forbidden(message: string): TransportResponse {
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `forbidden: ${message}`,
    reason: 'Forbidden',
    code: 403,
  });
  return {
    status: 403,
    headers: { 'content-type': 'application/json' },
    text: async () => body,
    async *chunks() {
      yield new TextEncoder().encode(body);
    },
    cancel: () => undefined,
  };
}
