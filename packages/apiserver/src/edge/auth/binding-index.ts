/**
 * Role bindings by whom they name. One map per namespace (the empty one for cluster role bindings) from a user or
 * group to what is granted there, so that finding someone's grants does not depend on how many bindings exist.
 */
import type { Stored } from '@chandler/kube';
import type { UserInfo } from '../../resource.ts';

/** One subject of one binding. */
export interface Grant {
  /** Empty for a cluster role binding. */
  readonly namespace: string;
  readonly bindingName: string;
  readonly roleKind: string;
  readonly roleName: string;
  /** As messages name it: `User "alice"`. */
  readonly subject: string;
  readonly subjectKey: string;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export class BindingIndex {
  /** Namespace, then subject, then the binding's name. */
  readonly #bySubject = new Map<string, Map<string, Map<string, Grant>>>();
  readonly #byBinding = new Map<string, readonly Grant[]>();

  clear(): void {
    this.#bySubject.clear();
    this.#byBinding.clear();
  }

  set(binding: Stored): void {
    const namespace = binding.metadata.namespace ?? '';
    const name = binding.metadata.name;
    this.delete(namespace, name);
    const grants = grantsOf(binding, namespace, name);
    this.#byBinding.set(`${namespace}/${name}`, grants);
    let subjects = this.#bySubject.get(namespace);
    if (subjects === undefined) {
      subjects = new Map();
      this.#bySubject.set(namespace, subjects);
    }
    for (const grant of grants) {
      const byName = subjects.get(grant.subjectKey) ?? new Map<string, Grant>();
      subjects.set(grant.subjectKey, byName);
      // The first subject that fits is the one that messages name.
      if (!byName.has(name)) byName.set(name, grant);
    }
  }

  delete(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    const subjects = this.#bySubject.get(namespace);
    for (const grant of this.#byBinding.get(key) ?? []) {
      const byName = subjects?.get(grant.subjectKey);
      byName?.delete(name);
      if (byName?.size === 0) subjects?.delete(grant.subjectKey);
    }
    if (subjects?.size === 0) this.#bySubject.delete(namespace);
    this.#byBinding.delete(key);
  }

  /** A binding that names someone twice, by name and by group, comes once. */
  *grants(namespace: string, user: UserInfo): Generator<Grant> {
    const subjects = this.#bySubject.get(namespace);
    if (subjects === undefined) return;
    const seen = new Set<string>();
    for (const key of subjectKeys(user)) {
      for (const grant of subjects.get(key)?.values() ?? []) {
        if (seen.has(grant.bindingName)) continue;
        seen.add(grant.bindingName);
        yield grant;
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function subjectKeys(user: UserInfo): readonly string[] {
  return [`User ${user.username}`, ...user.groups.map((group) => `Group ${group}`)];
}

function grantsOf(binding: Stored, namespace: string, bindingName: string): readonly Grant[] {
  const role = (binding['roleRef'] ?? {}) as { kind?: string; name?: string };
  const subjects = Array.isArray(binding['subjects']) ? (binding['subjects'] as Subject[]) : [];
  return subjects.flatMap((subject) => {
    const identity = identify(subject, namespace);
    if (identity === undefined) return [];
    const roleKind = role.kind ?? '';
    return [{ namespace, bindingName, roleKind, roleName: role.name ?? '', ...identity }];
  });
}

function identify(
  subject: Subject,
  bindingNamespace: string,
): { subject: string; subjectKey: string } | undefined {
  if (subject.kind === 'User' || subject.kind === 'Group') {
    return {
      subject: `${subject.kind} ${JSON.stringify(subject.name)}`,
      subjectKey: `${subject.kind} ${subject.name}`,
    };
  }
  const namespace = subject.namespace || bindingNamespace;
  if (subject.kind !== 'ServiceAccount' || namespace === '') return undefined;
  return {
    subject: `ServiceAccount ${JSON.stringify(`${subject.name}/${namespace}`)}`,
    subjectKey: `User system:serviceaccount:${namespace}:${subject.name}`,
  };
}
