/**
 * Deterministic IDs of role assignments: the ID is a UUID of scope, principal and role, so a repeated PUT is idempotent
 * and undo needs no search. Also the roles that the original document assigns.
 */
import { createHash } from 'node:crypto';
import { coversResource } from '../../arm/index.ts';
import type { RoleAssignmentRequest } from './azure-client.ts';

export interface NamedRole {
  readonly id: string;
  readonly name: string;
}

/** What the document gives the node's identity on the cluster; only `security.documentMode` asks for it. */
export const DOCUMENT_ROLES: readonly NamedRole[] = [
  { id: 'acdd72a7-3385-48ef-bd42-f606fba81ae7', name: 'Reader' },
  {
    id: 'b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b',
    name: 'Azure Kubernetes Service RBAC Cluster Admin',
  },
  {
    id: '0ab0b1a8-8aac-4efd-b8c2-3ee1fb270be8',
    name: 'Azure Kubernetes Service Cluster Admin Role',
  },
];

export function roleAssignmentId(request: RoleAssignmentRequest): string {
  return `${withoutTrailingSlash(request.scope)}/providers/Microsoft.Authorization/roleAssignments/${roleAssignmentName(request)}`;
}

/** Azure compares ids without regard to case, so the name is made from lower case. */
export function roleAssignmentName(request: RoleAssignmentRequest): string {
  const parts = [withoutTrailingSlash(request.scope), request.principalId, lastSegment(request.roleId)];
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
