/** The builders of `objects.ts` and `cluster-objects.ts` for EKS: the same words in a case file become objects of AWS. */
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';
import {
  aController,
  aPool,
  type ClassWords,
  type ControllerWords,
  type PoolWords,
} from './cluster-objects.ts';
import {
  aClaim,
  aNode,
  before,
  type ClaimWords,
  type ConditionWords,
  merged,
  type NodeWords,
} from './objects.ts';

export const NODE = 'ip-10-0-1-23.eu-west-1.compute.internal';
export const INSTANCE = 'i-0123456789abcdef0';
const CLASS_REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const HASH = { 'karpenter.k8s.aws/ec2nodeclass-hash': '123' };

export function awsController(words: ControllerWords = {}): readonly ReadObject[] {
  const env = { CLUSTER_ENDPOINT: 'https://ABCD.gr7.eu-west-1.eks.amazonaws.com', ...words.env };
  return aController({ ...words, env });
}

export function awsPool(words: PoolWords = {}): ReadObject {
  return merged(aPool(words), { spec: { template: { spec: { nodeClassRef: CLASS_REF } } } });
}

export function awsClaim(words: ClaimWords = {}): ReadObject {
  const launched = words.upTo !== 'created';
  const registered = launched && words.upTo !== 'launched';
  return merged(aClaim({ ...words, annotations: { ...HASH, ...words.annotations } }), {
    spec: { nodeClassRef: CLASS_REF },
    status: {
      ...(launched ? { providerID: `aws:///eu-west-1a/${INSTANCE}`, imageID: 'ami-0123456789abcdef0' } : {}),
      ...(registered ? { nodeName: NODE } : {}),
    },
  });
}

export function awsNode(words: NodeWords = {}): ReadObject {
  return merged(aNode({ name: NODE, ...words }), {
    metadata: { labels: { 'topology.kubernetes.io/region': 'eu-west-1', ...labelsOf(words) } },
    spec: { providerID: `aws:///eu-west-1a/${INSTANCE}` },
  });
}

const CONDITIONS = [
  'AMIsReady',
  'CapacityReservationsReady',
  'InstanceProfileReady',
  'PlacementGroupReady',
  'SecurityGroupsReady',
  'SubnetsReady',
  'ValidationSucceeded',
];

const ZONES = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'];

/** @param words with `zones`, of its subnets. */
export function awsClass(words: ClassWords & { readonly zones?: readonly string[] } = {}): ReadObject {
  const { name = 'default', conditions = {}, age = '1d', spec = {}, zones = ZONES } = words;
  const subnets = zones.map((zone, index) => ({ id: `subnet-0123456789abcdef${index}`, zone }));
  const all: Record<string, ConditionWords> = {};
  for (const type of CONDITIONS) all[type] = {};
  Object.assign(all, conditions);
  const sick = Object.values(all).find(({ status = 'True' }) => status !== 'True');
  all['Ready'] ??= sick === undefined ? {} : { status: 'False', reason: 'UnhealthyDependents' };
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name, generation: 1, creationTimestamp: before(age), annotations: HASH },
    spec: merged(
      {
        role: 'KarpenterNodeRole-shop',
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'shop' } }],
        securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'shop' } }],
        metadataOptions: { httpEndpoint: 'enabled', httpPutResponseHopLimit: 1, httpTokens: 'required' },
      },
      spec,
    ),
    status: {
      ...(all['SubnetsReady']?.status === 'False' ? {} : { subnets }),
      conditions: Object.entries(all).map(
        ([type, { status = 'True', reason = type, message = '', ago }]) => ({
          type,
          status,
          reason,
          message,
          lastTransitionTime: before(ago ?? age),
        }),
      ),
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

function labelsOf({ metadata = {} }: NodeWords): Record<string, string> {
  return (metadata['labels'] ?? {}) as Record<string, string>;
}
