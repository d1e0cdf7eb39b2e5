/**
 * The node class, the pool and the claim of which the bootstrap data is rendered: from files, or examples where the
 * files contain none. A claim inherits from its pool as in the controller.
 */
import {
  type AKSNodeClass,
  AzureLabel,
  aksNodeClassKind,
  KarpenterLabel,
  KubernetesLabel,
  type NodeClaim,
  type NodePool,
  nodeClaimKind,
  nodePoolKind,
  withDefaults,
} from '../../api/index.ts';
import type { Source } from '../simulate/documents.ts';
import { Failure } from '../verb.ts';
import { readObjects } from './read-objects.ts';

export interface Manifests {
  readonly nodeClass: AKSNodeClass;
  /** Absent for a claim that was created by hand. */
  readonly nodePool?: NodePool;
  readonly claim: NodeClaim;
}

/**
 * @param anySize the example pool accepts any size.
 * @throws {Failure} for files that cannot be parsed.
 */
export function manifestsOf(sources: readonly Source[], anySize = false): Manifests {
  const objects = readObjects<Known>(sources, KINDS).map(({ object }) => object);
  const claims = objects.filter((object): object is NodeClaim => object.kind === 'NodeClaim');
  const pools = objects.filter((object): object is NodePool => object.kind === 'NodePool');
  const classes = objects.filter((object): object is AKSNodeClass => object.kind === 'AKSNodeClass');
  const [ownClaim] = claims;
  if (claims.length > 1) throw new Failure('-f: more than one NodeClaim; only one is supported');
  const nodePool = poolFor(ownClaim, pools);
  const className = (ownClaim?.spec ?? nodePool?.spec.template.spec)?.nodeClassRef.name;
  const nodeClass = classFor(className, classes);
  const claim = ownClaim ?? claimOf(nodePool ?? examplePool(nodeClass, anySize));
  if (ownClaim !== undefined && nodePool === undefined) return { nodeClass, claim };
  return { nodeClass, nodePool: nodePool ?? examplePool(nodeClass, anySize), claim };
}

// ---------------------------------------------------------------------------------------------------

type Known = AKSNodeClass | NodePool | NodeClaim;

const KINDS = [aksNodeClassKind, nodePoolKind, nodeClaimKind] as const;

function poolFor(claim: NodeClaim | undefined, pools: readonly NodePool[]): NodePool | undefined {
  const wanted = claim?.metadata.labels?.[KarpenterLabel.nodePool];
  if (claim === undefined) return pools[0];
  return pools.find((pool) => pool.metadata.name === wanted);
}

function classFor(name: string | undefined, classes: readonly AKSNodeClass[]): AKSNodeClass {
  const found = classes.find((candidate) => name === undefined || candidate.metadata.name === name);
  if (found !== undefined) return found;
  if (classes.length > 0) {
    const names = classes.map((candidate) => candidate.metadata.name).join(', ');
    throw new Failure(`-f: the NodeClaim references AKSNodeClass ${name}, but the files have ${names}`);
  }
  return {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: name ?? 'default' },
    spec: withDefaults(aksNodeClassKind.spec as never, {} as never),
  };
}

function examplePool(nodeClass: AKSNodeClass, anySize: boolean): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: {
      template: {
        spec: {
          nodeClassRef: {
            group: 'karpenter.azure.com',
            kind: 'AKSNodeClass',
            name: nodeClass.metadata.name ?? 'default',
          },
          requirements: [
            { key: KarpenterLabel.capacityType, operator: 'In', values: ['on-demand'] },
            ...(anySize ? [] : EXAMPLE_SIZES),
          ],
        },
      },
    },
  };
}

const EXAMPLE_SIZES: NodePool['spec']['template']['spec']['requirements'] = [
  { key: KubernetesLabel.arch, operator: 'In', values: ['amd64'] },
  { key: AzureLabel.skuFamily, operator: 'In', values: ['D'] },
];

function claimOf(pool: NodePool): NodeClaim {
  const { template } = pool.spec;
  const { nodeClassRef, requirements, taints, startupTaints } = template.spec;
  const poolName = pool.metadata.name ?? 'default';
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: `${poolName}-x7k2p`,
      uid: '00000000-0000-0000-0000-00000000000c',
      labels: {
        ...template.metadata?.labels,
        [KarpenterLabel.nodePool]: poolName,
        [AzureLabel.nodeClass]: nodeClassRef.name,
      },
    },
    spec: {
      nodeClassRef,
      requirements,
      ...(taints === undefined ? {} : { taints }),
      ...(startupTaints === undefined ? {} : { startupTaints }),
    },
  };
}
