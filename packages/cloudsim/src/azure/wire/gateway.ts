/**
 * Processes every call in the order of ARM: address, identity, subscription, throttling, version, right, then the provider.
 * Faults of requests and answers are triggered here. No input of a caller makes it throw.
 */
import type { Fault, FaultSubject } from '../faults/fault.ts';
import { numberOf } from '../faults/parse-fault.ts';
import { retaggedByPolicy } from '../faults/policy.ts';
import type { ArmAnswer, ArmRequest, Method } from './arm-request.ts';
import type { ArmContext, ArmSettings } from './context.ts';
import {
  ArmError,
  armError,
  expiredToken,
  internalServerError,
  invalidApiVersion,
  invalidRequestContent,
  invalidSubscriptionId,
  methodNotAllowed,
  missingApiVersion,
  noRegisteredProvider,
  requestTooLarge,
  tooManyRequests,
  unsupportedMediaType,
} from './errors.ts';
import type { Match, Router } from './router.ts';
import type { Throttles } from './throttle.ts';
import { MANAGEMENT_AUDIENCES } from './tokens.ts';

/** A request as a server reads it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly baseUrl: string;
  /** The body was longer than the limit and was not read. */
  readonly tooLarge?: boolean;
}

export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The connection is reset instead. */
  readonly cut?: boolean;
}

