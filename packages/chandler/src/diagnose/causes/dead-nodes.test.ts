import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../causes/index.ts';
import { aClaim, aNode, aVm, condition, serialLog } from '../../causes/testing.ts';

import { findings } from './verdict.fixture.ts';

const SILENT = [
  condition('Ready', 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.', 10),
];
const PANIC = serialLog('[ 9000.1] Kernel panic - not syncing: Fatal exception');
const finding = (id: string, ...records: readonly Evidence[]) =>
  findings(...records).find((each) => each.id === id);

describe('a kernel that has failed', () => {
  test('is named without saying that the VM runs, if the cloud did not show the VM', () => {
    const node = aNode({ conditions: SILENT });
    const failed = finding('nodes.kernel-failed', aClaim(), node, PANIC);
    expect(failed?.summary).toMatch(/^The serial log of aks-default-x7k2p shows: .*Kernel panic/);
    const running = finding('nodes.kernel-failed', aClaim(), node, PANIC, aVm());
    expect(running?.summary).toMatch(/^The VM of aks-default-x7k2p runs, and its serial log shows: /);
  });
});

describe('a VM of which checks fail', () => {
  test('is named without a power state, if the cloud shows none', () => {
    const vm = aVm({ powerState: undefined, failedChecks: ['system'] });
    const found = finding('nodes.machine-stopped', aClaim(), aNode({ conditions: SILENT }), vm);
    expect(found?.summary).toBe('Of the VM of aks-default-x7k2p, its checks fail (system).');
    const shown = aVm({ failedChecks: ['system'] });
    const running = finding('nodes.machine-stopped', aClaim(), aNode({ conditions: SILENT }), shown);
    expect(running?.summary).toBe('The VM of aks-default-x7k2p is running, and its checks fail (system).');
  });

  test('does not hide another one that is stopped', () => {
    const [other, otherClaim] = [{ name: 'aks-b', claim: 'b' }, aClaim({ name: 'b' })];
    const found = finding(
      'nodes.machine-stopped',
      aClaim(),
      otherClaim,
      aNode(),
      aNode({ ...other, conditions: SILENT }),
      aVm({ failedChecks: ['system'] }),
      aVm({ ...other, powerState: 'deallocated' }),
    );
    expect(found).toMatchObject({ weight: 'broken', facts: { node: 'aks-b', power: 'deallocated' } });
  });
});

describe('of several problems that the node problem detector reports', () => {
  const kubelet = condition('FrequentKubeletRestart', 'True', 'FrequentKubeletRestart', 'restarts', 60);
  const network = condition('NetworkUnavailable', 'True', 'NoRouteCreated', 'no route', 60);
  const ready = condition('Ready', 'True', 'KubeletReady');
  const taints = [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' as const }];

  test('the one that keeps pods away is named', () => {
    const node = aNode({ conditions: [ready, kubelet, network], taints });
    expect(finding('nodes.problem', aClaim(), node)).toMatchObject({
      weight: 'broken',
      summary: expect.stringContaining('no route'),
    });
  });

  test('none keeps pods away without the taint', () => {
    const node = aNode({ conditions: [ready, kubelet, network] });
    expect(finding('nodes.problem', aClaim(), node)).toMatchObject({
      weight: 'suspicious',
      summary: expect.stringContaining('restarts'),
    });
  });

  test('that of a node that is not Ready comes before that of one that is', () => {
    const unready = condition('Ready', 'False', 'KubeletNotReady', 'x', 60);
    const deadlock = condition('KernelDeadlock', 'True', 'DockerHung', 'task hung', 60);
    const nodes = [
      aNode({ conditions: [ready, kubelet] }),
      aNode({ name: 'aks-b', claim: 'b', conditions: [unready, deadlock] }),
    ];
    expect(finding('nodes.problem', aClaim(), ...nodes)).toMatchObject({
      weight: 'broken',
      facts: { node: 'aks-b' },
    });
  });
});
