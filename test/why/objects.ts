/**
 * Builders for the objects of corpus cases: a few words in a case file become whole Kubernetes objects as an API server
 * would show them. Everything that a case does not say is as in a healthy cluster.
 */
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';
import type { Stage } from '../../packages/chandler/src/journey/index.ts';
import { encodeJourney } from '../../packages/chandler/src/journey/testing.ts';

export const NOW_MS = Date.UTC(2026, 5, 1, 9);
export const SUBSCRIPTION = '12345678-1234-1234-1234-123456789012';
export const NODE_GROUP = 'mc_shop_shop_westeurope';
export const SET = `/subscriptions/${SUBSCRIPTION}/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/disks`;

type Loose = Record<string, unknown>;

export interface ConditionWords {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly ago?: string;
}

/** `90s`, `5m`, `2h` before now, as a timestamp. */
export function before(ago: string | undefined, fallback = '10m'): string {
  return new Date(NOW_MS - millis(ago ?? fallback)).toISOString().replace('.000Z', 'Z');
}

export function millis(text: string): number {
  const match = /^(-?\d+)(s|m|h|d)$/.exec(text);
  if (match === null) throw new Error(`no time: ${text}`);
  return Number(match[1]) * { s: 1000, m: 60_000, h: 3600_000, d: 86_400_000 }[match[2] as 's']!;
}

export interface PodWords extends Loose {
  readonly name?: string;
  readonly namespace?: string;
  readonly age?: string;
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly deleting?: string;
  readonly container?: Loose;
  readonly spec?: Loose;
  readonly status?: Loose;
  readonly metadata?: Loose;
}

export function aPod(words: PodWords = {}): ReadObject {
  const { name = 'web', namespace = 'shop', age, node, ready = node !== undefined, container = {} } = words;
  const running = node !== undefined;
  const scheduled = running
    ? { type: 'PodScheduled', status: 'True', lastTransitionTime: before(age) }
    : {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: 'no node',
        lastTransitionTime: before(age),
      };
  const yes = ready ? 'True' : 'False';
  return merged(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace,
        uid: `uid-${name}`,
        creationTimestamp: before(age),
        ...(words.deleting === undefined ? {} : { deletionTimestamp: before(words.deleting) }),
      },
      spec: {
        schedulerName: 'default-scheduler',
        ...(running ? { nodeName: node } : {}),
        containers: [
          { name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '100m' } } },
        ],
      },
      status: {
        phase: words.phase ?? (running ? 'Running' : 'Pending'),
        conditions: running
          ? [
              scheduled,
              { type: 'ContainersReady', status: yes, lastTransitionTime: before(age) },
              { type: 'Ready', status: yes, lastTransitionTime: before(age) },
            ]
          : [scheduled],
        ...(running ? { containerStatuses: [containerStatus(container, ready)] } : {}),
      },
    },
    { metadata: words.metadata ?? {}, spec: words.spec ?? {}, status: words.status ?? {} },
  );
}

function containerStatus(words: Loose, ready: boolean): Loose {
  const {
    waiting,
    terminated,
    last,
    restarts = 0,
    started,
    runs = '5m',
    image = 'registry.example/app:1',
  } = words;
  const idle = waiting !== undefined || terminated !== undefined;
  return {
    name: 'app',
    image,
    ready,
    started: started ?? !idle,
    restartCount: restarts,
    state:
      waiting !== undefined
        ? { waiting }
        : terminated !== undefined
          ? { terminated }
          : { running: { startedAt: before(String(runs)) } },
    ...(last === undefined ? {} : { lastState: { terminated: last } }),
  };
}

export interface ClaimWords extends Loose {
  readonly name?: string;
  readonly pool?: string;
  readonly age?: string;
  readonly deleting?: string;
  /** The steps that are done: launched, registered, initialized. Default: all. */
  readonly upTo?: 'created' | 'launched' | 'registered' | 'initialized';
  readonly conditions?: Readonly<Record<string, ConditionWords>>;
  readonly journey?: readonly (Loose & { readonly name: string; readonly ago?: string })[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Loose;
  readonly status?: Loose;
  readonly image?: string;
}

const STEPS = ['created', 'launched', 'registered', 'initialized'] as const;

export function aClaim(words: ClaimWords = {}): ReadObject {
  const { name = 'default-x7k2p', pool = 'default', age = '10m', upTo = 'initialized' } = words;
  const done = STEPS.indexOf(upTo);
  const condition = (type: string, step: number, waiting: ConditionWords) => {
    const words_ = words.conditions?.[type];
    const status = words_?.status ?? (done >= step ? 'True' : 'Unknown');
    return {
      type,
      status,
      reason: words_?.reason ?? (done >= step ? type : (waiting.reason ?? 'AwaitingReconciliation')),
      message: words_?.message ?? (done >= step ? '' : (waiting.message ?? '')),
      lastTransitionTime: before(words_?.ago ?? age),
    };
  };
  const known = ['Launched', 'Registered', 'Initialized'];
  const more = Object.entries(words.conditions ?? {})
    .filter(([type]) => !known.includes(type))
    .map(([type, { status = 'True', reason = type, message = '', ago }]) => ({
      type,
      status,
      reason,
      message,
      lastTransitionTime: before(ago ?? age),
    }));
  const stages = (words.journey ?? []).map(
    ({ ago = '9m', ...stage }) =>
      ({ outcome: 'ok', ...stage, atMs: NOW_MS - millis(ago) }) as unknown as Stage,
  );
  return merged(
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name,
        uid: `uid-${name}`,
        creationTimestamp: before(age),
        labels: { 'karpenter.sh/nodepool': pool },
        annotations: {
          ...(stages.length === 0 ? {} : { 'chandler.sh/journey': encodeJourney(stages) }),
          ...words.annotations,
        },
        ...(words.deleting === undefined ? {} : { deletionTimestamp: before(words.deleting) }),
      },
      spec: {
        nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
        requirements: [],
      },
      status: {
        ...(done >= 1 ? { providerID: providerId(name), imageID: words.image ?? IMAGE } : {}),
        ...(done >= 2 ? { nodeName: `aks-${name}` } : {}),
        conditions: [
          condition('Launched', 1, {}),
          condition(
            'Registered',
            2,
            done >= 1 ? { reason: 'NodeNotFound', message: 'Node not registered with cluster' } : {},
          ),
          condition(
            'Initialized',
            3,
            done >= 2 ? { reason: 'NodeNotReady', message: 'Node status is NotReady' } : {},
          ),
          ...more,
        ],
      },
    },
    { spec: words.spec ?? {}, status: words.status ?? {} },
  );
}

