/**
 * Processes a request: authentication, authorization, routing, answer. Synchronous from end to end, so every request sees
 * and leaves a consistent store. Every error becomes a Status.
 */
import { type Attributes, mustAuthorize } from '../edge/auth/attributes.ts';
import { effectiveUser } from '../edge/auth/impersonation.ts';
import { ApiError, badRequest, internalError, methodNotAllowed, noSuchResource } from '../errors.ts';
import type { Resource, Subresource, UserInfo } from '../resource.ts';
import { NestingError } from '../storage/json.ts';
import { type ApiAnswer, type ApiRequest, jsonAnswer } from './answer.ts';
import { Call } from './call.ts';
import { parseFieldSelector, selectedName } from './field-selector.ts';
import type { Parts } from './parts.ts';
import { answerPath, pageNotFound } from './plain-paths.ts';
import { type ResourceRoute, routeOf, splitTarget, type Target } from './route.ts';
import { subresourceHandler } from './subresource-verbs.ts';
import { VERB_HANDLERS, type VerbHandler } from './verbs.ts';

export function handle(parts: Parts, request: ApiRequest): ApiAnswer {
  const warnings: string[] = [];
  try {
    const answer = dispatch(parts, request, warnings);
    const pretty = prettied(request, answer);
    return warnings.length === 0 ? pretty : { ...pretty, warnings };
  } catch (error) {
    const answer = prettied(request, errorAnswer(parts, request, error));
    return warnings.length === 0 ? answer : { ...answer, warnings };
  }
}

export function errorAnswer(
  parts: Pick<Parts, 'world'>,
  request: Pick<ApiRequest, 'method' | 'target'>,
  error: unknown,
): ApiAnswer {
  if (error instanceof ApiError) {
    const answer = jsonAnswer(error.code, error.toStatus());
    const seconds = error.details?.retryAfterSeconds;
    return seconds === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } };
  }
  if (isTooDeep(error)) return errorAnswer(parts, request, badRequest('the object exceeded max depth'));
  const why = error instanceof Error ? error.message : String(error);
  parts.world.log.error('request failed with an internal error', {
    method: request.method,
    target: request.target,
    error: error instanceof Error ? (error.stack ?? why) : why,
  });
  const failure = internalError(why);
  return jsonAnswer(failure.code, failure.toStatus());
}

// ---------------------------------------------------------------------------------------------------

/** Objects are walked by recursion; one that nests deeper than the stack reaches is the client's fault. */
function isTooDeep(error: unknown): boolean {
  return (
    error instanceof NestingError || (error instanceof RangeError && error.message.includes('call stack'))
  );
}

function dispatch(parts: Parts, request: ApiRequest, warnings: string[]): ApiAnswer {
  const target = splitTarget(request.target);
  const route = routeOf(request.method, target);
  const { certificate, headers } = request;
  const caller =
    request.user ??
    parts.authenticator.authenticate({ authorization: headers['authorization'], certificate });
  const user = admitted(parts, request, attributesFor(request, target, route, caller));
  if (target.path.includes('//')) throw noSuchResource();
  if (route === undefined) return answerPath(parts, request, target);
  if (request.method === 'HEAD') throw methodNotAllowed();
  const resource = parts.catalogue.resource(route.group, route.version, route.plural);
  if (resource === undefined) {
    if (parts.catalogue.serves(route.group)) throw noSuchResource();
    return pageNotFound();
  }
  if (resource.deprecationWarning !== undefined) warnings.push(resource.deprecationWarning);
  const handler = handlerFor(resource, route, request.method);
  const call = new Call(parts, callTarget(resource, route), user, request.headers['user-agent']);
  try {
    return handler({ call, request, route, query: target.query });
  } finally {
    warnings.push(...call.warnings);
  }
}

function attributesFor(
  request: ApiRequest,
  { path, query }: Target,
  route: ResourceRoute | undefined,
  user: UserInfo,
): Attributes {
  if (route === undefined) return { user, verb: request.method.toLowerCase(), path };
  const { verb, group, plural, subresource = '', name = nameInSelector(route, query) } = route;
  const namespace = route.namespace ?? (plural === 'namespaces' && group === '' ? name : '');
  return { user, verb, group, resource: plural, subresource, namespace, name };
}

/** A list, watch or mass deletion of the one object with a name is about that name, to those who may only see that. */
function nameInSelector({ verb }: ResourceRoute, query: URLSearchParams | undefined): string {
  const text = query?.get('fieldSelector') ?? '';
  if (text === '' || !BY_SELECTOR.has(verb)) return '';
  try {
    return selectedName(parseFieldSelector(text)) ?? '';
  } catch {
    // The handler rejects it, in words.
    return '';
  }
}

const BY_SELECTOR: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** The effective user of the request; throws the 403. */
function admitted(parts: Parts, request: ApiRequest, attributes: Attributes): UserInfo {
  const { authorizer } = parts;
  const user = effectiveUser(authorizer, request.impersonation ?? request.headers, attributes);
  mustAuthorize(authorizer, user === attributes.user ? attributes : { ...attributes, user });
  return user;
}

function callTarget(resource: Resource, route: ResourceRoute) {
  return {
    resource,
    ...(route.subresource === undefined ? {} : { subresource: route.subresource }),
    ...(route.namespace === undefined ? {} : { namespace: route.namespace }),
    ...(route.name === undefined ? {} : { name: route.name }),
  };
}

/** 404 for a path that leads nowhere, 405 for a verb that it does not take. */
function handlerFor(resource: Resource, route: ResourceRoute, method: string): VerbHandler {
  const { verb, subresource, namespace, name, rest } = route;
  if (rest.length > 0) throw noSuchResource();
  if (namespace !== undefined && !resource.namespaced) throw noSuchResource();
  if (namespace === undefined && resource.namespaced && name !== undefined) throw noSuchResource();
  if (subresource !== undefined) {
    const known = resource.subresources.find((candidate) => candidate.name === subresource);
    if (known === undefined) throw noSuchResource();
    if (verb === '' || !known.verbs.includes(verb)) throw methodNotAllowed();
    return subresourceHandler(subresource as Subresource['name'], verb);
  }
  const needsName = verb === 'update' || verb === 'patch';
  const misplaced = (needsName && name === undefined) || (verb === 'create' && name !== undefined);
  const everywhere = namespace === undefined && resource.namespaced && verb !== 'list' && verb !== 'watch';
  if (verb === '' || misplaced || everywhere || !resource.verbs.includes(verb)) throw methodNotAllowed();
  const handler = VERB_HANDLERS[verb];
  if (handler === undefined) throw new Error(`no handler for ${method} (${verb})`);
  return handler;
}

/** Browsers and terminals get indented JSON, as from a real server. */
function prettied(request: ApiRequest, answer: ApiAnswer): ApiAnswer {
  if (typeof answer.body !== 'string' || !wantsPretty(request)) return answer;
  if (answer.headers['content-type'] !== 'application/json') return answer;
  return { ...answer, body: JSON.stringify(JSON.parse(answer.body), null, 2) };
}

function wantsPretty({ target, headers }: ApiRequest): boolean {
  const asked = target.includes('pretty=') ? /[?&]pretty=([^&]*)/.exec(target)?.[1] : undefined;
  if (asked !== undefined) return asked !== 'false' && asked !== '0';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '');
}
