import { describe, expect, test } from 'vitest';
import { aDeployment, aNodePool, simulateText } from './simulate.fixture.ts';

const NODE = (name: string, more = '', labels = '') => `---
apiVersion: v1
kind: Node
metadata: { name: ${name}, labels: { topology.kubernetes.io/zone: west-1${labels} } }
status: { allocatable: { cpu: "4", memory: 16Gi } }
${more}`;

const POD = (name: string, more = '', spec = '') => `---
apiVersion: v1
kind: Pod
metadata: { name: ${name}${more} }
spec: { ${spec} containers: [{ name: main, resources: { requests: { cpu: "3" } } }] }
`;

describe('a cluster in files', () => {
  test('pods go to existing nodes before new ones are launched', async () => {
    const { report } = await simulateText(NODE('old') + POD('new'));
    expect(report.summary).toMatchObject({ placedOnExisting: 1, nodes: 0 });
    expect(report.existingNodes).toMatchObject([{ name: 'old', pods: [{ name: 'default/new' }] }]);
  });

  test('running pods use the capacity of their node', async () => {
    const { report } = await simulateText(NODE('old') + POD('there', '', 'nodeName: old,') + POD('new'));
    expect(report.summary).toMatchObject({ pods: 1, placedOnExisting: 0, nodes: 1 });
  });

  test('a terminating pod uses the capacity of its node until it is gone', async () => {
    const going = POD('going', ', deletionTimestamp: "2026-01-01T00:00:00Z"', 'nodeName: old,');
    const { report } = await simulateText(NODE('old') + going + POD('new'));
    expect(report.summary).toMatchObject({ pods: 1, placedOnExisting: 0, nodes: 1 });
  });

  test('a terminating pod of a node that is being deleted is not scheduled again', async () => {
    const leaving = NODE('old', 'spec: { taints: [{ key: karpenter.sh/disrupted, effect: NoSchedule }] }\n');
    const going = POD('going', ', deletionTimestamp: "2026-01-01T00:00:00Z"', 'nodeName: old,');
    const { report } = await simulateText(leaving + going + POD('new'));
    expect(report.summary).toMatchObject({ pods: 1 });
  });

  test('a cordoned node accepts no pods', async () => {
    const { report } = await simulateText(NODE('old', 'spec: { unschedulable: true }\n') + POD('new'));
    expect(report.summary).toMatchObject({ placedOnExisting: 0, nodes: 1 });
  });

  test('pods of a node that is being deleted are scheduled again, its DaemonSet pods are not', async () => {
    const leaving = NODE('old', 'spec: { taints: [{ key: karpenter.sh/disrupted, effect: NoSchedule }] }\n');
    const daemon = ', ownerReferences: [{ apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: "1" }]';
    const text = leaving + POD('moves', '', 'nodeName: old,') + POD('stays', daemon, 'nodeName: old,');
    const { report } = await simulateText(text);
    expect(report.nodes.flatMap(({ pods }) => pods.map(({ name }) => name))).toEqual(['default/moves']);
    expect(report.notes.join()).toContain('1 pods run on nodes that are being deleted');
  });

  test('a group with affinity by zone to itself stays in the zone of its pods on a node that is being deleted', async () => {
    const leaving = NODE('old', 'spec: { taints: [{ key: karpenter.sh/disrupted, effect: NoSchedule }] }\n');
    const elsewhere = NODE('other').replace('west-1', 'west-2');
    const labels = ', labels: { app: web }';
    const term = '{ topologyKey: topology.kubernetes.io/zone, labelSelector: { matchLabels: { app: web } } }';
    const near = `affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [${term}] } },`;
    const pending = POD('next', labels, near);
    const free = await simulateText(leaving + elsewhere + pending);
    expect(free.report.summary).toMatchObject({ placedOnExisting: 1, nodes: 0 });
    const { report } = await simulateText(
      leaving + elsewhere + pending + POD('there', labels, `nodeName: old, ${near}`),
    );
    expect(report.summary).toMatchObject({ pods: 2, placedOnExisting: 0, refused: 0 });
    expect(report.nodes.map(({ zone }) => zone)).toEqual(['west-1']);
  });

  test('pods that are completed, terminating, gated, or of a DaemonSet without a node are not scheduled', async () => {
    const done = `${POD('done').trimEnd()}\nstatus: { phase: Succeeded }\n`;
    const going = POD('going', ', deletionTimestamp: "2026-01-01T00:00:00Z"');
    const gated = POD('gated', '', 'schedulingGates: [{ name: quota }],');
    const daemon = POD(
      'daemon',
      ', ownerReferences: [{ apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: "1" }]',
    );
    const { report } = await simulateText(done + going + gated + daemon + POD('real'));
    expect(report.summary.pods).toBe(1);
    expect(report.notes.join()).toContain('1 pods have a scheduling gate');
  });

  test('a pod whose volume claim is not ready is refused as by the controller', async () => {
    const claim = (spec: string, more = '', status = 'status: { phase: Pending }') => `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data${more} }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } }, ${spec} }
${status}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast }
provisioner: disk.example.com
volumeBindingMode: Immediate
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: late }
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
`;
    const pod = POD('web', '', 'volumes: [{ name: d, persistentVolumeClaim: { claimName: data } }],');
    const problemOf = async (text: string) => (await simulateText(text + pod)).report.refusals[0]?.text;
    expect(await problemOf(claim('storageClassName: late'))).toBeUndefined();
    expect(await problemOf(claim('storageClassName: fast'))).toBe(
      'PersistentVolumeClaim default/data: binds at once (fast)',
    );
    // A manifest that no cluster has stored yet will be bound.
    expect(await problemOf(claim('storageClassName: fast', '', ''))).toBeUndefined();
    expect(await problemOf(claim('storageClassName: ""'))).toBe(
      'PersistentVolumeClaim default/data: no storage class',
    );
    const leaving = claim('storageClassName: late', ', deletionTimestamp: "2026-01-01T00:00:00Z"');
    expect(await problemOf(leaving)).toBe('PersistentVolumeClaim default/data: deleting');
  });

  test('a claim that is in flight counts as a node', async () => {
    const claim = `---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: { name: default-abc, labels: { karpenter.sh/nodepool: default, kubernetes.io/arch: amd64 } }
spec:
  nodeClassRef: { group: karpenter.azure.com, kind: AKSNodeClass, name: default }
  requirements: []
  startupTaints: [{ key: cni, effect: NoSchedule }]
  taints: []
status: { providerID: "azure:///vm", allocatable: { cpu: "4", memory: 16Gi, pods: "110" } }
`;
    const { report } = await simulateText(claim + POD('new'));
    expect(report.existingNodes).toMatchObject([{ name: 'default-abc' }]);
  });

  describe('counts machines as the controller does:', () => {
    const claim = (status: string, spec = '') => `---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: { name: default-abc, labels: { karpenter.sh/nodepool: default, kubernetes.io/arch: amd64 } }
spec: { nodeClassRef: { group: karpenter.azure.com, kind: AKSNodeClass, name: default }, requirements: []${spec} }
status: { ${status} }
`;
    const fits = 'allocatable: { cpu: "4", memory: 16Gi, pods: "110" }';

    test('a Node and its claim once, also while the claim has no nodeName', async () => {
      const node = NODE('old', 'spec: { providerID: "azure:///vm" }\n', ', karpenter.sh/nodepool: default');
      const text = node + claim(`providerID: "azure:///vm", ${fits}`) + POD('one') + POD('two');
      const { report } = await simulateText(text);
      expect(report.summary).toMatchObject({ placedOnExisting: 1, nodes: 1 });
      expect(report.existingNodes).toMatchObject([{ name: 'old' }]);
    });

    test('a claim that is not launched yet, with what its pods request', async () => {
      const requests = ', resources: { requests: { cpu: "3", memory: 1Gi, pods: "5" } }';
      const { report } = await simulateText(claim('', requests) + POD('one') + POD('two'));
      expect(report.summary).toMatchObject({ placedOnExisting: 1, nodes: 1 });
      expect(report.existingNodes).toMatchObject([{ name: 'default-abc' }]);
    });

    test('not a claim whose registered Node is gone', async () => {
      const registered = `conditions: [{ type: Registered, status: "True", reason: Registered, lastTransitionTime: "2026-01-01T00:00:00Z" }]`;
      const gone = claim(`providerID: "azure:///vm", nodeName: old, ${fits}, ${registered}`);
      const { report } = await simulateText(gone + POD('one'));
      expect(report.summary).toMatchObject({ placedOnExisting: 0, nodes: 1 });
    });
  });

  test('every new node reserves capacity for its DaemonSet pods', async () => {
    const daemons = `---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec: { template: { spec: { containers: [{ resources: { limits: { cpu: 500m } } }] } } }
`;
    const { report } = await simulateText(daemons + POD('new'));
    const cpu = report.nodes[0]!.packing.find(({ resource }) => resource === 'cpu');
    expect(cpu).toMatchObject({ pods: 3, before: 0.5 });
  });
});

