/** The objects around a case that are there in every cluster: the controller, a pool, a class; and the changes to them. */
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { before, type ConditionWords, merged, millis, NODE_GROUP, NOW_MS, SUBSCRIPTION } from './objects.ts';

type Loose = Record<string, unknown>;

export interface ControllerWords {
  readonly replicas?: number;
  readonly ready?: number;
  /** Null: from a Secret, so that the value cannot be seen. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly args?: readonly string[];
  /** Variables that come from a whole Secret, so that not even their names can be seen. */
  readonly envFrom?: readonly string[];
  /** `none`: no Deployment, as where AKS runs it. */
  readonly hosting?: 'here' | 'none';
  /** Who renews the Lease: a replica, nobody, or another. */
  readonly leader?: boolean | string;
  /** The name of the Lease. */
  readonly lease?: string;
  /** When the Lease was renewed: `4m`. */
  readonly leaseAge?: string;
  readonly stopped?: { readonly reason: string; readonly message: string };
  readonly rolledOut?: string;
}

export function aController(words: ControllerWords = {}): readonly ReadObject[] {
  const { replicas = 1, ready = replicas, env = {}, hosting = 'here', leader = true, stopped } = words;
  const { envFrom: hidden } = words;
  const lease: ReadObject = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: words.lease ?? 'karpenter-leader-election', namespace: 'kube-system' },
    spec: {
      holderIdentity: typeof leader === 'string' ? leader : 'karpenter-1_1a2b',
      leaseDurationSeconds: 15,
      renewTime: micro(millis(words.leaseAge ?? (leader === false ? '1h' : '2s'))),
    },
  };
  if (hosting === 'none') return [lease];
  const labels = { 'app.kubernetes.io/name': 'karpenter' };
  const deployment: ReadObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'karpenter', namespace: 'kube-system', labels, creationTimestamp: before('30d') },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'controller',
              image: 'registry.example/chandler:1.0.0',
              env: Object.entries({ ...ENV, ...env })
                .filter(([name]) => hidden?.includes(name) !== true)
                .map(([name, value]) =>
                  value === null ? { name, valueFrom: FROM_SECRET } : { name, value },
                ),
              ...(words.args === undefined ? {} : { args: words.args }),
              ...(hidden === undefined ? {} : { envFrom: [{ secretRef: { name: 'karpenter-env' } }] }),
            },
          ],
        },
      },
    },
    status: {
      readyReplicas: ready,
      conditions: [{ type: 'Progressing', status: 'True', lastUpdateTime: before(words.rolledOut ?? '30d') }],
    },
  };
  if (stopped === undefined) return [lease, deployment];
  const pod: ReadObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'karpenter-1', namespace: 'kube-system', labels },
    spec: { containers: [{ name: 'controller' }] },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'controller',
          restartCount: 5,
          state: { waiting: { reason: stopped.reason } },
          lastState: { terminated: { exitCode: 1, reason: 'Error', message: stopped.message } },
        },
      ],
    },
  };
  return [lease, deployment, pod];
}

/** Leases have times with six digits. */
function micro(agoMs: number): string {
  return new Date(NOW_MS - agoMs).toISOString().replace('Z', '000Z');
}

const FROM_SECRET = { secretKeyRef: { name: 'controller', key: 'value' } };

const ENV = {
  CLUSTER_NAME: 'shop',
  CLUSTER_ENDPOINT: 'https://shop-1234.hcp.westeurope.azmk8s.io:443',
  AZURE_NODE_RESOURCE_GROUP: NODE_GROUP,
  ARM_RESOURCE_GROUP: 'shop',
  AZURE_SUBSCRIPTION_ID: SUBSCRIPTION,
  LOCATION: 'westeurope',
  FEATURE_GATES: 'StaticCapacity=true',
  VNET_SUBNET_ID: `/subscriptions/${SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/shop/subnets/nodes`,
};

export interface ClassWords extends Loose {
  readonly name?: string;
  readonly conditions?: Readonly<Record<string, ConditionWords>>;
  readonly set?: { readonly id: string; readonly source: string };
  /** Default: 1, it was never edited. */
  readonly generation?: number;
  readonly deleting?: string;
  readonly spec?: Loose;
  readonly age?: string;
}

const CLASS_CONDITIONS = ['ImagesReady', 'KubernetesVersionReady', 'SubnetsReady', 'ValidationSucceeded'];

export function aClass(words: ClassWords = {}): ReadObject {
  const { name = 'default', conditions = {}, set, age = '1d' } = words;
  const all: Record<string, ConditionWords> = {};
  for (const type of CLASS_CONDITIONS) all[type] = { status: 'True', reason: type };
  Object.assign(all, conditions);
  const sick = Object.values(all).find(({ status = 'True' }) => status === 'False');
  all['Ready'] ??=
    sick === undefined
      ? { status: 'True', reason: 'Ready' }
      : { status: 'False', reason: 'UnhealthyDependents' };
  return {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: {
      name,
      generation: words.generation ?? 1,
      creationTimestamp: before(age),
      annotations: { 'karpenter.azure.com/aksnodeclass-hash': 'hash-1' },
      ...(words.deleting === undefined ? {} : { deletionTimestamp: before(words.deleting) }),
    },
    spec: words.spec ?? {},
    status: {
      ...(set === undefined ? {} : { diskEncryptionSet: set }),
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

export interface PoolWords extends Loose {
  readonly name?: string;
  readonly conditions?: Readonly<Record<string, ConditionWords>>;
  readonly spec?: Loose;
  readonly status?: Loose;
  readonly deleting?: string;
}

export function aPool(words: PoolWords = {}): ReadObject {
  const { name = 'default', conditions = {} } = words;
  const all: Record<string, ConditionWords> = {
    ValidationSucceeded: {},
    NodeClassReady: {},
    ...conditions,
  };
  const sick = Object.entries(all).find(
    ([type, { status = 'True' }]) => status !== 'True' && type !== 'NodeRegistrationHealthy',
  );
  all['Ready'] ??=
    sick === undefined ? {} : { status: 'False', reason: 'UnhealthyDependents', message: `${sick[0]}=False` };
  return merged(
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: {
        name,
        uid: `uid-${name}`,
        creationTimestamp: before('1d'),
        ...(words.deleting === undefined ? {} : { deletionTimestamp: before(words.deleting) }),
      },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
            requirements: [],
          },
        },
      },
      status: {
        conditions: Object.entries(all).map(
          ([type, { status = 'True', reason = type, message = '', ago }]) => ({
            type,
            status,
            reason,
            message,
            lastTransitionTime: before(ago ?? '1d'),
          }),
        ),
      },
    },
    { spec: words.spec ?? {}, status: words.status ?? {} },
  );
}