/** ARM takes 4 MiB. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export class Gateway {
  readonly #context: ArmContext;
  readonly #router: Router;
  readonly #throttles: Throttles | undefined;

  constructor(context: ArmContext, router: Router, throttles: Throttles | undefined) {
    this.#context = context;
    this.#router = router;
    this.#throttles = throttles;
  }

  async handle(wire: WireRequest): Promise<WireReply> {
    const { world, latencies } = this.#context;
    const atMs = world.clock.now();
    const requestId = world.random.uuid();
    const call = new CallState(requestId);
    let reply: WireReply;
    try {
      if (latencies.requestMs > 0) await this.#pause(latencies.requestMs * (0.5 + world.random.next()));
      const answer = await this.#answer(wire, call);
      reply = this.#afterwards(call, this.#render(wire, call, answer));
    } catch (error) {
      reply = this.#refused(wire, call, error);
    }
    this.#context.calls.add({
      method: wire.method,
      path: call.path,
      apiVersion: call.apiVersion,
      status: reply.cut ? 0 : reply.status,
      atMs,
      requestId,
      ...(call.code === undefined ? {} : { code: call.code }),
      ...(call.clientId === undefined ? {} : { clientId: call.clientId }),
      ...(call.faults.length === 0 ? {} : { faults: call.faults }),
    });
    return reply;
  }

  async #answer(wire: WireRequest, call: CallState): Promise<ArmAnswer> {
    const { path, query } = splitTarget(wire.target);
    call.path = path;
    call.apiVersion = query.get('api-version') ?? '';
    if (!METHODS.has(wire.method)) throw methodNotAllowed(wire.method);
    const match = this.#router.match(wire.method as Method, path);
    call.subject = subjectOf(wire.method, match);
    const { access = 'arm' } = match.route;
    const isManaged = access === 'arm' || access === 'token';
    const principal = isManaged ? this.#signedIn(wire) : undefined;
    call.clientId = principal?.clientId;
    if (isManaged) {
      this.#throttle(call, match, principal!.objectId);
      await this.#beforehand(call, match, path);
    }
    checkVersion(match, call.apiVersion, this.#context.settings);
    checkSubscription(match);
    if (isManaged && match.params['sub'] !== undefined)
      this.#context.store.requireSubscription(match.params['sub']);
    if (access === 'arm') this.#context.access.require(principal!, match.action, scopeOf(match, path));
    const request: ArmRequest = {
      method: wire.method as Method,
      path,
      params: match.params,
      query,
      headers: wire.headers,
      body: retaggedByPolicy(this.#context.faults, readBody(wire, match), call.subject),
      text: wire.body,
      baseUrl: wire.baseUrl,
      apiVersion: call.apiVersion,
      principal,
      requestId: call.requestId,
    };
    return await match.route.handle(request);
  }

  #signedIn(wire: WireRequest) {
    return this.#context.tokens.verify(wire.headers['authorization'], [
      ...MANAGEMENT_AUDIENCES,
      this.#context.baseUrl(),
      wire.baseUrl,
    ]);
  }

  #throttle(call: CallState, match: Match, actor: string): void {
    const subscriptionId = match.params['sub'];
    if (this.#throttles === undefined || subscriptionId === undefined) return;
    const { method } = call.subject;
    const decision = this.#throttles.take({
      method: method ?? 'GET',
      type: match.type,
      path: call.path,
      subscriptionId,
      actor,
    });
    Object.assign(call.headers, decision.headers);
    if (decision.error !== undefined) throw decision.error;
  }

  async #beforehand(call: CallState, match: Match, path: string): Promise<void> {
    const fault = this.#context.faults.trigger('request', call.subject);
    if (fault === undefined) return;
    call.faults.push(fault.name);
    if (fault.name === 'slow') return await this.#pause(numberOf(fault));
    if (fault.name === 'timeout') await this.#pause(numberOf(fault));
    throw requestFault(fault, call, match, path);
  }

  #afterwards(call: CallState, reply: WireReply): WireReply {
    if (call.subject.type === undefined) return reply;
    const fault = this.#context.faults.trigger('answer', call.subject);
    if (fault === undefined) return reply;
    call.faults.push(fault.name);
    return answerFault(fault, reply);
  }

  #refused(wire: WireRequest, call: CallState, error: unknown): WireReply {
    if (error instanceof ConnectionCut) return CUT;
    if (error instanceof HtmlError) return { status: error.status, headers: HTML, body: page(error.message) };
    let refusal = error;
    if (!(refusal instanceof ArmError)) {
      this.#context.world.log.error('the ARM server failed to handle a request', {
        method: wire.method,
        path: call.path,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      refusal = internalServerError();
    }
    const { status, error: body, headers } = refusal as ArmError;
    call.code = body.code;
    return this.#render(wire, call, { status, headers, body: { error: body } });
  }

  #render(wire: WireRequest, call: CallState, answer: ArmAnswer): WireReply {
    const headers: Record<string, string> = {
      'cache-control': 'no-cache',
      'x-ms-request-id': call.requestId,
      'x-ms-correlation-request-id': wire.headers['x-ms-correlation-request-id'] ?? call.requestId,
      ...call.headers,
      ...answer.headers,
    };
    const clientId = wire.headers['x-ms-client-request-id'];
    if (clientId !== undefined) headers['x-ms-client-request-id'] = clientId;
    const hasBody = wire.method !== 'HEAD' && answer.status !== 204;
    if (answer.raw !== undefined) return { status: answer.status, headers, body: hasBody ? answer.raw : '' };
    if (answer.body === undefined || !hasBody) return { status: answer.status, headers, body: '' };
    headers['content-type'] = 'application/json; charset=utf-8';
    return { status: answer.status, headers, body: JSON.stringify(answer.body) };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#context.schedule.after(ms, resolve);
    });
  }
}

// ---------------------------------------------------------------------------------------------------

class CallState {
  readonly requestId: string;
  path = '';
  apiVersion = '';
  clientId: string | undefined;
  code: string | undefined;
  subject: FaultSubject = {};
  readonly headers: Record<string, string> = {};
  readonly faults: string[] = [];

  constructor(requestId: string) {
    this.requestId = requestId;
  }
}

class ConnectionCut extends Error {}

class HtmlError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE']);
const HTML = { 'content-type': 'text/html' };
const CUT: WireReply = { status: 0, headers: {}, body: '', cut: true };
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function splitTarget(target: string): { path: string; query: ReadonlyMap<string, string> } {
  const at = target.indexOf('?');
  const rawPath = at < 0 ? target : target.slice(0, at);
  const query = new Map<string, string>();
  if (at >= 0)
    for (const [name, value] of new URLSearchParams(target.slice(at + 1))) {
      const key = name.toLowerCase();
      if (!query.has(key)) query.set(key, value);
    }
  try {
    // The SDKs write `//subscriptions/…` for a scope that begins with a slash.
    return { path: decodeURIComponent(rawPath).replace(/\/{2,}/g, '/'), query };
  } catch {
    throw armError(400, 'InvalidRequestUri', `The request URI '${rawPath.slice(0, 200)}' is not valid.`);
  }
}

function subjectOf(method: string, match: Match): FaultSubject {
  const names = Object.values(match.params);
  return { method, type: match.type, name: names[names.length - 1] ?? '' };
}

function checkVersion({ route, type }: Match, version: string, { region, maxApiVersion }: ArmSettings): void {
  if (route.apiVersions.length === 0) return;
  if (version === '') throw missingApiVersion();
  if (maxApiVersion !== undefined && /^\d{4}-/.test(version) && version.slice(0, 10) > maxApiVersion) {
    const supported = route.apiVersions.filter((each) => each.slice(0, 10) <= maxApiVersion);
    throw noRegisteredProvider(type, version, region, supported);
  }
  if (!route.apiVersions.includes(version)) throw invalidApiVersion(version, route.apiVersions);
}

function checkSubscription({ params, route }: Match): void {
  const id = params['sub'];
  if (id === undefined || route.access === 'open') return;
  if (!GUID.test(id)) throw invalidSubscriptionId(id);
}

/** The scope of the right: the resource, or the parent of the list. */
function scopeOf({ route }: Match, path: string): string {
  const isList = !route.pattern.endsWith('}');
  if (!isList) return path;
  const at = path.toLowerCase().lastIndexOf('/providers/');
  if (route.method === 'POST') return path.slice(0, path.lastIndexOf('/'));
  const rest = path.slice(at + 1).split('/').length;
  // `…/providers/NS/type` is listed in what comes before; a list of children in their parent.
  return at < 0 ? path : rest <= 3 ? path.slice(0, at) || '/' : path.slice(0, path.lastIndexOf('/'));
}

