/** Policies of roles (trust) and of resources: whether one lets somebody in. Pure; a deny wins, as everywhere. */
import { evaluate, listOf, type PolicyDocument, type PolicyStatement } from './policy.ts';
import type { Right } from './rights.ts';

/** As policies name them: `{ Service: 'pods.eks.amazonaws.com' }`. */
export interface Caller {
  readonly kind: 'AWS' | 'Federated' | 'Service';
  readonly name: string;
}

export function admits(policy: PolicyDocument | undefined, caller: Caller, right: Right): boolean {
  const Statement = (policy?.Statement ?? [])
    .filter(({ Principal }) => names(Principal, caller))
    // Trust policies have no resource: they are about their role.
    .map((statement) => ({ ...statement, Resource: statement.Resource ?? '*' }));
  return evaluate([{ Statement }], right) === 'allowed';
}

// ---------------------------------------------------------------------------------------------------

function names(principal: PolicyStatement['Principal'], { kind, name }: Caller): boolean {
  if (principal === undefined) return false;
  if (principal === '*') return true;
  const listed = listOf(principal[kind]);
  return listed.includes(name) || listed.includes('*');
}
