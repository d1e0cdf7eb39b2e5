/**
 * What a request wants, as the authorizer sees it, and the message with which it is rejected.
 */
import { ApiError, forbidden } from '../../errors.ts';
import type { UserInfo } from '../../resource.ts';

/** A request for a resource, or for a path outside of them (`/healthz`, `/metrics`). */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Empty when there is none; the same for namespace and name. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PathAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** Who granted it, or what failed before the request was denied; often empty. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(attributes: Attributes): Decision;
}

export const MASTERS = 'system:masters';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const NODES = 'system:nodes';
export const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: [UNAUTHENTICATED] };

export function isPath(attributes: Attributes): attributes is PathAttributes {
  return 'path' in attributes;
}

/** Throws the 403 of a real server when the request is not allowed. */
export function mustAuthorize(authorizer: Authorizer, attributes: Attributes): void {
  const decision = authorizer.authorize(attributes);
  if (!decision.allowed) throw denied(attributes, decision.reason);
}

export function denied(attributes: Attributes, reason: string): ApiError {
  const words = deniedAction(attributes);
  const why = reason === '' ? words : `${words}: ${reason}`;
  if (isPath(attributes)) return new ApiError(403, 'Forbidden', `forbidden: ${why}`, {});
  return forbidden({ group: attributes.group, plural: attributes.resource }, attributes.name, why);
}

// ---------------------------------------------------------------------------------------------------

function deniedAction(attributes: Attributes): string {
  const user = JSON.stringify(attributes.user.username);
  if (isPath(attributes)) {
    return plainText(`User ${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`);
  }
  const { verb, resource, subresource, group, namespace } = attributes;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return plainText(`User ${user} cannot ${verb} resource "${whole}" in API group "${group}" ${scope}`);
}

/** Names come from outside: nothing in the answer may look like HTML. */
function plainText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
