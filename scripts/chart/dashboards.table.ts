/** The Grafana dashboards of charts/chandler: boards with panels over metrics of the controller. */
export interface PanelRow {
  readonly title: string;
  readonly kind: 'timeseries' | 'stat' | 'table';
  /** One of Grafana's units. */
  readonly unit?: 'short' | 'percent' | 's' | 'currencyUSD' | 'ops' | 'reqps';
  readonly queries: readonly { readonly expr: string; readonly legend?: string }[];
}

export interface BoardRow {
  /** Of the file. */
  readonly name: string;
  readonly title: string;
  readonly panels: readonly PanelRow[];
}

/** Of the NodePools that are chosen on the board. */
const POOL = 'nodepool=~"$nodepool"';

export const DASHBOARDS: readonly BoardRow[] = [
  {
    name: 'capacity',
    title: 'Chandler: capacity and cost',
    panels: [
      stat('Nodes', 'sum(karpenter_cluster_state_node_count)'),
      stat('Cost per hour', `sum(karpenter_nodepools_cost_total{${POOL}})`, 'currencyUSD'),
      stat('Unschedulable pods', 'sum(karpenter_scheduler_unschedulable_pods_count)'),
      stat('Cluster state is synced', 'min(karpenter_cluster_state_synced)'),
      series('Cost per hour by NodePool', 'currencyUSD', [
        [`sum by (nodepool) (karpenter_nodepools_cost_total{${POOL}})`, '{{nodepool}}'],
      ]),
      series('Utilization of the cluster', 'percent', [
        ['max by (resource_type) (karpenter_cluster_utilization_percent)', '{{resource_type}}'],
      ]),
      series('CPU of NodePools and their limits', 'short', [
        [`sum by (nodepool) (karpenter_nodepools_usage{resource_type="cpu",${POOL}})`, '{{nodepool}}'],
        [`sum by (nodepool) (karpenter_nodepools_limit{resource_type="cpu",${POOL}})`, '{{nodepool}} limit'],
      ]),
      series('Nodes created and terminated per minute', 'short', [
        [`sum by (nodepool) (rate(karpenter_nodes_created_total{${POOL}}[5m])) * 60`, '{{nodepool}} created'],
        [
          `-sum by (nodepool) (rate(karpenter_nodes_terminated_total{${POOL}}[5m])) * 60`,
          '{{nodepool}} terminated',
        ],
      ]),
      series('Pods by phase', 'short', [['sum by (phase) (karpenter_pods_state)', '{{phase}}']]),
      series('Pods that wait for a zone', 'short', [
        ['sum by (zone) (karpenter_scheduler_pending_pods_by_effective_zone_count)', '{{zone}}'],
      ]),
    ],
  },
  {
    name: 'launches',
    title: 'Chandler: launches',
    panels: [
      series('NodeClaims created per minute', 'short', [
        [
          `sum by (nodepool, reason) (rate(karpenter_nodeclaims_created_total{${POOL}}[5m])) * 60`,
          '{{nodepool}} {{reason}}',
        ],
      ]),
      series('NodeClaims by condition', 'short', [
        [
          'count by (type, status) (operator_nodeclaim_status_condition_count{type=~"Launched|Registered|Initialized|Ready"})',
          '{{type}} {{status}}',
        ],
      ]),
      series(
        'From pending pod to a decision',
        's',
        quantiles('karpenter_pods_scheduling_decision_duration_seconds'),
      ),
      series(
        'From pending pod to bound',
        's',
        quantiles('karpenter_pods_provisioning_bound_duration_seconds'),
      ),
      series(
        'From pending pod to running',
        's',
        quantiles('karpenter_pods_provisioning_startup_duration_seconds'),
      ),
      series('Duration of a plan', 's', quantiles('karpenter_scheduler_scheduling_duration_seconds')),
      series('Errors of calls to the cloud', 'short', [
        [
          'sum by (method, error) (increase(karpenter_cloudprovider_errors_total[5m]))',
          '{{method}} {{error}}',
        ],
      ]),
      series('Failed bootstraps on AKS', 'short', [
        [
          `sum by (constant, nodepool) (increase(chandler_cse_failures_total{${POOL}}[15m]))`,
          '{{nodepool}} {{constant}}',
        ],
      ]),
      series('Rejected VMs on AKS', 'short', [
        [
          `sum by (error_code) (increase(karpenter_instance_vm_create_failure_total{${POOL}}[15m]))`,
          '{{error_code}}',
        ],
      ]),
      table(
        'NodePools whose nodes do not register',
        'max by (name, reason) (operator_nodepool_status_condition_count{type="NodeRegistrationHealthy",status="False"}) > 0',
      ),
    ],
  },
  {
    name: 'disruption',
    title: 'Chandler: disruption',
    panels: [
      series('Decisions', 'short', [
        [
          'sum by (decision, reason) (increase(karpenter_voluntary_disruption_decisions_total[15m]))',
          '{{reason}} {{decision}}',
        ],
      ]),
      series('Disrupted NodeClaims', 'short', [
        [`sum by (reason) (increase(karpenter_nodeclaims_disrupted_total{${POOL}}[15m]))`, '{{reason}}'],
      ]),
      series('Eligible nodes', 'short', [
        ['sum by (reason) (karpenter_voluntary_disruption_eligible_nodes)', '{{reason}}'],
      ]),
      series('Allowed disruptions', 'short', [
        [
          `min by (nodepool, reason) (karpenter_nodepools_allowed_disruptions{${POOL}})`,
          '{{nodepool}} {{reason}}',
        ],
      ]),
      series(
        'Duration of a pass',
        's',
        quantiles('karpenter_voluntary_disruption_decision_evaluation_duration_seconds'),
      ),
      series('Failed validations', 'short', [
        [
          'sum by (consolidation_type) (increase(karpenter_voluntary_disruption_failed_validations_total[15m]))',
          '{{consolidation_type}}',
        ],
      ]),
      series('Evictions by response', 'reqps', [
        ['sum by (code) (rate(karpenter_pods_eviction_requests_total[5m]))', '{{code}}'],
      ]),
      series(
        'Termination of NodeClaims',
        's',
        quantiles('karpenter_nodeclaims_termination_duration_seconds'),
      ),
      table(
        'NodeClaims that have drifted for long',
        'topk(20, max by (name, reason) (operator_nodeclaim_status_condition_current_status_seconds{type="Drifted",status="True"}))',
      ),
    ],
  },
  {
    name: 'controller',
    title: 'Chandler: the controller',
    panels: [
      table('Version', 'max by (version, commit) (karpenter_build_info)'),
      stat('Age of the oldest store', 'max(chandler_store_age_seconds)', 's'),
      stat('Errors of the program in a day', 'sum(increase(chandler_program_errors_total[1d]))'),
      stat('Events dropped in a day', 'sum(increase(chandler_events_dropped_total[1d]))'),
      series('Requests to the API server', 'reqps', [
        ['sum by (code, method) (rate(client_go_request_total[5m]))', '{{method}} {{code}}'],
      ]),
      series('Duration of requests to the API server', 's', quantiles('client_go_request_duration_seconds')),
      series('Requests to Azure', 'reqps', [['sum(rate(chandler_azure_requests_total[5m]))', 'requests']]),
      series('Requests to AWS', 'reqps', [['sum(rate(chandler_aws_requests_total[5m]))', 'requests']]),
      series('Reconciles', 'ops', [
        [
          'sum by (controller, result) (rate(controller_runtime_reconcile_total[5m]))',
          '{{controller}} {{result}}',
        ],
      ]),
      series('Length of queues', 'short', [['max by (name) (workqueue_depth)', '{{name}}']]),
      series('Time in queues', 's', quantiles('workqueue_queue_duration_seconds')),
    ],
  },
];

// ---------------------------------------------------------------------------------------------------

function stat(title: string, expr: string, unit: PanelRow['unit'] = 'short'): PanelRow {
  return { title, kind: 'stat', unit, queries: [{ expr }] };
}

function table(title: string, expr: string): PanelRow {
  return { title, kind: 'table', queries: [{ expr }] };
}

function series(
  title: string,
  unit: NonNullable<PanelRow['unit']>,
  queries: readonly (readonly [expr: string, legend: string])[],
): PanelRow {
  return { title, kind: 'timeseries', unit, queries: queries.map(([expr, legend]) => ({ expr, legend })) };
}

/** Of a histogram. */
function quantiles(metric: string): [string, string][] {
  return [0.5, 0.95, 0.99].map((share) => [
    `histogram_quantile(${share}, sum by (le) (rate(${metric}_bucket[5m])))`,
    `p${share * 100}`,
  ]);
}
