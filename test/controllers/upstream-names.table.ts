/**
 * What monitoring, alerts and installations rely on: the metrics, event reasons, options and gates of Karpenter's core
 * (sigs.k8s.io/karpenter, after v1.14.0, 2026-08-20), its operator library and its Azure provider. Read from their sources
 * on 2026-08-20, with the labels of v1.15. `by` names the module that implements a row where it is not a controller.
 */

export interface MetricRow {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: readonly string[];
  readonly by?: 'operator' | 'azure';
  /** One more label for every well-known label of the cloud. */
  readonly wellKnown?: true;
}

const DISRUPTED = ['reason', 'nodepool', 'capacity_type', 'consolidation_policy', 'termination_mode'];
const POD = ['name', 'namespace'];
const NODE = ['node_name', 'phase', 'managed'];

const CORE: readonly MetricRow[] = [
  counter('nodeclaims_created_total', 'reason', 'nodepool', 'min_values_relaxed'),
  counter('nodeclaims_terminated_total', 'nodepool', 'capacity_type', 'zone'),
  counter('nodeclaims_disrupted_total', ...DISRUPTED),
  counter(
    'nodeclaims_unhealthy_disrupted_total',
    'condition',
    'nodepool',
    'capacity_type',
    'image_id',
    'termination_mode',
  ),
  histogram('nodeclaims_instance_termination_duration_seconds', 'nodepool'),
  histogram('nodeclaims_termination_duration_seconds', 'nodepool'),
  counter('nodes_created_total', 'nodepool', 'zone'),
  counter('nodes_terminated_total', 'nodepool', 'zone'),
  counter('nodes_drained_total', 'nodepool'),
  summary('nodes_termination_duration_seconds', 'nodepool'),
  histogram('nodes_lifetime_duration_seconds', 'nodepool'),
  counter('nodes_reboots_total', 'result'),
  histogram('nodes_reboot_duration_seconds', 'result'),
  histogram('nodes_reboot_recovery_duration_seconds'),
  ...[
    'nodes_allocatable',
    'nodes_total_pod_requests',
    'nodes_total_pod_limits',
    'nodes_total_daemon_requests',
    'nodes_total_daemon_limits',
    'nodes_system_overhead',
  ].map((name): MetricRow => ({ ...gauge(name, ...NODE, 'resource_type'), wellKnown: true })),
  { ...gauge('nodes_current_lifetime_seconds', ...NODE), wellKnown: true },
  gauge('cluster_utilization_percent', 'resource_type'),
  gauge('cluster_state_node_count'),
  gauge('cluster_state_synced'),
  gauge('cluster_state_unsynced_time_seconds'),
  gauge('nodepools_limit', 'resource_type', 'nodepool'),
  gauge('nodepools_usage', 'resource_type', 'nodepool'),
  gauge('nodepools_cost_total', 'nodepool'),
  counter('nodepools_cost_tracker_errors_total', 'nodepool'),
  gauge(
    'pods_state',
    ...POD,
    'owner',
    'node',
    'scheduled',
    'nodepool',
    'zone',
    'arch',
    'capacity_type',
    'instance_type',
    'phase',
    'ready',
    'managed',
  ),
  summary('pods_startup_duration_seconds'),
  gauge('pods_unstarted_time_seconds', ...POD),
  gauge('pods_unbound_time_seconds', ...POD, 'dynamic_resources'),
  gauge('pods_provisioning_unbound_time_seconds', ...POD, 'dynamic_resources'),
  gauge('pods_provisioning_unstarted_time_seconds', ...POD),
  gauge('pods_provisioning_scheduling_undecided_time_seconds', ...POD),
  histogram('pods_bound_duration_seconds', 'dynamic_resources'),
  histogram('pods_provisioning_bound_duration_seconds', 'dynamic_resources'),
  histogram('pods_provisioning_startup_duration_seconds'),
  histogram('pods_scheduling_decision_duration_seconds'),
  counter('pods_disruption_initiated_total', ...DISRUPTED),
  counter('pods_eviction_requests_total', 'code'),
  counter('pods_drained_total', 'reason'),
  histogram('scheduler_scheduling_duration_seconds', 'controller'),
  gauge('scheduler_queue_depth', 'controller', 'scheduling_id'),
  gauge('scheduler_unfinished_work_seconds', 'controller', 'scheduling_id'),
  gauge('scheduler_ignored_pods_count'),
  gauge('scheduler_unschedulable_pods_count', 'controller'),
  gauge('scheduler_pending_pods_by_effective_zone_count', 'controller', 'zone'),
  histogram('cloudprovider_duration_seconds', 'controller', 'method', 'provider'),
  counter('cloudprovider_errors_total', 'controller', 'method', 'provider', 'nodepool', 'error'),
  { ...gauge('build_info', 'version', 'goversion', 'goarch', 'commit'), by: 'operator' },
  gauge('nodepools_allowed_disruptions', 'nodepool', 'reason'),
  gauge('nodepools_nodes_consuming_budgets', 'nodepool', 'reason'),
  histogram('voluntary_disruption_decision_evaluation_duration_seconds', 'reason', 'consolidation_type'),
  counter('voluntary_disruption_decisions_total', 'decision', 'reason', 'consolidation_type'),
  counter(
    'voluntary_disruption_decisions_by_nodepool_total',
    'nodepool',
    'decision',
    'reason',
    'consolidation_type',
  ),
  gauge('voluntary_disruption_eligible_nodes', 'reason'),
  counter('voluntary_disruption_consolidation_timeouts_total', 'consolidation_type'),
  counter('voluntary_disruption_failed_validations_total', 'consolidation_type'),
  counter('voluntary_disruption_queue_failures_total', 'decision', 'reason', 'consolidation_type'),
  counter(
    'voluntary_disruption_terminate_first_decisions_total',
    'nodepool',
    'reason',
    'terminate_first_reason',
  ),
  gauge('pod_deletion_cost_nodes_with_pending_annotation_writes', 'nodepool'),
  counter('pod_deletion_cost_pod_annotation_writes_total', 'result'),
  histogram('consolidation_score', 'decision', 'nodepool', 'policy'),
  counter('consolidation_moves_total', 'decision', 'nodepool', 'policy'),
];