describe('what is assumed', () => {
  test('without a NodePool a default is assumed, and a note says so', async () => {
    const { report } = await simulateText(aDeployment('web', 1));
    expect(report.nodes).toMatchObject([{ nodePool: 'default', capacityType: 'on-demand' }]);
    expect(report.notes.join()).toContain('The input has no NodePool');
  });

  test('the generic catalogue offers the zones that the input names, or those of --zones', async () => {
    const one = await simulateText(NODE('old') + aDeploymentAfter(9));
    expect(one.report.nodes[0]!.zone).toBe('west-1');
    const other = await simulateText(aDeployment('web', 1), { zones: ['north-7'] });
    expect(other.report.nodes[0]!.zone).toBe('north-7');
  });

  test('static pools and pools that are not selected launch nothing', async () => {
    const both = `${aNodePool('a')}---\n${aNodePool('b')}---\n${aDeployment('web', 1)}`;
    expect((await simulateText(both, { pools: ['a'] })).report.nodes[0]!.nodePool).toBe('a');
    const still = `${aNodePool('a', '  replicas: 3\n')}---\n${aDeployment('web', 1)}`;
    const { report } = await simulateText(still);
    expect(report.summary.refused).toBe(1);
    expect(report.notes.join()).toContain('NodePool a is static');
  });

  test('a pool that is not Ready launches nothing, and a note says why', async () => {
    const time = 'lastTransitionTime: "2026-01-01T00:00:00Z"';
    const condition = (type: string, status: string, reason: string, message: string) =>
      `{ type: ${type}, status: "${status}", reason: ${reason}, message: "${message}", ${time} }`;
    const status = (...conditions: string[]) => `status: { conditions: [${conditions.join(', ')}] }\n`;
    const simulated = async (more: string) =>
      (await simulateText(`${aNodePool('a', more)}---\n${aDeployment('web', 1)}`)).report;
    const broken = await simulated(
      status(
        condition('NodeClassReady', 'False', 'SubnetNotFound', 'no subnet'),
        condition('Ready', 'False', 'UnhealthyDependents', 'NodeClassReady=False'),
      ),
    );
    expect(broken.summary).toMatchObject({ nodes: 0, refused: 1 });
    expect(broken.notes).toContain(
      'NodePool a is not Ready and launches no nodes: SubnetNotFound: no subnet.',
    );
    const invalid = await simulated(status(condition('Ready', 'Unknown', 'ReconcilingDependents', '')));
    expect(invalid.notes).toContain('NodePool a is not Ready and launches no nodes: ReconcilingDependents.');
    expect((await simulated(status(condition('Ready', 'True', 'Ready', '')))).summary.refused).toBe(0);
    // A manifest that no cluster has stored yet will become Ready.
    expect((await simulated('')).summary.refused).toBe(0);
  });
});

function aDeploymentAfter(replicas: number): string {
  return `---\n${aDeployment('web', replicas)}`;
}
