/**
 * Existing nodes and claims in flight, as input of the planner. Nodes that are being deleted are left out and
 * returned by name, because their pods must be scheduled again.
 */
import type { ObjectMeta } from '@chandler/kube';
import {
  DISRUPTED_TAINT,
  KarpenterLabel,
  KubernetesLabel,
  type NodeClaim,
  type ResourceList,
  sameTaint,
  type Taint,
} from '../../api/index.ts';
import type { ExistingNode } from '../../scheduling/index.ts';

import type { Inventory } from './inventory.ts';

export interface ReadNodes {
  readonly nodes: readonly ExistingNode[];
  readonly leaving: ReadonlySet<string>;
}

export function readNodes(inventory: Inventory): ReadNodes {
  const claims = inventory.objects<NodeClaim>('NodeClaim');
  const byNode = new Map(claims.map((claim) => [claim.status?.nodeName ?? '', claim]));
  const nodes: ExistingNode[] = [];
  const leaving = new Set<string>();
  for (const node of inventory.objects<Node>('Node')) {
    const name = node.metadata.name!;
    const claim = byNode.get(name);
    if (isLeaving(node, claim)) leaving.add(name);
    else nodes.push(existing(node, claim));
  }
  const registered = new Set([...nodes.map(({ name }) => name), ...leaving]);
  for (const claim of claims) {
    const { status, metadata } = claim;
    const launched = status?.providerID !== undefined && !metadata.deletionTimestamp;
    if (launched && !registered.has(status.nodeName ?? '')) nodes.push(inFlight(claim));
  }
  return { nodes, leaving };
}

// ---------------------------------------------------------------------------------------------------------------

interface Node {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  readonly status?: { readonly allocatable?: ResourceList; readonly capacity?: ResourceList };
}

const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
/** The default maximum of pods of a kubelet, for manifests without the field. */
const DEFAULT_PODS = '110';

function isLeaving({ metadata, spec }: Node, claim: NodeClaim | undefined): boolean {
  const marked = (spec?.taints ?? []).some((taint) => sameTaint(taint, DISRUPTED_TAINT));
  return marked || (claim?.metadata ?? metadata).deletionTimestamp !== undefined;
}

function existing({ metadata, spec, status }: Node, claim: NodeClaim | undefined): ExistingNode {
  const labels: Record<string, string> = { [KubernetesLabel.hostname]: metadata.name!, ...metadata.labels };
  const taints = spec?.taints ?? [];
  const cordoned = spec?.unschedulable === true && !taints.some((taint) => sameTaint(taint, CORDONED));
  const managed = KarpenterLabel.nodePool in labels;
  const { capacity } = status ?? {};
  return {
    name: metadata.name!,
    labels,
    taints: cordoned ? [...taints, CORDONED] : taints,
    allocatable: { pods: DEFAULT_PODS, ...(status?.allocatable ?? capacity) },
    ...(capacity === undefined ? {} : { capacity }),
    ...(managed && claim !== undefined
      ? {
          initialized: labels[KarpenterLabel.initialized] === 'true',
          startupTaints: claim.spec.startupTaints ?? [],
        }
      : {}),
  };
}

function inFlight({ metadata, spec, status }: NodeClaim): ExistingNode {
  const { allocatable, capacity } = status ?? {};
  return {
    name: metadata.name!,
    labels: { ...metadata.labels },
    taints: spec.taints ?? [],
    allocatable: { ...allocatable },
    ...(capacity === undefined ? {} : { capacity }),
    managed: true,
    initialized: false,
    startupTaints: spec.startupTaints ?? [],
  };
}
