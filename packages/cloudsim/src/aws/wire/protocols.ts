/**
 * The protocols of the services: which operation a request calls, its parameters, and how answers and errors are written.
 * EC2 has its own query protocol with XML, IAM and STS the plain one, SSM, SQS, Pricing, EventBridge, KMS and Service Quotas
 * JSON with a target header, EKS and zonal shift paths with JSON.
 */
import type { AwsRequest, ServiceName } from './aws-request.ts';
import { EC2_ACTIONS } from './ec2-shapes.table.ts';
import { type AwsError, awsError, ec2Error } from './errors.ts';
import { decodeEc2Params, decodeQueryParams, type Params } from './query-params.ts';
import { ec2ErrorXml, ec2Xml, queryErrorXml, queryXml } from './xml.ts';

export interface RawRequest {
  readonly method: string;
  /** Decoded, without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Protocol {
  /** @throws {AwsError} when the request calls nothing. */
  actionOf(request: RawRequest): string;
  paramsOf(request: RawRequest, action: string): Params;
  answer(call: Pick<AwsRequest, 'action' | 'requestId'>, value: unknown): RawAnswer;
  error(error: AwsError, requestId: string): RawAnswer;
}

export function protocolOf(service: ServiceName): Protocol {
  return PROTOCOLS[service];
}

export function serviceNamed(name: string): ServiceName | undefined {
  return name in PROTOCOLS ? (name as ServiceName) : undefined;
}

// ---------------------------------------------------------------------------------------------------

const XML = { 'content-type': 'text/xml;charset=UTF-8' };
const INVALID_ACTION = 'The action %s is not valid for this web service.';

const EC2: Protocol = {
  actionOf(request) {
    const action = formOf(request).get('Action') ?? '';
    if (!(action in EC2_ACTIONS)) throw ec2Error('InvalidAction', INVALID_ACTION.replace('%s', action));
    return action;
  },
  paramsOf: (request, action) => decodeEc2Params(formOf(request), EC2_ACTIONS[action]![0]),
  answer: ({ action, requestId }, value) => ({
    status: 200,
    headers: { ...XML, 'x-amzn-requestid': requestId },
    body: ec2Xml(action, EC2_ACTIONS[action]![1], value, requestId),
  }),
  error: ({ status, code, message }, requestId) => ({
    status,
    headers: { ...XML, 'x-amzn-requestid': requestId },
    body: ec2ErrorXml(code, message, requestId),
  }),
};

function query(namespace: string): Protocol {
  return {
    actionOf: (request) => formOf(request).get('Action') ?? '',
    paramsOf: (request) => decodeQueryParams(formOf(request)),
    answer: ({ action, requestId }, value) => ({
      status: 200,
      headers: { ...XML, 'x-amzn-requestid': requestId },
      body: queryXml(namespace, action, value, requestId),
    }),
    error: ({ status, code, message }, requestId) => ({
      status,
      headers: { ...XML, 'x-amzn-requestid': requestId },
      body: queryErrorXml(
        namespace,
        { code, message, fault: status < 500 ? 'Sender' : 'Receiver' },
        requestId,
      ),
    }),
  };
}

interface JsonOptions {
  readonly target: string;
  readonly version: '1.0' | '1.1';
  /** Codes of the old query protocol, sent beside those of this one. */
  readonly queryCodes?: Readonly<Record<string, string>>;
  readonly namespace?: string;
}

function json({ target, version, queryCodes = {}, namespace }: JsonOptions): Protocol {
  const contentType = { 'content-type': `application/x-amz-json-${version}` };
  return {
    actionOf({ headers }) {
      const [prefix, action = ''] = (headers['x-amz-target'] ?? '').split('.');
      if (prefix !== target || action === '') throw awsError('UnknownOperationException', '');
      return action;
    },
    paramsOf: ({ body }) => jsonBody(body),
    answer: ({ requestId }, value) => ({
      status: 200,
      headers: { ...contentType, 'x-amzn-requestid': requestId },
      body: jsonText(value ?? {}),
    }),
    error({ status, code, message }, requestId) {
      const queryCode = queryCodes[code];
      return {
        status,
        headers: {
          ...contentType,
          'x-amzn-requestid': requestId,
          ...(queryCode === undefined
            ? {}
            : { 'x-amzn-query-error': `${queryCode};${status < 500 ? 'Sender' : 'Receiver'}` }),
        },
        body: JSON.stringify({ __type: namespace === undefined ? code : `${namespace}#${code}`, message }),
      };
    },
  };
}

interface RestRoute {
  readonly method: string;
  readonly path: RegExp;
  readonly action: string;
}

