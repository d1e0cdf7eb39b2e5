/**
 * The Azure roles of the node identity on the cluster, for `security.documentMode` only: assigned if the config says so,
 * otherwise the step waits until they are assigned. Without that mode the identity has no Azure role.
 */
import { roleAssignmentId } from '../../arm/index.ts';
import { DOCUMENT_ROLES, type NamedRole } from '../azure/document-roles.table.ts';
import { FlexError } from '../flex-error.ts';
import type { Leftover, StepContext } from '../step.ts';

export const PERMISSION_POLL_MS = 30_000;
export const PERMISSION_WAIT_MS = 30 * 60_000;

export async function grantRoles(context: StepContext, principalId: string): Promise<void> {
  const { config } = context;
  if (!config.security.documentMode) {
    // Of a run before the mode was changed.
    for (const { what, why } of await revokeRoles(context)) context.say(`could not delete ${what}: ${why}`);
    context.say('no Azure role is assigned; bindings in the cluster authorize the identity');
    return;
  }
  if (config.azure.arc.autoRoleAssignment) {
    const missing = await missingRoles(context, principalId);
    for (const role of missing) await assign(context, principalId, role);
  }
  await waitForRoles(context, principalId);
}

/** @param kept why they must stay. They are reported once. */
export async function revokeRoles(context: StepContext, kept?: string): Promise<readonly Leftover[]> {
  const left: Leftover[] = [];
  for (const role of DOCUMENT_ROLES) {
    const id = context.facts.get(factOf(role));
    if (id === undefined) continue;
    const finish = [`az role assignment delete --ids ${id}`];
    if (kept !== undefined) {
      left.push({ what: `role assignment ${id}`, why: kept, finish });
      await context.facts.delete(factOf(role));
      continue;
    }
    try {
      await context.azure.deleteRoleAssignment(id, context.signal);
      await context.facts.delete(factOf(role));
    } catch (error) {
      if (!(error instanceof FlexError)) throw error;
      left.push({
        what: `role assignment ${id}`,
        why: error.facts.message,
        finish,
      });
    }
  }
  return left;
}

// ---------------------------------------------------------------------------------------------------

function factOf(role: NamedRole): string {
  return `roles.${role.id}`;
}

async function assign(context: StepContext, principalId: string, role: NamedRole): Promise<void> {
  const request = { scope: context.config.azure.targetCluster.resourceId, principalId, roleId: role.id };
  // The id is known before the call: whatever happens after this line can be undone.
  await context.facts.set(factOf(role), roleAssignmentId(request));
  const made = await context.azure.assignRole(request, context.signal);
  await context.facts.set(factOf(role), made.id);
  context.say(`assigned ${role.name}`, { principalId });
}

async function missingRoles(context: StepContext, principalId: string): Promise<readonly NamedRole[]> {
  const { resourceId } = context.config.azure.targetCluster;
  const there = await context.azure.roleAssignments(resourceId, principalId, context.signal);
  return DOCUMENT_ROLES.filter((role) => !there.some((each) => each.roleId.toLowerCase() === role.id));
}

async function waitForRoles(context: StepContext, principalId: string): Promise<void> {
  if (context.dryRun) return;
  const { clock } = context.world;
  const untilMs = clock.monotonic() + PERMISSION_WAIT_MS;
  let missing: readonly NamedRole[] = DOCUMENT_ROLES;
  for (let first = true; ; first = false) {
    try {
      missing = await missingRoles(context, principalId);
    } catch (error) {
      // What Azure forbids stays forbidden; the rest may pass.
      if (!(error instanceof FlexError) || error.facts.class !== 'network') throw error;
      context.say(`could not read the role assignments: ${error.facts.message}`);
    }
    if (missing.length === 0) return;
    if (first && !context.config.azure.arc.autoRoleAssignment) {
      context.say('waiting for the role assignments', {
        commands: byHand(context, principalId, missing),
      });
    }
    if (clock.monotonic() + PERMISSION_POLL_MS > untilMs) throw tooLate(context, principalId, missing);
    await clock.sleep(PERMISSION_POLL_MS, context.signal);
  }
}

function byHand(context: StepContext, principalId: string, roles: readonly NamedRole[]): string {
  const { resourceId } = context.config.azure.targetCluster;
  return roles
    .map(
      (role) =>
        `az role assignment create --assignee-object-id ${principalId} --assignee-principal-type ServicePrincipal --role ${role.id} --scope ${resourceId}`,
    )
    .join('; ');
}

function tooLate(context: StepContext, principalId: string, missing: readonly NamedRole[]): FlexError {
  return new FlexError({
    class: 'auth',
    code: 'arc.permissions-missing',
    message: `after ${PERMISSION_WAIT_MS / 60_000} minutes the identity ${principalId} still lacks ${missing.map((role) => role.name).join(', ')} on the cluster`,
    remedy: byHand(context, principalId, missing),
  });
}
