import { PODS } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';

import { allControllers, type FullStage, fullStage, settledPod } from './all-controllers.ts';
import { fakeAzure } from './fake-azure.ts';
import { NODE_CLASS, pod, pool, setStage } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

/** The series of a metric that carry all these labels, with their values. */
function series(name: string, labels: Record<string, string> = {}): readonly number[] {
  full.stage.world.scrape();
  return [...full.stage.world.values]
    .filter(([key]) => key === name || key.startsWith(`${name}{`))
    .filter(([key]) => Object.entries(labels).every(([label, value]) => key.includes(`${label}="${value}"`)))
    .map(([, value]) => value);
}
const advance = (ms: number) => full.stage.world.clock.advance(ms);

describe('metrics of pods', () => {
  test('give the phase and node of a pod, and disappear with it', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    const where = { name: 'a', node: `aks-${name}`, nodepool: 'general', phase: 'Running', ready: 'true' };
    expect(series('karpenter_pods_state', { ...where, scheduled: 'true', managed: 'true' })).toEqual([1]);
    await full.stage.admin.delete(PODS, { name: 'a', namespace: 'default' });
    await full.stage.until('it is gone', async () => (await full.stage.get(PODS, 'a')) === undefined);
    expect(series('karpenter_pods_state')).toEqual([]);
  });

  test('measure the time from creation to running, once', async () => {
    full = await fullStage();
    full.stage.cloud.bootMs = 40_000;
    await settledPod(full);
    for (const name of [
      'bound_duration_seconds',
      'startup_duration_seconds',
      'provisioning_bound_duration_seconds',
      'provisioning_startup_duration_seconds',
    ]) {
      const [seconds] = series(`karpenter_pods_${name}`);
      expect(seconds).toBeGreaterThanOrEqual(38);
      expect(seconds).toBeLessThan(60);
    }
    expect(series('karpenter_pods_scheduling_decision_duration_seconds')).toEqual([1]);
    const before = series('karpenter_pods_startup_duration_seconds');
    await advance(60_000);
    expect(series('karpenter_pods_startup_duration_seconds')).toEqual(before);
    expect(full.stage.context.podTimes.size).toBe(0);
  });

  test('show how long a pod has been undecided, unbound and unstarted', async () => {
    full = await fullStage();
    await full.stage.apply(PODS, pod('a'));
    await advance(30_000);
    // Without a pool nothing fits: that is a decision, but the pod is not schedulable.
    expect(series('karpenter_pods_unbound_time_seconds', { name: 'a' })[0]).toBeCloseTo(30, 0);
    expect(series('karpenter_pods_unstarted_time_seconds', { name: 'a' })[0]).toBeCloseTo(30, 0);
    expect(series('karpenter_pods_provisioning_unbound_time_seconds')).toEqual([]);
    expect(series('karpenter_pods_provisioning_scheduling_undecided_time_seconds')).toEqual([]);
    full.stage.cloud.bootMs = 60_000;
    await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await full.stage.apply(NODE_POOLS, pool('general'));
    await advance(20_000);
    const [unbound] = series('karpenter_pods_provisioning_unbound_time_seconds', { name: 'a' });
    expect(unbound).toBeGreaterThan(10);
    expect(unbound).toBeLessThanOrEqual(20);
    await full.stage.until('it runs', () => series('karpenter_pods_unstarted_time_seconds').length === 0);
    expect(series('karpenter_pods_unbound_time_seconds')).toEqual([]);
  });
});

