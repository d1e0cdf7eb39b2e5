/** What the nodes and pods of a fixture world are made of. */
import type { PoolRow } from '../../../packages/chandler/src/dashboard/wire.ts';

export const GIB = 1024 ** 3;
export const MIB = 1024 ** 2;

export interface TypeShape {
  readonly name: string;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly onDemand: number;
  readonly spot: number;
}

const type = (name: string, cores: number, gib: number, onDemand: number, spot: number): TypeShape => ({
  name,
  cpuMillis: cores * 1000 - 80,
  memoryBytes: Math.round(gib * 0.92) * GIB,
  onDemand,
  spot,
});

export interface PoolShape {
  readonly row: PoolRow;
  readonly zones: readonly string[];
  readonly capacity: string;
  readonly types: readonly TypeShape[];
  readonly version: string;
}

const ALWAYS = { reasons: [], schedule: null, duration: null } as const;

export const POOL_SHAPES: readonly PoolShape[] = [
  {
    row: {
      name: 'general',
      nodeClass: 'EC2NodeClass/default',
      ready: true,
      readyText: 'Ready',
      weight: 10,
      limits: { cpu: '2000', memory: '8Ti' },
      budgets: [
        { nodes: '10%', ...ALWAYS },
        { nodes: '0', reasons: ['Drifted'], schedule: '0 8 * * mon-fri', duration: '9h' },
      ],
      consolidation: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '1m',
    },
    zones: ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'],
    capacity: 'on-demand',
    types: [
      type('m7g.2xlarge', 8, 32, 0.391, 0.142),
      type('c7i.xlarge', 4, 8, 0.204, 0.083),
      type('m7i.4xlarge', 16, 64, 0.967, 0.331),
      type('r7g.xlarge', 4, 32, 0.259, 0.101),
    ],
    version: 'v1.34.1-eks-113cf36',
  },
  {
    row: {
      name: 'batch',
      nodeClass: 'EC2NodeClass/batch',
      ready: true,
      readyText: 'Ready',
      weight: null,
      limits: { cpu: '800' },
      budgets: [{ nodes: '50%', ...ALWAYS }],
      consolidation: 'WhenEmpty',
      consolidateAfter: '30s',
    },
    zones: ['eu-central-1a', 'eu-central-1b'],
    capacity: 'spot',
    types: [
      type('c7g.4xlarge', 16, 32, 0.667, 0.221),
      type('c6i.8xlarge', 32, 64, 1.552, 0.489),
      type('m6a.2xlarge', 8, 32, 0.414, 0.139),
    ],
    version: 'v1.34.1-eks-113cf36',
  },
  {
    row: {
      name: 'memory',
      nodeClass: 'AKSNodeClass/memory',
      ready: false,
      readyText: 'NotReady: the image of family AzureLinux was not found in westeurope',
      weight: 1,
      limits: {},
      budgets: [{ nodes: '1', reasons: [], schedule: '0 2 * * *', duration: '3h' }],
      consolidation: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '5m',
    },
    zones: ['westeurope-1', 'westeurope-2', 'westeurope-3'],
    capacity: 'on-demand',
    types: [type('Standard_E8s_v5', 8, 64, 0.608, 0.121), type('Standard_D8ls_v5', 8, 16, 0.386, 0.081)],
    version: 'v1.34.2',
  },
];

export interface WorkloadShape {
  readonly namespace: string;
  readonly workload: string;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

const workload = (namespace: string, name: string, cpuMillis: number, mib: number): WorkloadShape => ({
  namespace,
  workload: name,
  cpuMillis,
  memoryBytes: mib * MIB,
});

export const WORKLOADS: readonly WorkloadShape[] = [
  workload('shop', 'Deployment/checkout', 500, 768),
  workload('shop', 'Deployment/catalogue', 250, 512),
  workload('shop', 'Deployment/cart', 200, 384),
  workload('shop', 'StatefulSet/orders-db', 1500, 6144),
  workload('search', 'Deployment/query', 1000, 2048),
  workload('search', 'StatefulSet/index', 2000, 12_288),
  workload('platform', 'Deployment/gateway', 300, 256),
  workload('platform', 'Deployment/auth', 150, 256),
  workload('batch', 'Job/nightly-report', 2000, 3072),
  workload('batch', 'Job/thumbnails', 750, 1024),
];

/** One of each on every node. */
export const AGENTS: readonly WorkloadShape[] = [
  workload('kube-system', 'DaemonSet/node-exporter', 50, 64),
  workload('kube-system', 'DaemonSet/log-shipper', 100, 192),
];