function rest(routes: readonly RestRoute[]): Protocol {
  const match = ({ method, path }: RawRequest) =>
    routes.find((each) => each.method === method && each.path.test(path));
  return {
    actionOf(request) {
      const route = match(request);
      if (route === undefined) throw awsError('UnknownOperationException', '', 404);
      return route.action;
    },
    paramsOf(request) {
      const names = match(request)!.path.exec(request.path)!.groups ?? {};
      const fromPath = Object.fromEntries(
        Object.entries(names).map(([name, value]) => [name, decodeURIComponent(value)]),
      );
      return { ...jsonBody(request.body), ...queryParams(request.query), ...fromPath };
    },
    answer: ({ requestId }, value) => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'x-amzn-requestid': requestId },
      body: jsonText(value ?? {}),
    }),
    error: ({ status, code, message }, requestId) => ({
      status,
      headers: {
        'content-type': 'application/json',
        'x-amzn-requestid': requestId,
        'x-amzn-errortype': code,
      },
      body: JSON.stringify({ message }),
    }),
  };
}

const inCluster = (list: string, name?: string) =>
  new RegExp(`^/clusters/(?<clusterName>[^/]+)/${list}${name === undefined ? '' : `/(?<${name}>[^/]+)`}$`);
const ASSOCIATIONS = inCluster('pod-identity-associations');
const ASSOCIATION = inCluster('pod-identity-associations', 'associationId');
const TAGS = /^\/tags\/(?<resourceArn>.+)$/;
const PROTOCOLS: Readonly<Record<ServiceName, Protocol>> = {
  ec2: EC2,
  iam: query('https://iam.amazonaws.com/doc/2010-05-08/'),
  sts: query('https://sts.amazonaws.com/doc/2011-06-15/'),
  ssm: json({ target: 'AmazonSSM', version: '1.1' }),
  pricing: json({ target: 'AWSPriceListService', version: '1.1' }),
  events: json({ target: 'AWSEvents', version: '1.1' }),
  kms: json({ target: 'TrentService', version: '1.1' }),
  servicequotas: json({ target: 'ServiceQuotasV20190624', version: '1.1' }),
  sqs: json({
    target: 'AmazonSQS',
    version: '1.0',
    namespace: 'com.amazonaws.sqs',
    queryCodes: {
      QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
      QueueNameExists: 'QueueAlreadyExists',
      QueueDeletedRecently: 'AWS.SimpleQueueService.QueueDeletedRecently',
      ReceiptHandleIsInvalid: 'ReceiptHandleIsInvalid',
      AccessDeniedException: 'AccessDenied',
    },
  }),
  eks: rest([
    { method: 'GET', path: /^\/clusters\/(?<name>[^/]+)$/, action: 'DescribeCluster' },
    { method: 'GET', path: inCluster('access-entries'), action: 'ListAccessEntries' },
    { method: 'POST', path: inCluster('access-entries'), action: 'CreateAccessEntry' },
    { method: 'GET', path: inCluster('access-entries', 'principalArn'), action: 'DescribeAccessEntry' },
    { method: 'DELETE', path: inCluster('access-entries', 'principalArn'), action: 'DeleteAccessEntry' },
    { method: 'GET', path: inCluster('addons'), action: 'ListAddons' },
    { method: 'GET', path: inCluster('addons', 'addonName'), action: 'DescribeAddon' },
    { method: 'GET', path: ASSOCIATIONS, action: 'ListPodIdentityAssociations' },
    { method: 'POST', path: ASSOCIATIONS, action: 'CreatePodIdentityAssociation' },
    { method: 'GET', path: ASSOCIATION, action: 'DescribePodIdentityAssociation' },
    { method: 'DELETE', path: ASSOCIATION, action: 'DeletePodIdentityAssociation' },
    { method: 'GET', path: TAGS, action: 'ListTagsForResource' },
    { method: 'POST', path: TAGS, action: 'TagResource' },
    { method: 'DELETE', path: TAGS, action: 'UntagResource' },
  ]),
  'arc-zonal-shift': rest([
    { method: 'GET', path: /^\/managedresources\/(?<resourceIdentifier>.+)$/, action: 'GetManagedResource' },
  ]),
};

/** A name that is there several times is a list. */
function queryParams(query: URLSearchParams): Params {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function formOf({ method, query, body }: RawRequest): ReadonlyMap<string, string> {
  return new Map(method === 'GET' ? query : new URLSearchParams(body));
}

function jsonBody(body: string): Params {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Params;
  } catch {
    // The same answer as for a body of the wrong type.
  }
  throw awsError('SerializationException', 'the body of the request is no JSON object');
}

/** Times are seconds since the epoch. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, each: unknown) {
    const raw = this[key];
    return raw instanceof Date ? raw.getTime() / 1000 : each;
  });
}
