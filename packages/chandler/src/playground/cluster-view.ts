/** The cluster at this moment, as the terminal view needs it: plain data, worked out from the stores. */
import { amountOf, BY_NODE, podRequests } from '@chandler/apiserver/standins';
import type { Pod } from '@chandler/kube';
import { type News, type PodCounts, podCounts } from './activity-reporter.ts';
import type { ClusterWatch, Conditioned } from './cluster-watch.ts';
import type { Bill } from './cost-meter.ts';

export interface Picture {
  readonly nowMs: number;
  readonly speed: number;
  /** `starting`, `leading`, `off`, or what went wrong. */
  readonly controller: string;
  readonly story: string | undefined;
  /** Machines that were bought or are on their way, oldest first. */
  readonly machines: readonly MachineRow[];
  readonly systemNodes: number;
  readonly workloads: readonly WorkloadRow[];
  readonly pods: PodCounts;
  readonly bill: { readonly machines: number; readonly perHour: number };
  /** Newest last. */
  readonly news: readonly News[];
  readonly kubeconfig: string;
}

export interface MachineRow {
  readonly name: string;
  readonly pool: string;
  readonly size: string;
  readonly zone: string;
  readonly capacity: string;
  readonly pods: number;
  /** Of the CPU that pods may ask for, from 0 to 1. */
  readonly cpu: number | undefined;
  readonly pricePerHour: number | undefined;
  readonly ageMs: number;
  readonly state: string;
  readonly warning: boolean;
}

export interface WorkloadRow extends PodCounts {
  readonly name: string;
}

export interface PictureInputs
  extends Pick<Picture, 'nowMs' | 'speed' | 'controller' | 'story' | 'news' | 'kubeconfig'> {
  readonly watch: ClusterWatch;
  readonly bill: Bill | undefined;
}

export function takePicture(inputs: PictureInputs): Picture {
  const { watch, bill, ...given } = inputs;
  const pods = [...watch.pods.values()];
  const claims = [...watch.claims.store.values()];
  // One that has just appeared is not written on its claim yet.
  const bought = new Set(
    claims.flatMap(({ status, metadata }) => [status?.nodeName, `aks-${metadata.name}`]),
  );
  return {
    ...given,
    machines: claims
      .map((claim) => machineRow(claim, inputs))
      .sort((one, other) => other.ageMs - one.ageMs || (one.name < other.name ? -1 : 1)),
    systemNodes: [...watch.nodes.values()].filter(({ metadata }) => !bought.has(metadata.name)).length,
    workloads: workloadRows(pods),
    pods: podCounts(pods),
    bill: { machines: bill?.machines ?? 0, perHour: bill?.perHour ?? 0 },
  };
}

// ---------------------------------------------------------------------------------------------------

function machineRow(claim: Conditioned, { watch, bill, nowMs }: PictureInputs): MachineRow {
  const { name = '', labels = {}, creationTimestamp = '' } = claim.metadata;
  const nodeName = claim.status?.nodeName ?? '';
  const node = nodeName === '' ? undefined : watch.nodes.get({ name: nodeName });
  const own = nodeName === '' ? [] : watch.pods.by(BY_NODE, nodeName);
  const allocatable = node?.status?.allocatable?.['cpu'];
  const used = own.reduce((sum, { spec }) => sum + (podRequests(spec).get('cpu') ?? 0), 0);
  const ageMs = nowMs - Date.parse(creationTimestamp);
  return {
    name,
    pool: labels['karpenter.sh/nodepool'] ?? '',
    size: (labels['node.kubernetes.io/instance-type'] ?? '').replace(/^Standard_/, ''),
    zone: labels['topology.kubernetes.io/zone'] ?? '',
    capacity: labels['karpenter.sh/capacity-type'] ?? '',
    pods: own.length,
    cpu: allocatable === undefined ? undefined : used / Math.max(1e-9, amountOf('cpu', allocatable)),
    pricePerHour: bill?.perHourOf(`aks-${name}`),
    ageMs: Number.isNaN(ageMs) ? 0 : Math.max(0, ageMs),
    ...stateOf(claim, node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status),
  };
}

function stateOf(claim: Conditioned, ready: string | undefined): { state: string; warning: boolean } {
  const conditions = claim.status?.conditions ?? [];
  const is = (type: string) => conditions.find((condition) => condition.type === type)?.status;
  const failed = conditions.find(({ type, status }) => status === 'False' && WAY.includes(type));
  if (claim.metadata.deletionTimestamp !== undefined) return { state: 'leaving', warning: false };
  if (is('Initialized') === 'True')
    return ready === 'True' ? { state: 'Ready', warning: false } : { state: 'NotReady', warning: true };
  if (failed !== undefined) return { state: failed.reason ?? 'failed', warning: true };
  if (is('Registered') === 'True') return { state: 'joined', warning: false };
  return { state: is('Launched') === 'True' ? 'booting' : 'launching', warning: false };
}

const WAY = ['Launched', 'Registered', 'Initialized'];

/** By the label `app`, or by what owns them. */
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
