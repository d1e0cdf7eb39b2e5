/**
 * Which requests to AWS change something, read from the request itself, so that observe mode and the loss of the lease hold for whatever
 * sends it. What is not known to be a read is a write.
 */
import type { WriteOf } from '../../index.ts';
import { ACTIONS, type ActionRow, type AwsService } from './actions.table.ts';

/** `ec2:CreateFleet`; undefined when the request changes nothing. A dry run changes nothing. */
export const awsWriteOf: WriteOf = (input, init) => {
  const request = readRequest(input, init);
  const { service, action, params } = callOf(request);
  if (action === undefined)
    return isPlainRead(request) ? undefined : `${request.method} ${request.url.pathname}`;
  if (OTHER_READS.has(action)) return undefined;
  const row = service === undefined ? undefined : rowOf(service, action);
  if (row?.writes === false) return undefined;
  if (service === 'ec2' && params?.get('DryRun') === 'true') return undefined;
  return `${service ?? request.url.hostname}:${action}`;
};

// ---------------------------------------------------------------------------------------------------------------

/** Of the providers of credentials. */
const OTHER_READS: ReadonlySet<string> = new Set(['AssumeRole', 'AssumeRoleWithWebIdentity']);

/** By the first part of `x-amz-target`. */
const TARGETS: Readonly<Record<string, AwsService>> = {
  AmazonSQS: 'sqs',
  AmazonSSM: 'ssm',
  AWSEvents: 'events',
  AWSPriceListService: 'pricing',
  ServiceQuotasV20190624: 'servicequotas',
  TrentService: 'kms',
};

const EKS_ROUTES: readonly (readonly [method: string, path: RegExp, action: string])[] = [
  ['GET', /^\/clusters\/[^/]+$/, 'DescribeCluster'],
  ['POST', /^\/clusters\/[^/]+\/access-entries$/, 'CreateAccessEntry'],
  ['DELETE', /^\/clusters\/[^/]+\/access-entries\/[^/]+$/, 'DeleteAccessEntry'],
  ['POST', /^\/clusters\/[^/]+\/pod-identity-associations$/, 'CreatePodIdentityAssociation'],
  ['DELETE', /^\/clusters\/[^/]+\/pod-identity-associations\/[^/]+$/, 'DeletePodIdentityAssociation'],
];

interface ReadRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Undefined: it cannot be read here. */
  readonly body: string | undefined;
}

interface ReadCall {
  readonly service: AwsService | undefined;
  readonly action: string | undefined;
  readonly params: URLSearchParams | undefined;
}

function readRequest(...[input, init]: Parameters<WriteOf>): ReadRequest {
  const isRequest = input instanceof Request;
  const body = init?.body ?? (isRequest && input.body !== null ? undefined : '');
  return {
    method: (init?.method ?? (isRequest ? input.method : 'GET')).toUpperCase(),
    url: new URL(isRequest ? input.url : input),
    headers: new Headers(init?.headers ?? (isRequest ? input.headers : {})),
    body: typeof body === 'string' ? body : undefined,
  };
}

function callOf({ method, url, headers, body }: ReadRequest): ReadCall {
  const [target, named] = (headers.get('x-amz-target') ?? '').split('.');
  if (named !== undefined) return { service: TARGETS[target!], action: named, params: undefined };
  const service = signedService(headers);
  if (service === 'eks') {
    const route = EKS_ROUTES.find(([verb, path]) => verb === method && path.test(url.pathname));
    return { service, action: route?.[2], params: undefined };
  }
  // The query protocol takes its parameters from the URL, too.
  const params = new URLSearchParams(body ?? '');
  for (const [name, value] of url.searchParams) params.append(name, value);
  // Two of them are more than we know how AWS reads.
  const actions = params.getAll('Action');
  return { service, action: actions.length > 1 ? actions.join('+') : actions[0], params };
}

/** From the scope of the signature. */
function signedService(headers: Headers): AwsService | undefined {
  const scope = /Credential=[^/,]+\/\d+\/[^/,]+\/([^/,]+)\/aws4_request/.exec(
    headers.get('authorization') ?? '',
  );
  const name = scope?.[1];
  return name !== undefined && Object.hasOwn(ACTIONS, name) ? (name as AwsService) : undefined;
}

function rowOf(service: AwsService, action: string): ActionRow | undefined {
  const method = action.charAt(0).toLowerCase() + action.slice(1);
  const rows = ACTIONS[service] as Readonly<Record<string, ActionRow>>;
  return Object.hasOwn(rows, method) ? rows[method] : undefined;
}

/** Metadata and credentials of the machine; the token of its metadata service is asked for with PUT. */
function isPlainRead({ method, url }: ReadRequest): boolean {
  if (method === 'PUT') return url.pathname === '/latest/api/token';
  return method === 'GET' || method === 'HEAD';
}
