/**
 * Requests to AWS as the record and the checkers see them: service, action and parameters, read from the wire. Errors that AWS did
 * not send itself look as those of the service.
 */
import type { CloudCall, RefusalCode } from '../personality.ts';
import { methodOf, pathOf } from '../request.ts';

/** The path is `ec2:CreateFleet`. */
export function readCall(input: string | URL | Request, init: RequestInit | undefined): CloudCall {
  const method = methodOf(init);
  const { service, action, body } = actionOf(input, init);
  return {
    method,
    path: `${service}:${action}`,
    query: '',
    body,
    writes: isWrite(service, action, body),
    isSignIn: action === 'AssumeRoleWithWebIdentity',
  };
}

export type AwsBody = Readonly<Record<string, unknown>>;

export function refusal(code: RefusalCode, { path }: CloudCall): Response {
  const [service = ''] = path.split(':');
  const [name, status] = (service === 'ec2' ? EC2_ERRORS : OTHER_ERRORS)[code];
  const message = 'made up by the network of a test';
  if (service === 'ec2')
    return xml(
      status,
      `<Response><Errors><Error><Code>${name}</Code><Message>${message}</Message></Error></Errors><RequestID>made-up</RequestID></Response>`,
    );
  if (service === 'iam' || service === 'sts')
    return xml(
      status,
      `<ErrorResponse><Error><Type>Sender</Type><Code>${name}</Code><Message>${message}</Message></Error><RequestId>made-up</RequestId></ErrorResponse>`,
    );
  return new Response(JSON.stringify({ __type: name, message }), {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': name },
  });
}

// ---------------------------------------------------------------------------------------------------

const EC2_ERRORS: Readonly<Record<RefusalCode, readonly [code: string, status: number]>> = {
  403: ['UnauthorizedOperation', 403],
  409: ['IncorrectState', 400],
  429: ['RequestLimitExceeded', 503],
  500: ['InternalError', 500],
};
const OTHER_ERRORS: typeof EC2_ERRORS = {
  403: ['AccessDenied', 403],
  409: ['ConcurrentModification', 409],
  429: ['Throttling', 400],
  500: ['InternalFailure', 500],
};

const TARGETS: Readonly<Record<string, string>> = {
  AmazonSQS: 'sqs',
  AmazonSSM: 'ssm',
  AWSPriceListService: 'pricing',
};

function actionOf(input: string | URL | Request, init: RequestInit | undefined) {
  const headers = (init?.headers ?? {}) as Readonly<Record<string, string>>;
  const text = typeof init?.body === 'string' ? init.body : '';
  const [target = '', named] = (headers['x-amz-target'] ?? '').split('.');
  if (named !== undefined)
    return { service: TARGETS[target] ?? target, action: named, body: JSON.parse(text || '{}') as AwsBody };
  const [, service = 'sts'] = /\/([a-z0-9-]+)\/aws4_request/.exec(headers['authorization'] ?? '') ?? [];
  if (service === 'eks') return { service, action: pathOf(input), body: {} };
  if (service === 'arc-zonal-shift') return { service, action: 'GetManagedResource', body: {} };
  const body: AwsBody = Object.fromEntries(new URLSearchParams(text));
  return { service, action: String(body['Action'] ?? pathOf(input)), body };
}

/** Long polls change nothing, and neither do dry runs. */
function isWrite(service: string, action: string, body: AwsBody): boolean {
  if (service === 'sts' || service === 'eks' || service === 'pricing') return false;
  return !/^(?:Describe|Get|List|Receive)/.test(action) && body['DryRun'] !== 'true';
}

function xml(status: number, body: string): Response {
  return new Response(body, { status, headers: { 'content-type': 'text/xml;charset=UTF-8' } });
}