const MACHINE = ['image', 'size', 'zone', 'capacity_type', 'nodepool'];

const AZURE: readonly MetricRow[] = [
  { ...counter('instance_vm_create_start_total', ...MACHINE), by: 'azure' },
  { ...counter('instance_vm_create_failure_total', ...MACHINE, 'phase', 'error_code'), by: 'azure' },
  { ...counter('image_selection_error_count', 'family'), by: 'azure' },
];

/** The labels that each kind adds, as they are with Azure's node class. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  nodeclaim_: ['karpenter_azure_com_aksnodeclass', 'karpenter_sh_nodepool'],
  nodepool_: [],
  node_: ['karpenter_azure_com_aksnodeclass', 'karpenter_sh_nodepool', 'karpenter_sh_initialized'],
  aksnodeclass_: [],
  // Upstream's older names, without the kind.
  '': ['group', 'kind'],
};

const OBJECT = ['namespace', 'name'];

const CONDITIONS: readonly MetricRow[] = Object.entries(KINDS).flatMap(([kind, labels]): MetricRow[] => [
  own(kind, 'status_condition_transition_seconds', 'histogram', ['type', 'status', 'to_status', ...labels]),
  own(kind, 'status_condition_count', 'gauge', [...OBJECT, 'type', 'status', 'reason', ...labels]),
  own(kind, 'status_condition_current_status_seconds', 'gauge', [
    ...OBJECT,
    'type',
    'status',
    'reason',
    ...labels,
  ]),
  own(kind, 'status_condition_transitions_total', 'counter', ['type', 'status', 'reason', ...labels]),
  own(kind, 'termination_current_time_seconds', 'gauge', [...OBJECT, ...labels]),
  own(kind, 'termination_duration_seconds', 'histogram', labels),
]);

export const METRICS: readonly MetricRow[] = [...CORE, ...AZURE, ...CONDITIONS];

export interface EventRow {
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  readonly kinds: readonly string[];
  /** What the message begins with, or holds. */
  readonly message: RegExp;
}

