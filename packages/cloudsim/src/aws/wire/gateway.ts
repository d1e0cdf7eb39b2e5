/**
 * Processes every call in the order of AWS: service, action, signature, throttling, parameters, rights, then the operation.
 * Faults of requests and answers are triggered here. No input of a caller makes it throw.
 */
import type { AwsContext } from '../context.ts';
import type { Fault, FaultSubject } from '../faults/fault.ts';
import { numberOf } from '../faults/parse-fault.ts';
import type { AwsRequest, Operation, Principal, ServiceName } from './aws-request.ts';
import { AwsError, awsError, ec2Error, requestLimitExceeded } from './errors.ts';
import { type Protocol, protocolOf, type RawAnswer, type RawRequest, serviceNamed } from './protocols.ts';
import { readAuthorization } from './sigv4.ts';
import type { Throttles } from './throttle.ts';

/** A request as a server reads it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Aborted when the caller closed the connection. */
  readonly signal?: AbortSignal;
}

export interface WireReply extends RawAnswer {
  /** The connection is reset instead. */
  readonly cut?: boolean;
}

/** Paths that are no calls of AWS: instance metadata and the playground's own. */
export interface OwnPath {
  readonly prefix: string;
  handle(request: RawRequest): WireReply | Promise<WireReply>;
}

export class Gateway {
  readonly #context: AwsContext;
  readonly #operations = new Map<string, Operation>();
  readonly #throttles: Throttles | undefined;
  readonly #ownPaths: OwnPath[] = [];

  constructor(context: AwsContext, operations: readonly Operation[], throttles: Throttles | undefined) {
    this.#context = context;
    this.#throttles = throttles;
    for (const operation of operations)
      this.#operations.set(`${operation.service} ${operation.action}`, operation);
  }

  serve(path: OwnPath): void {
    this.#ownPaths.push(path);
  }

  async handle(wire: WireRequest): Promise<WireReply> {
    const { world, latencies } = this.#context;
    const raw = rawRequest(wire);
    const own = this.#ownPaths.find(({ prefix }) => raw.path.startsWith(prefix));
    if (own !== undefined) return await own.handle(raw);
    const call = new CallState(world.clock.now(), world.random.uuid());
    let reply: WireReply;
    try {
      if (latencies.requestMs > 0) await this.#pause(latencies.requestMs * (0.5 + world.random.next()));
      const answer = await this.#answer(wire, raw, call);
      reply = this.#afterwards(call, answer);
    } catch (error) {
      reply = this.#refused(call, error);
    }
    this.#context.calls.add({
      service: call.service ?? '',
      action: call.action,
      status: reply.cut ? 0 : reply.status,
      atMs: call.atMs,
      requestId: call.requestId,
      ...(call.code === undefined ? {} : { code: call.code }),
      ...(call.principal === undefined ? {} : { principal: call.principal.arn }),
      ...(call.faults.length === 0 ? {} : { faults: call.faults }),
    });
    return { ...reply, headers: { ...reply.headers, date: new Date(world.clock.now()).toUTCString() } };
  }

  async #answer(wire: WireRequest, raw: RawRequest, call: CallState): Promise<RawAnswer> {
    const service = serviceOf(raw);
    call.service = service;
    const protocol = protocolOf(service);
    call.protocol = protocol;
    call.action = protocol.actionOf(raw);
    const operation = this.#operations.get(`${service} ${call.action}`);
    if (operation === undefined)
      throw awsError(
        'InvalidAction',
        `Could not find operation ${call.action} of ${service} in the simulator`,
      );
    const { authentication, settings, access } = this.#context;
    const principal = operation.open ? ANONYMOUS : authentication.verify(wire, service, settings.region);
    call.principal = principal;
    const params = protocol.paramsOf(raw, call.action);
    const request: AwsRequest = {
      service,
      action: call.action,
      params,
      principal,
      requestId: call.requestId,
      signal: wire.signal,
    };
    call.subject = { service, action: call.action, ...operation.subject?.(request) };
    const throttled = this.#throttles?.take(request);
    if (throttled !== undefined) throw throttled;
    await this.#beforehand(call);
    if (!operation.open)
      access.require(principal, operation.rights?.(request) ?? [anyRight(request)], service);
    return protocol.answer(request, await operation.handle(request));
  }

  async #beforehand(call: CallState): Promise<void> {
    const fault = this.#context.faults.trigger('request', call.subject);
    if (fault === undefined) return;
    call.faults.push(fault.name);
    if (fault.name === 'slow') return await this.#pause(numberOf(fault));
    if (fault.name === 'timeout') await this.#pause(numberOf(fault));
    throw requestFault(fault, call);
  }

  #afterwards(call: CallState, reply: RawAnswer): WireReply {
    const fault = this.#context.faults.trigger('answer', call.subject);
    if (fault === undefined) return reply;
    call.faults.push(fault.name);
    switch (fault.name) {
      case 'lost-response':
        return CUT;
      case 'late-500':
        return this.#refused(call, internalError(call.service!));
      case 'truncated':
        return { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) };
      default:
        return {
          ...reply,
          headers: { 'content-type': 'text/html' },
          body: '<html><body>Unavailable</body></html>',
        };
    }
  }

  #refused(call: CallState, error: unknown): WireReply {
    if (error instanceof ConnectionCut) return CUT;
    let refusal = error;
    if (!(refusal instanceof AwsError)) {
      this.#context.world.log.error('the AWS server failed to handle a request', {
        service: call.service,
        action: call.action,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      refusal = internalError(call.service ?? 'ec2');
    }
    call.code = (refusal as AwsError).code;
    return (call.protocol ?? protocolOf('ec2')).error(refusal as AwsError, call.requestId);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#context.schedule.after(ms, resolve);
    });
  }
}

