/** What the controllers of EC2NodeClasses share: the resource, its store, and the claims that name a class. */
import type { Reflector, Stored } from '@chandler/kube';
import { EC2_NODE_CLASSES, type EC2NodeClass, ec2NodeClassKind } from '../../../api/index.ts';
import type { CloudControllerContext, StoredClaim } from '../../index.ts';

export type NodeClass = Stored<EC2NodeClass>;
export const CLASSES = EC2_NODE_CLASSES;
const { group, kind } = ec2NodeClassKind;

export function classReflector({ stores }: Pick<CloudControllerContext, 'stores'>): Reflector<NodeClass> {
  const reflector = stores.nodeClasses.get(`${group}/${kind}`);
  if (reflector === undefined) throw new Error(`${kind} is not watched`);
  return reflector as unknown as Reflector<NodeClass>;
}

export function classNamed(context: CloudControllerContext, name: string): NodeClass | undefined {
  return classReflector(context).store.get({ name });
}

export function claimsOfClass({ stores }: CloudControllerContext, name: string): readonly StoredClaim[] {
  return stores.claimsOfClass({ group, kind, name });
}

/** The class that a claim names, when it is one of these. */
export function classOfClaim({ spec }: Pick<StoredClaim, 'spec'>): readonly string[] {
  const reference = spec.nodeClassRef;
  return reference.group === group && reference.kind === kind ? [reference.name] : [];
}
