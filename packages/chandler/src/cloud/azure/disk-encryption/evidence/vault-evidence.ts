/**
 * Evidence (c), part one: the vault as ARM shows it. Its firewall, which Azure's disk service passes only as a trusted
 * service, and whether the identity of the disk encryption set may get, wrap and unwrap: by roles or by access
 * policies, as the vault wants it. It cannot show deny assignments, conditions on roles, or what another tenant grants.
 */
import { coversResource, sameResource } from '../../../../arm/index.ts';
import { ask, errorText } from './answer.ts';
import type { DiskEncryptionReaders, RoleAssignmentFacts, RoleDefinitionFacts, VaultFacts } from './facts.ts';
import type { DiskEncryptionProblem } from './problem.ts';
import { NEEDED_DATA_ACTIONS, NEEDED_KEY_PERMISSIONS, SUFFICIENT_ROLES } from './vault-roles.table.ts';

export const READ_VAULT = 'Microsoft.KeyVault/vaults/read';
export const READ_ASSIGNMENTS = 'Microsoft.Authorization/roleAssignments/read';
export const READ_DEFINITIONS = 'Microsoft.Authorization/roleDefinitions/read';

export interface VaultQuestion {
  readonly vaultId: string;
  readonly keyName: string;
  readonly principalIds: readonly string[];
}

type Readers = Pick<DiskEncryptionReaders, 'vault' | 'roleAssignments' | 'roleDefinition'>;

export async function vaultEvidence(
  question: VaultQuestion,
  readers: Readers,
): Promise<readonly DiskEncryptionProblem[]> {
  const answer = await ask(() => readers.vault(question.vaultId));
  if (answer.state === 'seen') {
    const access = answer.value.rbac
      ? await accessByRoles(question, readers)
      : accessByPolicies(question, answer.value);
    return [...network(question.vaultId, answer.value), ...access];
  }
  if (answer.state === 'absent' && VAULT_GONE.has(answer.error.code)) {
    return [
      found('vaultUnreachable', `vault ${question.vaultId} does not exist: ${errorText(answer.error)}`),
    ];
  }
  return [
    {
      ...found(
        'vaultNotReadable',
        `the firewall and permissions of vault ${question.vaultId} could not be read: ${errorText(answer.error)}`,
      ),
      ...(answer.state === 'refused' ? { permission: READ_VAULT } : { transient: true }),
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

const VAULT_GONE: ReadonlySet<string> = new Set([
  'ResourceNotFound',
  'ResourceGroupNotFound',
  'VaultNotFound',
]);

/** Closed to the public network, the vault lets Azure's disk service in only by the bypass for trusted services. */
function network(vaultId: string, vault: VaultFacts): DiskEncryptionProblem[] {
  const closed =
    vault.defaultAction?.toLowerCase() === 'deny' || vault.publicNetworkAccess?.toLowerCase() === 'disabled';
  const trusted = vault.bypass === undefined || /azureservices/i.test(vault.bypass);
  if (!closed || trusted) return [];
  return [
    found(
      'vaultUnreachable',
      `the firewall of vault ${vaultId} blocks trusted Azure services (bypass ${vault.bypass}), so the Azure disk service cannot access the key`,
    ),
  ];
}

function accessByPolicies(question: VaultQuestion, vault: VaultFacts): DiskEncryptionProblem[] {
  const granted = vault.policies.filter((policy) => missingPermissions(policy.keyPermissions).length === 0);
  const isOurs = (objectId: string) => question.principalIds.some((id) => sameResource(id, objectId));
  if (granted.some((policy) => isOurs(policy.objectId))) return [];
  const own = vault.policies.filter((policy) => isOurs(policy.objectId));
  const missing = missingPermissions(own.flatMap((policy) => policy.keyPermissions));
  const message = `no access policy of vault ${question.vaultId} grants ${named(question)} ${missing.join(', ')} on keys`;
  if (granted.length === 0) return [found('accessMissing', message)];
  // A policy may name a group, and who belongs to a group cannot be seen.
  const others = granted.map((policy) => policy.objectId).join(', ');
  return [
    found(
      'accessNotReadable',
      `${message}; it may be a member of ${others}, which have the permission, but group membership cannot be read`,
    ),
  ];
}

async function accessByRoles(question: VaultQuestion, readers: Readers): Promise<DiskEncryptionProblem[]> {
  const answers = await Promise.all(
    question.principalIds.map((id) => ask(() => readers.roleAssignments(question.vaultId, id))),
  );
  const assignments: RoleAssignmentFacts[] = [];
  for (const answer of answers) {
    if (answer.state === 'seen') assignments.push(...answer.value);
    else return [rolesNotReadable(answer.state, errorText(answer.error), READ_ASSIGNMENTS)];
  }
  // At the vault, above it, or on this very key.
  const key = `${question.vaultId}/keys/${question.keyName}`;
  const holding = assignments.filter((each) => coversResource(each.scope, key));
  if (holding.some((each) => SUFFICIENT_ROLES.has(roleGuid(each)))) return [];
  const missing = new Set(NEEDED_DATA_ACTIONS);
  for (const each of holding) {
    const answer = await ask(() => readers.roleDefinition(each.roleDefinitionId));
    if (answer.state !== 'seen') {
      return [rolesNotReadable(answer.state, errorText(answer.error), READ_DEFINITIONS)];
    }
    for (const action of NEEDED_DATA_ACTIONS) if (allows(answer.value, action)) missing.delete(action);
  }
  if (missing.size === 0) return [];
  return [
    found(
      'accessMissing',
      `no role on vault ${question.vaultId} grants ${named(question)} ${[...missing].join(', ')}`,
    ),
  ];
}

function rolesNotReadable(
  state: 'absent' | 'refused' | 'silent',
  said: string,
  permission: string,
): DiskEncryptionProblem {
  return {
    ...found(
      'accessNotReadable',
      `the roles of the disk encryption set's identity could not be read: ${said}`,
    ),
    ...(state === 'refused' ? { permission } : { transient: true }),
  };
}

function roleGuid(assignment: RoleAssignmentFacts): string {
  return assignment.roleDefinitionId.split('/').at(-1)!.toLowerCase();
}

function allows(role: RoleDefinitionFacts, action: string): boolean {
  const covers = (pattern: string) =>
    new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 'i').test(action);
  return role.dataActions.some(covers) && !role.notDataActions.some(covers);
}

function escaped(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function missingPermissions(given: readonly string[]): string[] {
  const has = new Set(given.map((permission) => permission.toLowerCase()));
  if (has.has('all')) return [];
  return NEEDED_KEY_PERMISSIONS.filter((needed) => !has.has(needed.toLowerCase()));
}

function named({ principalIds }: VaultQuestion): string {
  return `the disk encryption set's identity ${principalIds.join(', ')}`;
}

function found(kind: DiskEncryptionProblem['kind'], message: string): DiskEncryptionProblem {
  return { kind, witness: 'vault', message };
}
