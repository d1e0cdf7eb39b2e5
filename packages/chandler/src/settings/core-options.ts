/**
 * Options of Karpenter's core, with its flags, variables and defaults, so that existing installations keep working.
 * Where upstream falls back to the default for an invalid variable, this is an error that names the variable.
 */
import { DEFAULT_RATE_LIMIT } from '@chandler/kube';
import { LEASE_NAME } from '../api/index.ts';
import { optionGroup } from './option-row.ts';
import { schedulerConfigProblem } from './scheduler-config.ts';

/** With their defaults. */
export const FEATURE_GATES = {
  NodeRepair: false,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
  TerminateFirstDrift: false,
  TerminateFirstRepair: false,
  PodDeletionCostManagement: false,
} as const;

export type FeatureGate = keyof typeof FEATURE_GATES;

/** Accepted, so that existing installations start, but not implemented yet. */
const UNUSED_GATES: Readonly<Partial<Record<FeatureGate, string>>> = {
  CapacityBuffer: 'capacity is not reserved for future pods; CapacityBuffer objects are ignored',
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
      unused: 'chandler has no webhook',
      doc: 'The name of the Service of the webhook of Karpenter',
    },
    metricsPort: {
      flag: 'metrics-port',
      env: 'METRICS_PORT',
      ...PORT,
      default: 8080,
      doc: 'The port of the metrics endpoint',
    },
    healthProbePort: {
      flag: 'health-probe-port',
      env: 'HEALTH_PROBE_PORT',
      ...PORT,
      default: 8081,
      doc: 'The port of the health endpoints /healthz and /readyz',
    },
    kubeClientQps: {
      flag: 'kube-client-qps',
      env: 'KUBE_CLIENT_QPS',
      type: 'integer',
      minimum: 1,
      default: DEFAULT_RATE_LIMIT.qps,
      doc: 'The sustained rate of requests to the API server, per second',
    },
    kubeClientBurst: {
      flag: 'kube-client-burst',
      env: 'KUBE_CLIENT_BURST',
      type: 'integer',
      minimum: 1,
      default: DEFAULT_RATE_LIMIT.burst,
      doc: 'The maximum burst of requests to the API server',
    },
    enableProfiling: {
      flag: 'enable-profiling',
      env: 'ENABLE_PROFILING',
      type: 'boolean',
      default: false,
      doc: 'Serve profiles on the metrics port',
    },
    memoryLimit: {
      flag: 'memory-limit',
      env: 'MEMORY_LIMIT',
      type: 'integer',
      minimum: -1,
      default: -1,
      placeholder: 'BYTES',
      doc: 'The memory limit of the container in bytes; the process uses at most 90% of it; -1 means no limit',
    },
    cpuRequests: {
      flag: 'cpu-requests',
      env: 'CPU_REQUESTS',
      type: 'integer',
      // The downward API reports 0 for a container without a CPU request.
      minimum: 0,
      default: 1000,
      placeholder: 'MILLICORES',
      doc: 'The CPU request of the container in millicores; it determines how many objects are reconciled in parallel; 0 means one core',
    },
    logLevel: {
      flag: 'log-level',
      env: 'LOG_LEVEL',
      type: 'string',
      choices: ['debug', 'info', 'warn', 'error', ''],
      default: 'info',
      runtime: true,
      doc: 'The minimum level of log lines; empty means info',
    },
    logOutputPaths: {
      flag: 'log-output-paths',
      env: 'LOG_OUTPUT_PATHS',
      type: 'list',
      default: ['stdout'] as readonly string[],
      doc: 'Where to write the log: stdout, stderr or file paths',
    },
    logErrorOutputPaths: {
      flag: 'log-error-output-paths',
      env: 'LOG_ERROR_OUTPUT_PATHS',
      type: 'list',
      default: ['stderr'] as readonly string[],
      doc: 'Where to write the errors of the logger itself',
    },
    systemNamespace: {
      flag: 'system-namespace',
      env: 'SYSTEM_NAMESPACE',
      type: 'string',
      default: '',
      beforeSettings: true,
      doc: 'The namespace of the controller, its leases, its settings and the ConfigMap upcoming-maintenance-window; empty means the namespace of its pod, or kube-system outside a cluster',
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
      doc: 'Run without leader election; use it only with a single replica',
    },
    leaderElectionName: {
      flag: 'leader-election-name',
      env: 'LEADER_ELECTION_NAME',
      type: 'string',
      default: LEASE_NAME,
      required: true,
      doc: 'The name of the leader election lease',
    },
    leaderElectionNamespace: {
      flag: 'leader-election-namespace',
      env: 'LEADER_ELECTION_NAMESPACE',
      type: 'string',
      default: '',
      doc: 'The namespace of the leader election lease; empty means the namespace of the controller',
    },
    disableControllerWarmup: {
      flag: 'disable-controller-warmup',
      env: 'DISABLE_CONTROLLER_WARMUP',
      type: 'boolean',
      default: true,
      unused: 'caches are always filled before the election, so that a new leader starts quickly',
      doc: 'Fill the caches only after the replica becomes the leader',
    },
    disableClusterStateObservability: {
      flag: 'disable-cluster-state-observability',
      env: 'DISABLE_CLUSTER_STATE_OBSERVABILITY',
      type: 'boolean',
      default: false,
      doc: 'Do not export per-pod, per-node, per-NodePool and condition metrics; cluster-wide metrics and cost metrics are still exported',
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
      doc: 'The maximum time to collect pending pods into one batch',
    },
    batchIdleDuration: {
      flag: 'batch-idle-duration',
      env: 'BATCH_IDLE_DURATION',
      type: 'duration',
      minimum: 0,
      default: 1000,
      runtime: true,
      doc: 'A batch is complete when no new pending pod arrives for this time',
    },
    preferencePolicy: {
      flag: 'preference-policy',
      env: 'PREFERENCE_POLICY',
      type: 'string',
      choices: ['Respect', 'Ignore'],
      default: 'Respect',
      runtime: true,
      doc: 'Whether new nodes respect the preferred scheduling terms of pods',
    },
    minValuesPolicy: {
      flag: 'min-values-policy',
      env: 'MIN_VALUES_POLICY',
      type: 'string',
      choices: ['Strict', 'BestEffort'],
      default: 'Strict',
      runtime: true,
      doc: 'Whether minValues of a NodePool must be met',
    },
    ignoreDraRequests: {
      flag: 'ignore-dra-requests',
      env: 'IGNORE_DRA_REQUESTS',
      type: 'boolean',
      default: true,
      unused:
        'dynamic resource allocation is not supported; pods with resource claims are always ignored, and an event says so',
      doc: 'Ignore pods that request devices through dynamic resource allocation',
    },
    schedulerConfig: {
      flag: 'scheduler-config',
      env: 'SCHEDULER_CONFIG',
      type: 'string',
      default: '',
      placeholder: 'YAML',
      check: schedulerConfigProblem,
      doc: 'The default topology spread constraints of kube-scheduler, for pods without constraints of their own: podTopologySpread.defaultConstraints as YAML or JSON',
    },
    featureGates: {
      flag: 'feature-gates',
      env: 'FEATURE_GATES',
      type: 'gates',
      default: FEATURE_GATES as Readonly<Record<string, boolean>>,
      unusedGates: UNUSED_GATES,
      doc: 'Optional features to enable or disable; an unknown name only logs a warning',
    },
  },
);

const REPAIR = optionGroup(
  { group: 'Disruption', settingsPrefix: '' },
  {
    legacyNodeRepair: {
      flag: 'legacy-node-repair',
      env: 'LEGACY_NODE_REPAIR',
      type: 'boolean',
      default: false,
      doc: 'With the feature gate NodeRepair: repair nodes as Karpenter did before v1.15, which deletes an unhealthy node at once, without a replacement, budgets or a drain',
    },
  },
);

export const CORE_OPTIONS = { ...PROCESS, ...ELECTION, ...SCHEDULING, ...REPAIR };