export const IMAGE = '/CommunityGalleries/AKSUbuntu-38d80f77/images/2204gen2containerd/versions/202605.10.0';

export function providerId(claim: string): string {
  return `azure:///subscriptions/${SUBSCRIPTION}/resourceGroups/${NODE_GROUP}/providers/Microsoft.Compute/virtualMachines/aks-${claim}`;
}

export interface NodeWords extends Loose {
  readonly name?: string;
  readonly claim?: string | null;
  readonly age?: string;
  readonly deleting?: string;
  readonly ready?: ConditionWords;
  readonly conditions?: Readonly<Record<string, ConditionWords>>;
  readonly spec?: Loose;
  readonly status?: Loose;
  readonly metadata?: Loose;
}

export function aNode(words: NodeWords = {}): ReadObject {
  const { claim = 'default-x7k2p', age } = words;
  const name = words.name ?? `aks-${claim}`;
  const ready = words.ready ?? {};
  const conditions = { Ready: { status: 'True', reason: 'KubeletReady', ...ready }, ...words.conditions };
  return merged(
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        uid: `uid-${name}`,
        creationTimestamp: before(age),
        labels: {
          'kubernetes.io/hostname': name,
          'topology.kubernetes.io/region': 'westeurope',
          ...(claim === null ? {} : { 'karpenter.sh/nodepool': 'default' }),
        },
        ...(claim === null
          ? {}
          : {
              ownerReferences: [
                { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: claim, uid: `uid-${claim}` },
              ],
            }),
        ...(words.deleting === undefined ? {} : { deletionTimestamp: before(words.deleting) }),
      },
      spec: { providerID: providerId(claim ?? name.replace(/^aks-/, '')) },
      status: {
        allocatable: { cpu: '3860m', memory: '14Gi', pods: '110' },
        nodeInfo: { kubeletVersion: 'v1.34.2' },
        conditions: Object.entries(conditions).map(
          ([type, { status = 'True', reason = '', message = '', ago }]) => ({
            type,
            status,
            reason,
            message,
            lastTransitionTime: before(ago ?? age),
          }),
        ),
      },
    },
    { metadata: words.metadata ?? {}, spec: words.spec ?? {}, status: words.status ?? {} },
  );
}

export interface EventWords {
  /** `Pod/shop/web`, `NodeClaim/default-x7k2p`. */
  readonly on: string;
  /** Of the pod, if it is about one of them. */
  readonly container?: string;
  readonly type?: string;
  readonly reason: string;
  readonly message: string;
  readonly ago?: string;
  /** Of the first one. */
  readonly first?: string;
  readonly by?: string;
  readonly count?: number;
}

export function anEvent(words: EventWords, index: number): ReadObject {
  const [kind = '', ...rest] = words.on.split('/');
  const name = rest.at(-1) ?? '';
  const namespace = rest.length > 1 ? rest[0] : undefined;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${index}`, namespace: namespace ?? 'default' },
    involvedObject: {
      kind,
      name,
      uid: `uid-${name}`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(words.container === undefined ? {} : { fieldPath: `spec.containers{${words.container}}` }),
    },
    type: words.type ?? 'Warning',
    reason: words.reason,
    message: words.message,
    count: words.count ?? 1,
    ...(words.first === undefined ? {} : { firstTimestamp: before(words.first) }),
    lastTimestamp: before(words.ago, '1m'),
    source: { component: words.by ?? 'kubelet' },
  };
}

/** Objects deep, lists replaced. */
export function merged<T>(base: T, more: unknown): T {
  if (typeof base !== 'object' || base === null || Array.isArray(base)) return (more ?? base) as T;
  if (typeof more !== 'object' || more === null || Array.isArray(more)) return (more ?? base) as T;
  const result: Loose = { ...(base as Loose) };
  for (const [key, value] of Object.entries(more as Loose)) {
    if (value === null) delete result[key];
    else result[key] = key in result ? merged(result[key], value) : value;
  }
  return result as T;
}
