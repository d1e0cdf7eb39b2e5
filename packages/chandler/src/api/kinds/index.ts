/** All kinds of ours, and their CRDs as objects. The files of the CRD chart are in `crd-files.ts`. */
import { type CustomResourceDefinition, type KindDefinition, renderCrd } from '../schema/crd.ts';
import { aksNodeClassKind } from './aks-node-class/aks-node-class.ts';
import { capacityBufferKind } from './capacity-buffer.ts';
import { ec2NodeClassKind } from './ec2-node-class/ec2-node-class.ts';
import { nodeClaimKind } from './node-claim.ts';
import { nodeOverlayKind } from './node-overlay.ts';
import { nodePoolKind } from './node-pool.ts';

/** Ordered by the names of their files. */
export const KINDS: readonly KindDefinition[] = [
  capacityBufferKind,
  aksNodeClassKind,
  ec2NodeClassKind,
  nodeClaimKind,
  nodeOverlayKind,
  nodePoolKind,
];

/** The CRDs as objects, for an API server that has them from the start. */
export function builtinCrds(): CustomResourceDefinition[] {
  return KINDS.map(renderCrd);
}
