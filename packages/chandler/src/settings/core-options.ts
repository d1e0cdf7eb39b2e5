/**
 * Options of Karpenter's core, with its flags, variables and defaults, so that existing installations keep working.
 * Where upstream falls back to a default when a variable cannot be read, here it is an error that names the variable.
 */
import { LEASE_NAME } from '../api/index.ts';
import { optionGroup } from './option-row.ts';

/** With their defaults. */
export const FEATURE_GATES = {
  NodeRepair: false,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
} as const;

export type FeatureGate = keyof typeof FEATURE_GATES;

export type FeatureGates = Readonly<Record<FeatureGate, boolean>>;

/** Known, so that existing installations keep starting, and not built yet. */
const UNUSED_GATES: Readonly<Partial<Record<FeatureGate, string>>> = {
  SpotToSpotConsolidation: 'nodes are not consolidated yet, of whatever capacity type',
  CapacityBuffer: 'no room is kept for pods that are not there yet; CapacityBuffers are left as they are',
};

const PORT = { type: 'integer', minimum: 0, maximum: 65_535 } as const;

const PROCESS = optionGroup(
  { group: 'Process', settingsPrefix: '' },
  {
    karpenterService: {
      flag: 'karpenter-service',
      env: 'KARPENTER_SERVICE',
      type: 'string',
      default: '',
      unused: 'it named the Service of a webhook, and there is none',
      doc: 'Name of the Service in front of the controller',
    },
    metricsPort: {
      flag: 'metrics-port',
      env: 'METRICS_PORT',
      ...PORT,
      default: 8080,
      doc: 'Where metrics are served',
    },
    healthProbePort: {
      flag: 'health-probe-port',
      env: 'HEALTH_PROBE_PORT',
      ...PORT,
      default: 8081,
      doc: 'Where /healthz and /readyz are served',
    },
    kubeClientQps: {
      flag: 'kube-client-qps',
      env: 'KUBE_CLIENT_QPS',
      type: 'integer',
      minimum: 1,
      default: 200,
      doc: 'Requests a second to the API server, on average',
    },
    kubeClientBurst: {
      flag: 'kube-client-burst',
      env: 'KUBE_CLIENT_BURST',
      type: 'integer',
      minimum: 1,
      default: 300,
      doc: 'Requests to the API server at once',
    },
    enableProfiling: {
      flag: 'enable-profiling',
      env: 'ENABLE_PROFILING',
      type: 'boolean',
      default: false,
      doc: 'Serve profiles beside the metrics',
    },
    memoryLimit: {
      flag: 'memory-limit',
      env: 'MEMORY_LIMIT',
      type: 'integer',
      minimum: -1,
      default: -1,
      placeholder: 'BYTES',
      doc: 'Memory of the container, of which the process takes at most nine tenths; -1 is no limit',
    },
    cpuRequests: {
      flag: 'cpu-requests',
      env: 'CPU_REQUESTS',
      type: 'integer',
      // The downward API says 0 for a container that requests none.
      minimum: 0,
      default: 1000,
      placeholder: 'MILLICORES',
      doc: 'CPU of the container, by which work is done in parallel; 0 is one core',
    },
    logLevel: {
      flag: 'log-level',
      env: 'LOG_LEVEL',
      type: 'string',
      choices: ['debug', 'info', 'warn', 'error', ''],
      default: 'info',
      runtime: true,
      doc: 'Which lines are logged; empty is info',
    },
    logOutputPaths: {
      flag: 'log-output-paths',
      env: 'LOG_OUTPUT_PATHS',
      type: 'list',
      default: ['stdout'] as readonly string[],
      doc: 'Where the log goes: stdout, stderr or files',
    },
    logErrorOutputPaths: {
      flag: 'log-error-output-paths',
      env: 'LOG_ERROR_OUTPUT_PATHS',
      type: 'list',
      default: ['stderr'] as readonly string[],
      doc: 'Where the logger complains about itself',
    },
    systemNamespace: {
      flag: 'system-namespace',
      env: 'SYSTEM_NAMESPACE',
      type: 'string',
      default: '',
      beforeSettings: true,
      doc: 'Namespace of the controller: its settings, leases and the maintenance window; empty is that of its pod, or kube-system outside of one',
    },
  },
);