function readBody(wire: WireRequest, { route }: Match): unknown {
  if (wire.tooLarge) throw requestTooLarge(MAX_BODY_BYTES);
  if (route.anyBody || wire.body === '') return undefined;
  if (wire.method === 'GET' || wire.method === 'HEAD' || wire.method === 'DELETE') return undefined;
  const type = wire.headers['content-type'];
  if (
    type !== undefined &&
    !/^(?:application\/json|text\/json|application\/[\w.+-]+\+json)\s*(?:;|$)/i.test(type)
  )
    throw unsupportedMediaType(type.slice(0, 100));
  try {
    return JSON.parse(wire.body) as unknown;
  } catch (error) {
    throw invalidRequestContent((error as Error).message.slice(0, 200));
  }
}

function requestFault(fault: Fault, call: CallState, match: Match, path: string): Error {
  switch (fault.name) {
    case '500':
      return internalServerError();
    case '502':
      return new HtmlError(502, '502 Bad Gateway');
    case 'proxy-403':
      return new HtmlError(403, '403 Forbidden');
    case 'proxy-404':
      return new HtmlError(404, '404 Not Found');
    case 'locked':
      return armError(
        409,
        'ScopeLocked',
        `The scope '${path}' cannot perform delete operation because following scope(s) are locked: '${path}'. Please remove the lock and try again.`,
      );
    case '503':
      return new ArmError(
        503,
        { code: 'ServiceUnavailable', message: 'The service is unavailable. Please try again later.' },
        { 'retry-after': String(numberOf(fault)) },
      );
    case 'throttle':
      return tooManyRequests(numberOf(fault));
    case 'timeout':
      return armError(
        504,
        'GatewayTimeout',
        'The gateway did not receive a response from the provider within the specified time period.',
      );
    case 'expired-token':
      return expiredToken('The access token expiry UTC time is earlier than current UTC time.');
    case 'forbidden':
      return armError(
        403,
        'AuthorizationFailed',
        `The client '${call.clientId}' with object id '${call.clientId}' does not have authorization to perform action ` +
          `'${match.action}' over scope '${path}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
      );
    default:
      return new ConnectionCut('the connection was cut by a fault');
  }
}

function answerFault(fault: Fault, reply: WireReply): WireReply {
  switch (fault.name) {
    case 'lost-response':
      return CUT;
    case 'late-500':
      return {
        ...reply,
        status: 500,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ error: internalServerError().error }),
      };
    case 'truncated':
      return { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) };
    case 'non-json':
      return {
        ...reply,
        headers: { ...reply.headers, ...HTML },
        body: page('Our services are not available right now'),
      };
    case 'wrong-content':
      return { ...reply, body: JSON.stringify(['unexpected']) };
    default:
      return { ...reply, body: '' };
  }
}

function page(text: string): string {
  return `<!DOCTYPE html><html><head><title>${text}</title></head><body><h1>${text}</h1></body></html>`;
}