export const EVENT_REASONS: readonly EventRow[] = [
  event('Nominated', 'Normal', ['Pod'], /^Pod should schedule on: nodeclaim\//),
  event('FailedScheduling', 'Warning', ['Pod'], /^Failed to schedule pod, /),
  event(
    'NoCompatibleInstanceTypes',
    'Warning',
    ['NodePool'],
    /filtered out all compatible available instance types/,
  ),
  event('Evicted', 'Normal', ['Pod'], /^Evicted pod: /),
  event('Disrupted', 'Normal', ['Pod'], /bypasses/),
  event('FailedDraining', 'Warning', ['Node'], /^Failed to drain node, /),
  // Upstream declares it and never publishes it.
  event('FailedTermination', 'Warning', ['Node', 'NodeClaim'], /^Failed to terminate node, ScopeLocked: /),
  event('AwaitingVolumeDetachment', 'Normal', ['Node'], /^Awaiting deletion of bound volumeattachments \(/),
  event(
    'TerminationGracePeriodExpiring',
    'Warning',
    ['Node', 'NodeClaim'],
    /^All pods will be deleted by 2026-/,
  ),
  event(
    'NodeRepairBlocked',
    'Warning',
    ['Node', 'NodeClaim', 'NodePool'],
    /^more than 20% of nodes in nodepool "general" are unhealthy$/,
  ),
  event(
    'FailedConsistencyCheck',
    'Warning',
    ['NodeClaim'],
    /^expected .* of resource .*, but found .*% of expected\)$/,
  ),
  event(
    'InsufficientCapacityError',
    'Warning',
    ['NodeClaim', 'Pod'],
    /^NodeClaim .* (?:event|nominated for this pod failed to launch): /,
  ),
  // Of the Azure provider.
  event('NodeClassResolutionError', 'Warning', ['NodeClaim'], /^Failed resolving NodeClass/),
  event('UnregisteredTaintMissing', 'Warning', ['NodeClaim'], /^Missing karpenter.sh\/unregistered taint/),
  event(
    'InvalidDoNotDisruptAnnotation',
    'Warning',
    ['Pod'],
    /^Invalid karpenter.sh\/do-not-disrupt annotation/,
  ),
  event('DoNotDisruptUntil', 'Normal', ['Pod'], /grace period will elapse at 2026-/),
  event('DoNotDisruptGracePeriodElapsed', 'Normal', ['Pod'], /grace period has elapsed/),
  event(
    'Registered',
    'Normal',
    ['NodeClaim'],
    /^Status condition transitioned, Type: Registered, Status: Unknown -> True, Reason: Registered$/,
  ),
  event('NodeRegistrationHealthy', 'Normal', ['NodePool'], /^Status condition transitioned, /),
  event('Finalized', 'Normal', ['NodeClaim', 'Node'], /^Finalized karpenter.sh\/termination$/),
  event(
    'WaitingOnNodeClaimTermination',
    'Normal',
    ['AKSNodeClass'],
    /^Waiting on NodeClaim termination for /,
  ),
  event('DisruptionLaunching', 'Normal', ['NodeClaim'], /^Launching NodeClaim: Drifted$/),
  event(
    'DisruptionWaitingReadiness',
    'Normal',
    ['NodeClaim'],
    /^Waiting on readiness to continue disruption$/,
  ),
  event('DisruptionTerminating', 'Normal', ['Node', 'NodeClaim'], /^Disrupting Node(Claim)?: Drifted$/),
  event(
    'DisruptionBlocked',
    'Normal',
    ['Node', 'NodeClaim', 'NodePool'],
    /^(Pdb prevents|No allowed disrup)/,
  ),
  event('Unconsolidatable', 'Normal', ['Node', 'NodeClaim'], /^Can't replace with a cheaper node$/),
  event(
    'ConsolidationCandidate',
    'Normal',
    ['Node', 'NodeClaim'],
    /^Consolidation candidate: replace: \[.*\] -> \[1 replacement\] \(savings: \$0\.70\)$/,
  ),
  event(
    'ConsolidationRejected',
    'Normal',
    ['Node', 'NodeClaim'],
    /^Consolidation rejected: replace: \[.*\] -> \[1 replacement\], reason: churn \(savings: \$0\.70\)$/,
  ),
  event(
    'ConsolidationApproved',
    'Normal',
    ['Node', 'NodeClaim'],
    /^score .* >= threshold 0\.50 \(k: 2, savings .*%, disruption .*%\)$/,
  ),
];

/** Flag, variable, default. */
export const OPTIONS: readonly (readonly [string, string, unknown])[] = [
  ['karpenter-service', 'KARPENTER_SERVICE', ''],
  ['metrics-port', 'METRICS_PORT', 8080],
  ['health-probe-port', 'HEALTH_PROBE_PORT', 8081],
  ['kube-client-qps', 'KUBE_CLIENT_QPS', 200],
  ['kube-client-burst', 'KUBE_CLIENT_BURST', 300],
  ['enable-profiling', 'ENABLE_PROFILING', false],
  ['disable-controller-warmup', 'DISABLE_CONTROLLER_WARMUP', true],
  ['disable-leader-election', 'DISABLE_LEADER_ELECTION', false],
  ['disable-cluster-state-observability', 'DISABLE_CLUSTER_STATE_OBSERVABILITY', false],
  ['leader-election-name', 'LEADER_ELECTION_NAME', 'karpenter-leader-election'],
  ['leader-election-namespace', 'LEADER_ELECTION_NAMESPACE', ''],
  ['memory-limit', 'MEMORY_LIMIT', -1],
  ['cpu-requests', 'CPU_REQUESTS', 1000],
  ['log-level', 'LOG_LEVEL', 'info'],
  ['log-output-paths', 'LOG_OUTPUT_PATHS', ['stdout']],
  ['log-error-output-paths', 'LOG_ERROR_OUTPUT_PATHS', ['stderr']],
  ['batch-max-duration', 'BATCH_MAX_DURATION', 10_000],
  ['batch-idle-duration', 'BATCH_IDLE_DURATION', 1_000],
  ['preference-policy', 'PREFERENCE_POLICY', 'Respect'],
  ['min-values-policy', 'MIN_VALUES_POLICY', 'Strict'],
  ['ignore-dra-requests', 'IGNORE_DRA_REQUESTS', true],
  [
    'feature-gates',
    'FEATURE_GATES',
    {
      NodeRepair: false,
      ReservedCapacity: true,
      SpotToSpotConsolidation: false,
      NodeOverlay: false,
      StaticCapacity: false,
      CapacityBuffer: false,
      TerminateFirstDrift: false,
      TerminateFirstRepair: false,
      PodDeletionCostManagement: false,
    },
  ],
  ['legacy-node-repair', 'LEGACY_NODE_REPAIR', false],
  ['scheduler-config', 'SCHEDULER_CONFIG', ''],
];

// ---------------------------------------------------------------------------------------------------

function counter(name: string, ...labels: string[]): MetricRow {
  return { name: `karpenter_${name}`, kind: 'counter', labels };
}

function gauge(name: string, ...labels: string[]): MetricRow {
  return { name: `karpenter_${name}`, kind: 'gauge', labels };
}

function histogram(name: string, ...labels: string[]): MetricRow {
  return { name: `karpenter_${name}`, kind: 'histogram', labels };
}

function summary(name: string, ...labels: string[]): MetricRow {
  return { name: `karpenter_${name}`, kind: 'summary', labels };
}

function own(kind: string, name: string, type: MetricRow['kind'], labels: readonly string[]): MetricRow {
  return { name: `operator_${kind}${name}`, kind: type, labels };
}

function event(reason: string, type: EventRow['type'], kinds: readonly string[], message: RegExp): EventRow {
  return { reason, type, kinds, message };
}
