/**
 * The EC2NodeClass, the NodePool and the NodeClaim of which user data is rendered: from files, or examples where the files
 * contain none. A claim inherits from its pool as in the controller.
 */
import {
  AWS_GROUP,
  AwsLabel,
  type EC2NodeClass,
  ec2NodeClassKind,
  KarpenterLabel,
  type NodeClaim,
  type NodePool,
  nodeClaimKind,
  nodePoolKind,
  withDefaults,
} from '../../api/index.ts';
import { singleValuedLabels } from '../../bootstrap/index.ts';
import type { Source } from '../simulate/documents.ts';
import { Failure } from '../verb.ts';
import { type ReadObject, readObjects } from './read-objects.ts';

export interface AwsManifests {
  readonly nodeClass: ReadObject<EC2NodeClass>;
  readonly claim: NodeClaim;
  /** Where the labels and taints of the claim come from. */
  readonly origin: 'NodePool' | 'NodeClaim' | 'example';
}

/** @throws {Failure} for files that cannot be parsed, or that do not fit together. */
export function awsManifestsOf(sources: readonly Source[]): AwsManifests {
  const objects = readObjects<Known>(sources, KINDS);
  const claims = objects.flatMap(({ object }) => (object.kind === 'NodeClaim' ? [object] : []));
  const pools = objects.flatMap(({ object }) => (object.kind === 'NodePool' ? [object] : []));
  const classes = objects.filter(isClass);
  if (claims.length > 1) throw new Failure('-f: more than one NodeClaim; only one is supported');
  const [claim] = claims;
  const pool = pools.find(({ spec }) => spec.template.spec.nodeClassRef.group === AWS_GROUP);
  if (claim === undefined && pool === undefined && pools.length > 0) {
    throw new Failure(`-f: no NodePool in these files references an ${ec2NodeClassKind.kind}`);
  }
  const nodeClass = classFor((claim?.spec ?? pool?.spec.template.spec)?.nodeClassRef.name, classes);
  if (claim !== undefined) return { nodeClass, claim: withLabels(claim), origin: 'NodeClaim' };
  return pool === undefined
    ? { nodeClass, claim: claimOf(examplePool(nodeClass.object.metadata.name ?? EXAMPLE)), origin: 'example' }
    : { nodeClass, claim: claimOf(pool), origin: 'NodePool' };
}

/** Whether the files are about AWS, by the node classes they hold or reference. */
export function isAboutAws(sources: readonly Source[]): boolean {
  const texts = sources.map(({ text }) => text).join('\n');
  return /\bEC2NodeClass\b/.test(texts) && !/\bAKSNodeClass\b/.test(texts);
}

// ---------------------------------------------------------------------------------------------------

type Known = EC2NodeClass | NodePool | NodeClaim;

const KINDS = [ec2NodeClassKind, nodePoolKind, nodeClaimKind] as const;
const EXAMPLE = 'default';

function isClass(read: ReadObject<Known>): read is ReadObject<EC2NodeClass> {
  return read.object.kind === 'EC2NodeClass';
}

function classFor(
  name: string | undefined,
  classes: readonly ReadObject<EC2NodeClass>[],
): ReadObject<EC2NodeClass> {
  const found = classes.find(({ object }) => name === undefined || object.metadata.name === name);
  if (found !== undefined) return found;
  if (classes.length > 0) {
    const names = classes.map(({ object }) => object.metadata.name).join(', ');
    throw new Failure(`-f: the NodePool references EC2NodeClass ${name}, but the files have ${names}`);
  }
  return exampleClass(name ?? EXAMPLE);
}

function exampleClass(name: string): ReadObject<EC2NodeClass> {
  const spec = withDefaults(
    ec2NodeClassKind.spec as never,
    {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'example' } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'example' } }],
      role: 'KarpenterNodeRole-example',
    } as never,
  ) as EC2NodeClass['spec'];
  return {
    object: { apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass', metadata: { name }, spec },
    problem: (_, message) => message,
  };
}

function examplePool(className: string): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: EXAMPLE },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: AWS_GROUP, kind: ec2NodeClassKind.kind, name: className },
          requirements: [{ key: KarpenterLabel.capacityType, operator: 'In', values: ['on-demand'] }],
        },
      },
    },
  };
}

function claimOf(pool: NodePool): NodeClaim {
  const { template } = pool.spec;
  const { nodeClassRef, requirements, taints, startupTaints } = template.spec;
  const poolName = pool.metadata.name ?? EXAMPLE;
  return withLabels({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: `${poolName}-x7k2p`,
      labels: { ...template.metadata?.labels, [KarpenterLabel.nodePool]: poolName },
    },
    spec: {
      nodeClassRef,
      requirements,
      ...(taints === undefined ? {} : { taints }),
      ...(startupTaints === undefined ? {} : { startupTaints }),
    },
  });
}

/** A claim has the labels for which its requirements leave one value. */
function withLabels(claim: NodeClaim): NodeClaim {
  return {
    ...claim,
    metadata: {
      ...claim.metadata,
      labels: {
        ...singleValuedLabels(claim.spec.requirements),
        ...claim.metadata.labels,
        [AwsLabel.nodeClass]: claim.spec.nodeClassRef.name,
      },
    },
  };
}