const ELECTION = optionGroup(
  { group: 'Leader election and state', settingsPrefix: '' },
  {
    disableLeaderElection: {
      flag: 'disable-leader-election',
      env: 'DISABLE_LEADER_ELECTION',
      type: 'boolean',
      default: false,
      doc: 'Run without a lease: only ever with one replica',
    },
    leaderElectionName: {
      flag: 'leader-election-name',
      env: 'LEADER_ELECTION_NAME',
      type: 'string',
      default: LEASE_NAME,
      required: true,
      doc: 'Name of the lease',
    },
    leaderElectionNamespace: {
      flag: 'leader-election-namespace',
      env: 'LEADER_ELECTION_NAMESPACE',
      type: 'string',
      default: '',
      doc: "Namespace of the lease; empty is the controller's own",
    },
    disableControllerWarmup: {
      flag: 'disable-controller-warmup',
      env: 'DISABLE_CONTROLLER_WARMUP',
      type: 'boolean',
      default: true,
      unused: 'caches are always filled before the election, so that a hand-over is quick',
      doc: 'Fill caches only after the election',
    },
    disableClusterStateObservability: {
      flag: 'disable-cluster-state-observability',
      env: 'DISABLE_CLUSTER_STATE_OBSERVABILITY',
      type: 'boolean',
      default: false,
      doc: 'No metrics per pod, node and NodePool and none of conditions; those of the cluster as a whole and of cost stay',
    },
  },
);

const SCHEDULING = optionGroup(
  { group: 'Scheduling', settingsPrefix: '' },
  {
    batchMaxDuration: {
      flag: 'batch-max-duration',
      env: 'BATCH_MAX_DURATION',
      type: 'duration',
      minimum: 0,
      default: 10_000,
      runtime: true,
      doc: 'Longest time to wait for more pending pods before planning',
    },
    batchIdleDuration: {
      flag: 'batch-idle-duration',
      env: 'BATCH_IDLE_DURATION',
      type: 'duration',
      minimum: 0,
      default: 1000,
      runtime: true,
      doc: 'Planning starts when no pod has come for so long',
    },
    preferencePolicy: {
      flag: 'preference-policy',
      env: 'PREFERENCE_POLICY',
      type: 'string',
      choices: ['Respect', 'Ignore'],
      default: 'Respect',
      runtime: true,
      doc: 'What preferences of pods are worth when nodes are bought',
    },
    minValuesPolicy: {
      flag: 'min-values-policy',
      env: 'MIN_VALUES_POLICY',
      type: 'string',
      choices: ['Strict', 'BestEffort'],
      default: 'Strict',
      runtime: true,
      doc: 'Whether minValues of a NodePool may be missed',
    },
    ignoreDraRequests: {
      flag: 'ignore-dra-requests',
      env: 'IGNORE_DRA_REQUESTS',
      type: 'boolean',
      default: true,
      unused: 'devices are never planned for; pods that claim some are refused and say so, as with true',
      doc: 'Pods that claim devices (dynamic resource allocation) are refused',
    },
    schedulerConfig: {
      flag: 'scheduler-config',
      env: 'SCHEDULER_CONFIG',
      type: 'string',
      default: '',
      placeholder: 'YAML',
      unused: 'only the spread that pods ask for themselves is planned for',
      doc: "The kube-scheduler's default topology spread: podTopologySpread.defaultConstraints in YAML or JSON",
    },
    featureGates: {
      flag: 'feature-gates',
      env: 'FEATURE_GATES',
      type: 'gates',
      default: FEATURE_GATES as Readonly<Record<string, boolean>>,
      unusedGates: UNUSED_GATES,
      doc: 'What is switched on or off; a name that is not known is a warning',
    },
  },
);

export const CORE_OPTIONS = { ...PROCESS, ...ELECTION, ...SCHEDULING };
