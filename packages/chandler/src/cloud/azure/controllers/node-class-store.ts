/** What the controllers of AKSNodeClasses share: the resource, its store, and the claims that name a class. */
import type { Reflector, Stored } from '@chandler/kube';
import { AKS_NODE_CLASSES, type AKSNodeClass, aksNodeClassKind } from '../../../api/index.ts';
import type { StoredClaim as Claim, CloudControllerContext } from '../../index.ts';

export type NodeClass = Stored<AKSNodeClass>;
export const CLASSES = AKS_NODE_CLASSES;
const { group, kind } = aksNodeClassKind;

export function classReflector({ stores }: CloudControllerContext): Reflector<NodeClass> {
  const reflector = stores.nodeClasses.get(`${group}/${kind}`);
  if (reflector === undefined) throw new Error(`${kind} is not watched`);
  return reflector as unknown as Reflector<NodeClass>;
}

export function classNamed(context: CloudControllerContext, name: string): NodeClass | undefined {
  return classReflector(context).store.get({ name });
}

export function claimsOfClass({ stores }: CloudControllerContext, name: string): readonly Claim[] {
  return stores.claimsOfClass({ group, kind, name });
}

/** The class that a claim names, when it is one of these. */
export function classOfClaim({ spec }: Claim): readonly string[] {
  const reference = spec.nodeClassRef;
  return reference.group === group && reference.kind === kind ? [reference.name] : [];
}