// ---------------------------------------------------------------------------------------------------

class CallState {
  readonly atMs: number;
  readonly requestId: string;
  service: ServiceName | undefined;
  protocol: Protocol | undefined;
  action = '';
  principal: Principal | undefined;
  code: string | undefined;
  subject: FaultSubject = {};
  readonly faults: string[] = [];

  constructor(atMs: number, requestId: string) {
    this.atMs = atMs;
    this.requestId = requestId;
  }
}

class ConnectionCut extends Error {}

export const CUT: WireReply = { status: 0, headers: {}, body: '', cut: true };
const ANONYMOUS: Principal = {
  identityArn: 'anonymous',
  arn: 'anonymous',
  accountId: '',
  userId: 'anonymous',
};

function rawRequest({ method, target, headers, body }: WireRequest): RawRequest {
  const at = target.indexOf('?');
  return {
    method,
    path: at < 0 ? target : target.slice(0, at),
    query: new URLSearchParams(at < 0 ? '' : target.slice(at + 1)),
    headers,
    body,
  };
}

/** By the scope of the signature, else by the host name; only STS has calls without a signature. */
function serviceOf({ headers, body }: RawRequest): ServiceName {
  const scoped = readAuthorization(headers['authorization'])?.service;
  const hosted = /^([\w-]+)\./.exec(headers['host'] ?? '')?.[1];
  const service = serviceNamed(scoped ?? '') ?? serviceNamed(hosted ?? '');
  if (service !== undefined) return service;
  if (body.includes('Action=AssumeRoleWithWebIdentity')) return 'sts';
  throw ec2Error('InvalidAction', `no service is called '${scoped ?? hosted ?? ''}' here`);
}

function anyRight({ service, action }: AwsRequest) {
  return { action: `${service}:${action}`, resource: '*' };
}

function internalError(service: ServiceName): AwsError {
  if (service === 'ec2') return ec2Error('InternalError', 'An internal error has occurred');
  if (service === 'iam' || service === 'sts') return awsError('InternalFailure', 'internal error', 500);
  return awsError(service === 'ssm' ? 'InternalServerError' : 'InternalFailure', 'internal error', 500);
}

function requestFault(fault: Fault, call: CallState): Error {
  const service = call.service!;
  const isQuery = service === 'iam' || service === 'sts';
  switch (fault.name) {
    case '500':
      return internalError(service);
    case '503':
      return service === 'ec2'
        ? ec2Error('Unavailable', 'The service is unavailable. Please try again shortly.')
        : awsError('ServiceUnavailable', 'The service is unavailable.', 503);
    case 'throttle':
      if (service === 'ec2') return requestLimitExceeded();
      return awsError(isQuery ? 'Throttling' : 'ThrottlingException', 'Rate exceeded');
    case 'expired-token':
      if (service === 'ec2') return ec2Error('RequestExpired', 'Request has expired.');
      return awsError(
        isQuery ? 'ExpiredToken' : 'ExpiredTokenException',
        'The security token included in the request is expired',
        403,
      );
    case 'forbidden': {
      const action = `${service}:${call.action}`;
      const text = `User: ${call.principal?.arn} is not authorized to perform: ${action} because no identity-based policy allows the ${action} action`;
      if (service === 'ec2')
        return ec2Error('UnauthorizedOperation', `You are not authorized to perform this operation. ${text}`);
      return awsError(isQuery ? 'AccessDenied' : 'AccessDeniedException', text, 403);
    }
    default:
      return new ConnectionCut('the connection was cut by a fault');
  }
}