describe('metrics of nodes and pools', () => {
  test('give allocatable, requests and the utilization of the cluster', async () => {
    full = await fullStage();
    const containers = [
      {
        name: 'm',
        image: 'i',
        resources: { requests: { cpu: '500m' }, limits: { cpu: '1', memory: '1Gi' } },
      },
    ];
    const name = await settledPod(full, { pod: { containers } });
    const cpu = { node_name: `aks-${name}`, resource_type: 'cpu', nodepool: 'general', zone: 'eastus-1' };
    expect(series('karpenter_nodes_allocatable', cpu)).toEqual([1.9]);
    expect(series('karpenter_nodes_system_overhead', cpu)[0]).toBeCloseTo(0.1);
    expect(series('karpenter_nodes_total_pod_requests', cpu)).toEqual([0.5]);
    expect(series('karpenter_nodes_total_pod_limits', cpu)).toEqual([1]);
    expect(series('karpenter_nodes_total_pod_limits', { resource_type: 'memory' })).toEqual([2 ** 30]);
    expect(series('karpenter_nodes_total_daemon_requests')).toEqual([]);
    expect(series('karpenter_cluster_utilization_percent', { resource_type: 'cpu' })[0]).toBeCloseTo(
      50 / 1.9,
    );
    const [age] = series('karpenter_nodes_current_lifetime_seconds');
    await advance(60_000);
    expect(series('karpenter_nodes_current_lifetime_seconds')[0]).toBeCloseTo(age! + 60, 0);
    await full.stage.apply(PODS, pod('b'));
    await advance(10_000);
    expect(series('karpenter_nodes_total_pod_requests', cpu)).toEqual([1]);
  });

  test('give limit, usage and cost of pools', async () => {
    full = await fullStage();
    await settledPod(full, { pool: { limits: { cpu: '100', memory: '1Ti' } } });
    expect(series('karpenter_nodepools_limit', { nodepool: 'general', resource_type: 'cpu' })).toEqual([100]);
    expect(series('karpenter_nodepools_limit', { resource_type: 'memory' })).toEqual([2 ** 40]);
    expect(series('karpenter_nodepools_usage', { resource_type: 'cpu' })).toEqual([2]);
    expect(series('karpenter_nodepools_usage', { resource_type: 'nodes' })).toEqual([1]);
    expect(series('karpenter_nodepools_cost_total', { nodepool: 'general' })).toEqual([0.1]);
    expect(series('karpenter_cluster_state_node_count')).toEqual([1]);
    expect(series('karpenter_cluster_state_synced')).toEqual([1]);
  });

  test('give no cost of a pool while its prices were never read, and read them again after a minute', async () => {
    full = await fullStage();
    const { cloud } = full.stage;
    const read = cloud.instanceTypes;
    let isDown = true;
    cloud.instanceTypes = async (...request) => {
      if (isDown && cloud.machines.size > 0) throw new CloudError('Unreachable', 'the cloud does not answer');
      return read(...request);
    };
    await settledPod(full);
    await advance(90_000);
    expect(series('karpenter_nodepools_cost_tracker_errors_total')[0]).toBeGreaterThan(0);
    expect(series('karpenter_nodepools_cost_total')).toEqual([]);
    isDown = false;
    await advance(2 * 60_000);
    expect(series('karpenter_nodepools_cost_total', { nodepool: 'general' })).toEqual([0.1]);
  });

  test('count each created and each terminated node once', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    expect(series('karpenter_nodes_created_total')).toEqual([1]);
    await full.stage.admin.delete(NODE_POOLS, { name: 'general' });
    await full.stage.until('it is gone', async () => (await full.stage.get(NODE_CLAIMS, name)) === undefined);
    await advance(5_000);
    for (const metric of ['nodes_drained_total', 'nodes_terminated_total', 'nodeclaims_terminated_total'])
      expect(series(`karpenter_${metric}`, { nodepool: 'general' })).toEqual([1]);
    expect(series('karpenter_nodes_termination_duration_seconds')[0]).toBeGreaterThan(0);
    expect(series('karpenter_nodeclaims_instance_termination_duration_seconds')[0]).toBeGreaterThan(0);
    expect(series('karpenter_pods_drained_total')).toEqual([1]);
    expect(series('operator_nodeclaim_termination_duration_seconds')[0]).toBeGreaterThan(0);
    expect(series('operator_nodeclaim_status_condition_count')).toEqual([]);
  });

  test('count the pods of a disrupted claim', async () => {
    full = await fullStage();
    const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
    const spec = { nodeClassRef, requirements: [], expireAfter: '1h' };
    await settledPod(full, { pool: { template: { spec } } });
    await advance(61 * 60_000);
    expect(series('karpenter_nodeclaims_disrupted_total', { reason: 'expired' })).toEqual([1]);
    expect(series('karpenter_pods_disruption_initiated_total', { reason: 'expired' })).toEqual([1]);
  });
});

