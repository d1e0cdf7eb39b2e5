/**
 * RBAC over the stored roles and bindings. Bindings are indexed by the user or group they name, so that a request reads only
 * what was granted to its user. The owner of the store reports which object changed; nothing is polled.
 * ClusterRoles with an aggregation rule hold what the roles they select hold, at once, without a controller.
 */
import type { KubeObject, Stored } from '@chandler/kube';
import type { UserInfo } from '../../resource.ts';
import { type Attributes, type Authorizer, type Decision, isPath, MASTERS, NODES } from './attributes.ts';
import { BindingIndex, type Grant } from './binding-index.ts';
import { type PolicyRule, ruleAllows } from './rules.ts';
import { labelsMatch } from './selector.ts';

/** The part of the store that the authorizer reads. Storage keys are `roles.rbac.authorization.k8s.io` and the like. */
export interface PolicySource {
  lookup(storageKey: string, namespace: string, name: string): Stored | undefined;
  list(storageKey: string, namespace?: string): Iterable<Stored>;
}

const GROUP = 'rbac.authorization.k8s.io';
export const ROLES = `roles.${GROUP}`;
export const CLUSTER_ROLES = `clusterroles.${GROUP}`;
export const ROLE_BINDINGS = `rolebindings.${GROUP}`;
export const CLUSTER_ROLE_BINDINGS = `clusterrolebindings.${GROUP}`;

/** The rules that apply to a user, and the roles that were not found. */
export interface RuleSet {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly string[];
}

export class RbacAuthorizer implements Authorizer {
  readonly #source: PolicySource;
  readonly #bindings = new BindingIndex();
  /** Rules of aggregating cluster roles, kept until some cluster role changes. */
  readonly #aggregated = new Map<string, readonly PolicyRule[]>();

  constructor(source: PolicySource) {
    this.#source = source;
    this.reload();
  }

  /** Reads everything again: after a snapshot was loaded. */
  reload(): void {
    this.#aggregated.clear();
    this.#bindings.clear();
    for (const key of [CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS]) {
      for (const binding of this.#source.list(key)) this.#bindings.set(binding);
    }
  }

  /** To be called after every write and removal of an object; keys outside of RBAC cost nothing. */
  changed(storageKey: string, namespace: string, name: string): void {
    if (storageKey === CLUSTER_ROLES) {
      this.#aggregated.clear();
    } else if (storageKey === CLUSTER_ROLE_BINDINGS || storageKey === ROLE_BINDINGS) {
      const binding = this.#source.lookup(storageKey, namespace, name);
      if (binding === undefined) this.#bindings.delete(namespace, name);
      else this.#bindings.set(binding);
    }
  }

  authorize(attributes: Attributes): Decision {
    const { user } = attributes;
    if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
    const errors: string[] = [];
    for (const grant of this.#grantsFor(user, isPath(attributes) ? '' : attributes.namespace)) {
      const rules = this.#rulesOf(grant, errors);
      if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${describeGrant(grant)}` };
      }
    }
    if (isNode(user) && this.#clusterRole('system:node')?.some((rule) => ruleAllows(rule, attributes))) {
      return { allowed: true, reason: '' };
    }
    return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${joinErrors(errors)}` };
  }

  rulesFor(user: UserInfo, namespace: string): RuleSet {
    const errors: string[] = [];
    const rules = [...this.#grantsFor(user, namespace)].flatMap((grant) => this.#rulesOf(grant, errors));
    return { rules, errors };
  }

  /** The rules behind a reference from a binding; undefined when the role does not exist. */
  roleRules(kind: string, name: string, namespace: string): readonly PolicyRule[] | undefined {
    return kind === 'ClusterRole' ? this.#clusterRole(name) : this.#role(namespace, name);
  }

  *#grantsFor(user: UserInfo, namespace: string): Generator<Grant> {
    yield* this.#bindings.grants('', user);
    if (namespace !== '') yield* this.#bindings.grants(namespace, user);
  }

  #rulesOf(grant: Grant, errors: string[]): readonly PolicyRule[] {
    const rules = this.roleRules(grant.roleKind, grant.roleName, grant.namespace);
    if (rules !== undefined) return rules;
    errors.push(`${grant.roleKind.toLowerCase()}.${GROUP} ${JSON.stringify(grant.roleName)} not found`);
    return [];
  }

  #role(namespace: string, name: string): readonly PolicyRule[] | undefined {
    return rulesIn(this.#source.lookup(ROLES, namespace, name));
  }

  #clusterRole(name: string): readonly PolicyRule[] | undefined {
    const kept = this.#aggregated.get(name);
    if (kept !== undefined) return kept;
    const role = this.#source.lookup(CLUSTER_ROLES, '', name);
    const selectors = aggregationSelectors(role);
    if (role === undefined || selectors.length === 0) return rulesIn(role);
    const rules = this.#aggregate(name, selectors, new Set([name]));
    this.#aggregated.set(name, rules);
    return rules;
  }

  /** Aggregated roles may aggregate others in turn; each is used once. */
  #aggregate(name: string, selectors: readonly unknown[], seen: Set<string>): readonly PolicyRule[] {
    const rules: PolicyRule[] = [];
    for (const other of this.#source.list(CLUSTER_ROLES)) {
      const otherName = other.metadata.name;
      if (otherName === name || seen.has(otherName)) continue;
      if (!selectors.some((selector) => labelsMatch(selector, other.metadata.labels ?? {}))) continue;
      seen.add(otherName);
      const nested = aggregationSelectors(other);
      rules.push(
        ...(nested.length === 0 ? (rulesIn(other) ?? []) : this.#aggregate(otherName, nested, seen)),
      );
    }
    return rules;
  }
}

/** Several errors in brackets, one alone as it is, repeated ones once. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}

// ---------------------------------------------------------------------------------------------------

/** Kubelets get the rules of the role system:node; a real server restricts them to their own objects. */
function isNode(user: UserInfo): boolean {
  return user.username.startsWith('system:node:') && user.groups.includes(NODES);
}

function rulesIn(role: KubeObject | undefined): readonly PolicyRule[] | undefined {
  if (role === undefined) return undefined;
  const rules = role['rules'];
  return Array.isArray(rules) ? (rules as PolicyRule[]) : [];
}

function aggregationSelectors(role: KubeObject | undefined): readonly unknown[] {
  const rule = role?.['aggregationRule'] as { clusterRoleSelectors?: unknown[] } | null | undefined;
  return rule?.clusterRoleSelectors ?? [];
}

function describeGrant(grant: Grant): string {
  const kind = grant.namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const name = grant.namespace === '' ? grant.bindingName : `${grant.bindingName}/${grant.namespace}`;
  return `${kind} ${JSON.stringify(name)} of ${grant.roleKind} ${JSON.stringify(grant.roleName)} to ${grant.subject}`;
}
