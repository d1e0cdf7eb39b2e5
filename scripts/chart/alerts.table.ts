/** The alerts of docs/alerts.md and of the PrometheusRule of charts/chandler: one row each, in groups. */
import type { CloudName } from '../../packages/chandler/src/cloud/registry.ts';

export interface AlertRow {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly severity: 'warning' | 'critical';
  readonly summary: string;
  readonly description?: string;
  /** Where only one cloud has the metric. */
  readonly cloud?: CloudName;
}

export const ALERTS: Readonly<Record<string, readonly AlertRow[]>> = {
  'chandler-bootstrap': [
    {
      alert: 'CSEFailed',
      cloud: 'azure',
      expr: 'sum by (code, constant, nodepool, image) (increase(chandler_cse_failures_total[15m])) > 0',
      severity: 'warning',
      summary:
        'Nodes of NodePool {{ $labels.nodepool }} fail with {{ $labels.code }} ({{ $labels.constant }})',
      description:
        'kubectl describe nodepool {{ $labels.nodepool }} names the NodeClaims; image {{ $labels.image }}',
    },
    {
      alert: 'NoOutboundConnectivity',
      cloud: 'azure',
      expr: 'sum by (nodepool) (increase(chandler_cse_failures_total{code="50"}[15m])) > 0',
      severity: 'critical',
      summary: 'Nodes of NodePool {{ $labels.nodepool }} have no outbound connectivity',
    },
    {
      alert: 'NodesDoNotJoin',
      expr: 'max by (name) (operator_nodepool_status_condition_count{type="NodeRegistrationHealthy",status="False"}) > 0',
      for: '10m',
      severity: 'critical',
      summary: 'Half of the last nodes of NodePool {{ $labels.name }} did not register',
    },
  ],
  'chandler-program': [
    {
      alert: 'ProgramErrors',
      expr: 'sum by (component) (increase(chandler_program_errors_total[1h])) > 0',
      severity: 'warning',
      summary: '{{ $labels.component }} fails because of a bug; report it with the log of the controller',
    },
  ],
  'chandler-capacity': [
    {
      alert: 'BootstrapTokenExpires',
      cloud: 'azure',
      expr: 'chandler_bootstrap_token_expiry_timestamp_seconds - time() < 24 * 3600',
      severity: 'critical',
      summary: 'The bootstrap token expires in less than a day; then new nodes cannot join',
    },
    {
      alert: 'NoCapacity',
      expr: 'sum by (nodepool) (increase(karpenter_nodeclaims_disrupted_total{reason="insufficient_capacity"}[30m])) > 5',
      severity: 'warning',
      summary: 'The cloud has no capacity for the nodes of NodePool {{ $labels.nodepool }}',
    },
    {
      alert: 'VMCreateFailed',
      cloud: 'azure',
      expr: 'sum by (error_code, nodepool) (increase(karpenter_instance_vm_create_failure_total[30m])) > 5',
      severity: 'warning',
      summary: 'Azure rejects VMs of NodePool {{ $labels.nodepool }}: {{ $labels.error_code }}',
    },
    {
      alert: 'UnschedulablePods',
      expr: 'karpenter_scheduler_unschedulable_pods_count > 0',
      for: '15m',
      severity: 'warning',
      summary: 'Pods have been unschedulable for 15 minutes; no NodePool can provision a node for them',
    },
    {
      alert: 'StoreNotUpdated',
      expr: 'max by (resource) (chandler_store_age_seconds) > 120',
      severity: 'critical',
      summary: 'The controller cannot watch {{ $labels.resource }}; its decisions are based on an old state',
    },
    {
      alert: 'DriftStuck',
      expr: 'max by (name) (operator_nodeclaim_status_condition_current_status_seconds{type="Drifted",status="True"}) > 24 * 3600',
      severity: 'warning',
      summary: 'NodeClaim {{ $labels.name }} has been drifted for a day',
    },
  ],
};