describe('metrics of conditions and of the cloud', () => {
  test('give the status of conditions, since when, and their transitions', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    const registered = { name, type: 'Registered', status: 'True', karpenter_sh_nodepool: 'general' };
    expect(series('operator_nodeclaim_status_condition_count', registered)).toEqual([1]);
    await advance(60_000);
    const [since] = series('operator_nodeclaim_status_condition_current_status_seconds', registered);
    expect(since).toBeGreaterThanOrEqual(60);
    const moved = { type: 'Registered', status: 'True' };
    expect(series('operator_nodeclaim_status_condition_transitions_total', moved)).toEqual([1]);
    expect(series('operator_status_condition_transitions_total', { ...moved, kind: 'NodeClaim' })).toEqual([
      1,
    ]);
    const took = { type: 'Registered', status: 'Unknown' };
    expect(series('operator_nodeclaim_status_condition_transition_seconds', took)[0]).toBeGreaterThan(4);
  });

  test('count calls to the cloud by controller, and errors', async () => {
    full = await fullStage();
    full.stage.cloud.failures = [new CloudError('InsufficientCapacity', 'nothing is left')];
    await settledPod(full);
    const create = { controller: 'nodeclaim.lifecycle', method: 'Create', provider: 'fake' };
    const error = { ...create, error: 'InsufficientCapacityError' };
    expect(series('karpenter_cloudprovider_errors_total', error)).toEqual([1]);
    expect(series('karpenter_cloudprovider_duration_seconds', create)).toHaveLength(1);
    const list = { controller: 'nodeclaim.garbagecollection', method: 'List' };
    expect(series('karpenter_cloudprovider_duration_seconds', list)).toHaveLength(1);
  });
});

describe('metrics of the scheduler', () => {
  test('show pods and time of a plan while it is computed, and disappear with it', async () => {
    full = await fullStage();
    const { stage } = full;
    const types = await stage.cloud.instanceTypes({ nodeClass: undefined as never }, neverAborted());
    let answer = (): void => undefined;
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('general'));
    await advance(5_000);
    let asked = false;
    stage.cloud.instanceTypes = () => {
      asked = true;
      return new Promise((resolve) => {
        answer = () => resolve(types);
      });
    };
    await stage.apply(PODS, pod('a'));
    await stage.apply(PODS, pod('b'));
    await stage.until('the plan is being computed', () => asked);
    await advance(3_000);
    expect(series('karpenter_scheduler_queue_depth')).toEqual([2]);
    expect(series('karpenter_scheduler_unfinished_work_seconds')[0]).toBeGreaterThanOrEqual(3);
    stage.cloud.instanceTypes = async () => types;
    answer();
    await advance(1_000);
    expect(series('karpenter_scheduler_queue_depth')).toEqual([]);
    expect(series('karpenter_scheduler_unfinished_work_seconds')).toEqual([]);
  });
});

describe('without observability', () => {
  test('pods, nodes, pools and conditions are not measured; the cluster, cost and the log of pods are as before', async () => {
    const stage = await setStage();
    const azure = fakeAzure(stage.world);
    const start = () => stage.startAll((context) => allControllers(azure, { observability: false })(context));
    await start();
    full = { stage, azure, restart: start };
    await settledPod(full);
    expect(series('karpenter_cluster_state_node_count')).toEqual([1]);
    expect(series('karpenter_cluster_state_synced')).toEqual([1]);
    expect(series('karpenter_nodepools_cost_total', { nodepool: 'general' })).toEqual([0.1]);
    for (const name of [
      'karpenter_pods_state',
      'karpenter_nodes_allocatable',
      'karpenter_nodepools_usage',
      'operator_status_condition_count',
    ])
      expect(series(name)).toEqual([]);
    const said = stage.world.lines.map(({ message }) => message);
    expect(said.filter((message) => message === 'pod bound' || message === 'pod ready')).toEqual([
      'pod bound',
      'pod ready',
    ]);
  });
});
