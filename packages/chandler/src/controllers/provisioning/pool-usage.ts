/**
 * The usage of a pool, for its limits. A claim without an instance counts as the largest type it may become, so that
 * the limit holds whatever the cloud launches. Nodes that are being deleted do not count: their pods must be
 * rescheduled first. Nodes that a command replaces count until they are deleted, but not beside their replacements. Thousands
 * of claims may wait for their instances, with the same few lists of types: what was read from a list is kept with it.
 */
import { parseQuantity, Quantity } from '@chandler/kube';
import { KubernetesLabel, type NodeClaim, type NodePool, type ResourceList } from '../../api/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';
import type { Cluster, ClusterNode } from '../../state/index.ts';

/** For the input of a plan, which reads it only where there are limits. */
export function usageOf(
  { metadata, spec }: NodePool,
  cluster: Cluster,
  instanceTypes: readonly InstanceType[],
): { readonly used?: ResourceList } {
  if (Object.keys(spec.limits ?? {}).length === 0) return {};
  return { used: usedBy(metadata.name ?? '', cluster, instanceTypes) };
}

export function usedBy(
  nodePool: string,
  cluster: Cluster,
  instanceTypes: readonly InstanceType[],
  /** Names of claims that do not count. */
  except: ReadonlySet<string> = new Set(),
): ResourceList {
  const { exchanges } = cluster;
  const sums: Sums = new Map();
  const exchanged = new Map<string, { readonly candidates: Sums; readonly replacements: Sums }>();
  const sumsOf = (side: ReturnType<typeof exchanges.sideOf>): Sums => {
    if (side === undefined) return sums;
    let both = exchanged.get(side.id);
    if (both === undefined) {
      both = { candidates: new Map(), replacements: new Map() };
      exchanged.set(side.id, both);
    }
    return both[side.side];
  };
  for (const node of cluster.nodes()) {
    if (node.nodePool !== nodePool || node.deleting) continue;
    const name = node.claim?.metadata.name;
    if (name !== undefined && except.has(name)) continue;
    const side = name === undefined ? undefined : exchanges.sideOf(name);
    if (side === undefined && cluster.isMarkedForDeletion(node)) continue;
    addNode(sumsOf(side), capacityOf(node, instanceTypes));
  }
  for (const [id, replacement] of exchanges.replacementsIn(nodePool)) {
    if (cluster.nodeOfClaim(replacement.metadata.name) !== undefined) continue;
    addNode(sumsOf({ id, side: 'replacements' }), largestOf(replacement, instanceTypes) ?? {});
  }
  for (const { candidates, replacements } of exchanged.values())
    for (const resource of new Set([...candidates.keys(), ...replacements.keys()])) {
      const before = candidates.get(resource) ?? Quantity.zero;
      const after = replacements.get(resource) ?? Quantity.zero;
      add(sums, resource, before.compare(after) < 0 ? after : before);
    }
  return Object.fromEntries([...sums].map(([resource, sum]) => [resource, sum.toString()]));
}

/** The most that a claim without an instance may take of each resource. */
export function largestOf(
  { spec: { requirements } }: Pick<NodeClaim, 'spec'>,
  instanceTypes: readonly InstanceType[],
): ResourceList | undefined {
  let known = LARGEST.get(instanceTypes);
  if (known === undefined) {
    known = new WeakMap();
    LARGEST.set(instanceTypes, known);
  }
  let largest = known.get(requirements);
  if (largest === undefined) {
    largest = largestAmong(requirements, instanceTypes);
    known.set(requirements, largest);
  }
  return largest === NO_TYPE ? undefined : largest;
}

// ---------------------------------------------------------------------------------------------------

type Requirements = NodeClaim['spec']['requirements'];
type Sums = Map<string, Quantity>;
type Amounts = readonly (readonly [resource: string, amount: Quantity])[];

const ONE = Quantity.of(1);
/** The claim lists none of the types. */
const NO_TYPE: ResourceList = {};
/** By list of types and requirements. Neither is modified, and the stores keep equal requirements once. */
const LARGEST = new WeakMap<readonly InstanceType[], WeakMap<Requirements, ResourceList>>();
const AMOUNTS = new WeakMap<ResourceList, Amounts>();

function add(sums: Sums, resource: string, amount: Quantity): void {
  sums.set(resource, (sums.get(resource) ?? Quantity.zero).add(amount));
}

function addNode(sums: Sums, capacity: ResourceList): void {
  add(sums, 'nodes', ONE);
  for (const [resource, amount] of amountsOf(capacity)) add(sums, resource, amount);
}

function capacityOf(node: ClusterNode, instanceTypes: readonly InstanceType[]): ResourceList {
  if (node.launched || node.claim === undefined) return node.capacity;
  return largestOf(node.claim, instanceTypes) ?? node.capacity;
}

function largestAmong(requirements: Requirements, instanceTypes: readonly InstanceType[]): ResourceList {
  const names = new Set(
    requirements.find(({ key, operator }) => key === KubernetesLabel.instanceType && operator === 'In')
      ?.values ?? [],
  );
  const most = new Map<string, Quantity>();
  for (const type of instanceTypes) {
    if (!names.has(type.name)) continue;
    for (const [resource, quantity] of amountsOf(type.capacity)) {
      if ((most.get(resource) ?? Quantity.zero).compare(quantity) < 0) most.set(resource, quantity);
    }
  }
  if (most.size === 0) return NO_TYPE;
  return Object.fromEntries([...most].map(([resource, quantity]) => [resource, quantity.toString()]));
}

function amountsOf(list: ResourceList): Amounts {
  let amounts = AMOUNTS.get(list);
  if (amounts === undefined) {
    amounts = Object.entries(list).map(([resource, amount]) => [resource, parseQuantity(amount)] as const);
    AMOUNTS.set(list, amounts);
  }
  return amounts;
}
