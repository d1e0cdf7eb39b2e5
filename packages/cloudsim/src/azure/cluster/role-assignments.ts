/**
 * Role assignments. An assignment is a grant for the gateway and the vaults, and a resource that can be listed; the
 * gateway decides whether a grant suffices.
 */
import { covers } from '../wire/access.ts';
import type { ArmContext } from '../wire/context.ts';
import { ROLE_DEFINITIONS, type RoleDefinition, type RoleName } from './role-definitions.table.ts';

export interface RoleAssignment {
  readonly id: string;
  /** A GUID. */
  readonly name: string;
  readonly principalId: string;
  readonly principalType: string;
  readonly scope: string;
  readonly role: RoleDefinition;
  readonly createdMs: number;
}

export interface RoleQuery {
  readonly scope: string;
  /** Object id; undefined: everybody. */
  readonly principalId?: string;
  /** Without those below the scope. */
  readonly atScope?: boolean;
}

export class RoleAssignments {
  readonly #context: ArmContext;
  readonly #assignments = new Map<string, RoleAssignment>();
  readonly #roles = new Map<string, RoleDefinition>(ROLE_DEFINITIONS.map((role) => [role.guid, role]));

  constructor(context: ArmContext) {
    this.#context = context;
  }

  /** By name of a built-in role, or GUID of any. `name` is a GUID; default: a new one. */
  assign(
    principalId: string,
    role: RoleName | string,
    scope: string,
    name?: string,
    principalType = 'ServicePrincipal',
  ) {
    const definition = this.role(role);
    if (definition === undefined) throw new Error(`no role ${role}`);
    const guid = name ?? this.#context.world.random.uuid();
    const assignment: RoleAssignment = {
      id: `${scope === '/' ? '' : scope}/providers/Microsoft.Authorization/roleAssignments/${guid}`,
      name: guid,
      principalId,
      principalType,
      scope,
      role: definition,
      createdMs: this.#context.world.clock.now(),
    };
    this.#put(assignment);
    return assignment;
  }

  get(id: string): RoleAssignment | undefined {
    return this.#assignments.get(id.toLowerCase());
  }

  remove(id: string): RoleAssignment | undefined {
    const found = this.get(id);
    if (found === undefined) return undefined;
    this.#assignments.delete(id.toLowerCase());
    this.#context.access.revoke(found.id);
    return found;
  }

  /** Removes all assignments of a principal with these roles (default: any) at this scope; returns how many. */
  revoke(principalId: string, scope: string, ...roles: readonly RoleName[]): number {
    const going = [...this.#assignments.values()].filter(
      (one) =>
        sameText(one.principalId, principalId) &&
        sameText(one.scope, scope) &&
        (roles.length === 0 || roles.some((role) => role === one.role.roleName)),
    );
    for (const one of going) this.remove(one.id);
    return going.length;
  }

  list(query: RoleQuery): readonly RoleAssignment[] {
    return [...this.#assignments.values()].filter(
      (one) =>
        (query.principalId === undefined || sameText(one.principalId, query.principalId)) &&
        (covers(one.scope, query.scope) || (query.atScope !== true && covers(query.scope, one.scope))),
    );
  }

  role(nameOrGuid: string): RoleDefinition | undefined {
    const byGuid = this.#roles.get(nameOrGuid.toLowerCase());
    return byGuid ?? [...this.#roles.values()].find((role) => role.roleName === nameOrGuid);
  }

  roles(): readonly RoleDefinition[] {
    return [...this.#roles.values()];
  }

  /** A custom role of the subscription, new or changed; those who have it get what it says now. */
  define(role: RoleDefinition): void {
    const guid = role.guid.toLowerCase();
    this.#roles.set(guid, role);
    for (const one of this.#assignments.values())
      if (one.role.guid.toLowerCase() === guid) this.#put({ ...one, role });
  }

  undefine(guid: string): void {
    this.#roles.delete(guid.toLowerCase());
  }

  isAssigned(guid: string): boolean {
    return [...this.#assignments.values()].some((one) => sameText(one.role.guid, guid));
  }

  #put(assignment: RoleAssignment): void {
    const { id, principalId, scope, role } = assignment;
    this.#assignments.set(id.toLowerCase(), assignment);
    this.#context.access.grant({
      id,
      principalId,
      scope,
      actions: role.actions,
      ...(role.notActions === undefined ? {} : { notActions: role.notActions }),
      ...(role.dataActions === undefined ? {} : { dataActions: role.dataActions }),
      ...(role.notDataActions === undefined ? {} : { notDataActions: role.notDataActions }),
    });
  }
}

// ---------------------------------------------------------------------------------------------------

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
