/**
 * All kinds of ours, and their CRDs as objects and as the files of the CRD chart.
 */
import { type CustomResourceDefinition, crdYaml, type KindDefinition, renderCrd } from '../schema/crd.ts';
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

export interface CrdFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The files of the CRD chart. Joined with `---` between them they are what `chandler crds` prints. */
export function crdFiles(): CrdFile[] {
  return KINDS.map((kind) => ({
    path: `charts/chandler-crd/templates/${kind.group}_${kind.plural}.yaml`,
    text: crdYaml(kind),
  }));
}

/** The CRDs as objects, for an API server that has them from the start. */
export function builtinCrds(): CustomResourceDefinition[] {
  return KINDS.map(renderCrd);
}
