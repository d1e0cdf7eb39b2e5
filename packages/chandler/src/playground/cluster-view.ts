/** The current state of the cluster as the terminal view shows it: plain data, computed from the stores. */
import { amountOf, BY_NODE, podRequests } from '@chandler/apiserver/standins';
import { conditionOf, type Pod } from '@chandler/kube';
import { claimPhase } from '../api/index.ts';
import { type Activity, type PodCounts, podCounts } from './activity-reporter.ts';
import type { PlaygroundCloud } from './clouds/playground-cloud.ts';
import type { ClusterWatch, Conditioned } from './cluster-watch.ts';
import type { Cost } from './cost-meter.ts';

export interface ClusterView {
  readonly nowMs: number;
  readonly speed: number;
  /** `starting`, `leading`, `off` or `failed`; with two controllers the state of each, after the name of its cloud. */
  readonly controller: string;
  readonly scenario: string | undefined;
  /** One row for each NodeClaim, oldest first. */
  readonly instances: readonly InstanceRow[];
  readonly systemNodes: number;
  readonly workloads: readonly WorkloadRow[];
  readonly pods: PodCounts;
  readonly cost: Pick<Cost, 'instances' | 'noun' | 'perHour'>;
  /** Newest last. */
  readonly activities: readonly Activity[];
  readonly kubeconfig: string;
  /** The address of the page; absent: there is none. */
  readonly page?: string | undefined;
}

export interface InstanceRow {
  readonly name: string;
  readonly pool: string;
  readonly size: string;
  readonly zone: string;
  readonly capacity: string;
  readonly pods: number;
  /** Requested share of the allocatable CPU, from 0 to 1. */
  readonly cpu: number | undefined;
  readonly pricePerHour: number | undefined;
  readonly ageMs: number;
  readonly state: string;
  readonly warning: boolean;
}

export interface WorkloadRow extends PodCounts {
  readonly name: string;
}

export interface ClusterViewInputs
  extends Pick<
    ClusterView,
    'nowMs' | 'speed' | 'controller' | 'scenario' | 'activities' | 'kubeconfig' | 'page'
  > {
  readonly watch: ClusterWatch;
  readonly cost: Cost | undefined;
  readonly cloud: Pick<PlaygroundCloud, 'instances' | 'instanceOf'> | undefined;
}

export function readClusterView(inputs: ClusterViewInputs): ClusterView {
  const { watch, cost, cloud, ...given } = inputs;
  const pods = [...watch.pods.values()];
  const claims = [...watch.claims.store.values()];
  // The status of a NodeClaim does not name its node until the node has registered.
  const provisioned = new Set([
    ...claims.map(({ status }) => status?.nodeName),
    ...(cloud?.instances().map(({ nodeName }) => nodeName) ?? []),
  ]);
  return {
    ...given,
    instances: claims
      .map((claim) => instanceRow(claim, inputs))
      .sort((one, other) => other.ageMs - one.ageMs || (one.name < other.name ? -1 : 1)),
    systemNodes: [...watch.nodes.values()].filter(({ metadata }) => !provisioned.has(metadata.name)).length,
    workloads: workloadRows(pods),
    pods: podCounts(pods),
    cost: { instances: cost?.instances ?? 0, noun: cost?.noun ?? 'VM', perHour: cost?.perHour ?? 0 },
  };
}

// ---------------------------------------------------------------------------------------------------

function instanceRow(claim: Conditioned, { watch, cost, cloud, nowMs }: ClusterViewInputs): InstanceRow {
  const { name = '', labels = {}, creationTimestamp = '' } = claim.metadata;
  const nodeName = claim.status?.nodeName ?? '';
  const node = nodeName === '' ? undefined : watch.nodes.get({ name: nodeName });
  const own = nodeName === '' ? [] : watch.pods.by(BY_NODE, nodeName);
  const allocatable = node?.status?.allocatable?.['cpu'];
  const used = own.reduce((sum, { spec }) => sum + (podRequests(spec).get('cpu') ?? 0), 0);
  const ageMs = nowMs - Date.parse(creationTimestamp);
  const { phase, warning } = claimPhase(claim, node && conditionOf(node, 'Ready')?.status);
  const instance = cloud?.instanceOf({ name, providerID: claim.status?.providerID });
  return {
    name,
    pool: labels['karpenter.sh/nodepool'] ?? '',
    size: (labels['node.kubernetes.io/instance-type'] ?? '').replace(/^Standard_/, ''),
    zone: labels['topology.kubernetes.io/zone'] ?? '',
    capacity: labels['karpenter.sh/capacity-type'] ?? '',
    pods: own.length,
    cpu: allocatable === undefined ? undefined : used / Math.max(1e-9, amountOf('cpu', allocatable)),
    pricePerHour: instance === undefined ? undefined : cost?.perHourOf(instance),
    ageMs: Number.isNaN(ageMs) ? 0 : Math.max(0, ageMs),
    state: phase,
    warning,
  };
}

/** Grouped by the label `app`, else by owner. */
function workloadRows(pods: readonly Pod[]): readonly WorkloadRow[] {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const { labels = {}, ownerReferences = [], namespace = '', name = '' } = pod.metadata;
    const called = labels['app'] ?? ownerReferences[0]?.name ?? name;
    const key = namespace === 'default' ? called : `${namespace}/${called}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [pod]);
    else group.push(pod);
  }
  return [...groups]
    .map(([name, own]) => ({ name, ...podCounts(own) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
