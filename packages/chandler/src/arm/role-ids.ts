/**
 * Deterministic IDs of role assignments: the ID is a UUID of scope, principal and role, so a repeated PUT is idempotent
 * and undo needs no search.
 */
import { createHash } from 'node:crypto';
import { coversResource } from './resource-id.ts';

export interface RoleAssignmentRequest {
  readonly scope: string;
  readonly principalId: string;
  /** The GUID of the role definition. */
  readonly roleId: string;
}

export function roleAssignmentId(request: RoleAssignmentRequest): string {
  return `${withoutTrailingSlash(request.scope)}/providers/Microsoft.Authorization/roleAssignments/${roleAssignmentName(request)}`;
}

export function roleAssignmentName(request: RoleAssignmentRequest): string {
  const parts = [withoutTrailingSlash(request.scope), request.principalId, lastSegment(request.roleId)];
  return stableGuid(...parts);
}

/** The same for the same parts; Azure compares ids without regard to case. */
export function stableGuid(...parts: readonly string[]): string {
  return uuidV5(NAMESPACE, parts.map((part) => part.toLowerCase()).join('|'));
}

/** The definition lives in the subscription of the scope, which need not be the machine's. */
export function roleDefinitionId(request: RoleAssignmentRequest): string {
  const subscription = /^\/subscriptions\/([^/]+)/i.exec(request.scope)?.[1];
  const prefix = subscription === undefined ? '' : `/subscriptions/${subscription}`;
  return `${prefix}/providers/Microsoft.Authorization/roleDefinitions/${lastSegment(request.roleId)}`;
}

export function lastSegment(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).toLowerCase();
}

/** Whether an assignment that Azure listed for the scope works there, by its id: made at the scope or above it. */
export function worksAt(assignmentId: string, scope: string): boolean {
  const made = /^(.*?)\/providers\/Microsoft\.Authorization\/roleAssignments\/[^/]+$/i.exec(
    assignmentId,
  )?.[1];
  return made !== undefined && coversResource(made, withoutTrailingSlash(scope));
}

// ---------------------------------------------------------------------------------------------------

/** Our own; any fixed UUID will do, as long as it stays. */
const NAMESPACE = '6f5b8f0e-6a58-5d0b-9d4e-6c1f3c1b7a90';

function uuidV5(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
    .subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [8, 12, 16, 20].reduceRight((text, at) => `${text.slice(0, at)}-${text.slice(at)}`, hex);
}

function withoutTrailingSlash(text: string): string {
  return text.replace(/\/+$/, '');
}
