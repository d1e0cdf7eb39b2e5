/** What the controllers of AKSNodeClasses share: the resource, its store, and the claims that name a class. */
import type { Reflector, ResourceRef, Stored } from '@chandler/kube';
import { AKS_NODE_CLASSES, type AKSNodeClass, aksNodeClassKind } from '../../api/index.ts';
import { BY_CLASS, classKey } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import type { Claim } from '../lifecycle/draft.ts';

export type NodeClass = Stored<AKSNodeClass>;
export const CLASSES = AKS_NODE_CLASSES as ResourceRef<NodeClass>;
const { group, kind } = aksNodeClassKind;

export function classReflector({ stores }: ControllerContext): Reflector<NodeClass> {
  const reflector = stores.nodeClasses.get(`${group}/${kind}`);
  if (reflector === undefined) throw new Error(`${kind} is not watched`);
  return reflector as unknown as Reflector<NodeClass>;
}

export function classNamed(context: ControllerContext, name: string): NodeClass | undefined {
  return classReflector(context).store.get({ name });
}

export function claimsOfClass({ stores }: ControllerContext, name: string): readonly Claim[] {
  return stores.claims.store.by(BY_CLASS, classKey({ group, kind, name }));
}

/** The class that a claim names, when it is one of these. */
export function classOfClaim({ spec }: Claim): readonly string[] {
  const reference = spec.nodeClassRef;
  return reference.group === group && reference.kind === kind ? [reference.name] : [];
}
