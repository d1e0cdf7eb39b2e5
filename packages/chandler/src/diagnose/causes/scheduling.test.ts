/** What an event of the Kubernetes scheduler says, where no plan is known. */
import { describe, expect, test } from 'vitest';
import { aNode, aWaitingPod, events } from '../../causes/testing.ts';

import { findings } from './verdict.fixture.ts';

const TAINT = '3 node(s) had untolerated taint {CriticalAddonsOnly: true}';

function found(message: string, ...nodes: readonly ReturnType<typeof aNode>[]) {
  const event = events({ reason: 'FailedScheduling', message: `0/4 nodes are available: ${message}.` });
  return findings(aWaitingPod(), event, ...nodes).map(({ id, weight }) => [id, weight]);
}

describe('an event of the scheduler with several reasons', () => {
  test.each([
    ['L6.3', '1 Insufficient cpu'],
    ['L6.3', '1 Too many pods'],
    ['L6.4', "1 node(s) didn't match Pod's node affinity/selector"],
    ['scheduling.host-port', "1 node(s) didn't have free ports for the requested pod ports"],
    ['scheduling.topology', "1 node(s) didn't match pod topology spread constraints"],
    ['scheduling.volume-limit', '1 node(s) exceed max volume count'],
    ['scheduling.volume-elsewhere', '1 node(s) had volume node affinity conflict'],
    ['scheduling.volume-claim-missing', 'persistentvolumeclaim "data" not found'],
    ['scheduling.volume-missing', 'persistentvolume "pv-1" not found'],
  ])('names %s before the taint that keeps pods from other nodes', (id, reason) => {
    expect(found(`${reason}, ${TAINT}`)).toEqual([
      [id, 'broken'],
      ['L6.2', 'suspicious'],
    ]);
  });

  const LABELS = "3 node(s) didn't match Pod's node affinity/selector";

  // The scheduler checks taints before labels: nodes with the taint may be the ones that the pod selects.
  test.each([
    '2 node(s) had untolerated taint {gpu: true}',
    '2 node(s) had untolerated taint {gpu: }',
    '1 node(s) had untolerated taint {CriticalAddonsOnly: true}, 1 node(s) had untolerated taint {gpu: true}',
  ])('names a taint of the user beside labels of other nodes: %s', (taints) => {
    expect(found(`${taints}, ${LABELS}`)).toEqual([
      ['L6.2', 'broken'],
      ['L6.4', 'broken'],
    ]);
    expect(found(`1 Insufficient cpu, ${taints}, ${LABELS}`)).toContainEqual(['L6.2', 'suspicious']);
  });

  test.each([
    'taint {CriticalAddonsOnly: true}',
    'taint {node-role.kubernetes.io/control-plane: }',
    'taint {node.kubernetes.io/not-ready: }',
    'taint {node.cloudprovider.kubernetes.io/uninitialized: true}',
    'taint {karpenter.sh/disrupted: }',
    'taint(s)',
  ])('names labels before a taint that the system sets, or that is not named: %s', (taint) => {
    expect(found(`2 node(s) had untolerated ${taint}, ${LABELS}`)).toEqual([
      ['L6.4', 'broken'],
      ['L6.2', 'suspicious'],
    ]);
  });

  test('names the taint if there is no other reason that is known', () => {
    expect(found(`1 node(s) were unschedulable, ${TAINT}`)).toEqual([['L6.2', 'broken']]);
  });
});

describe('a taint in an event of the scheduler', () => {
  const taint = (key: string, value?: string, effect: 'NoSchedule' | 'PreferNoSchedule' = 'NoSchedule') =>
    aNode({ taints: [{ key, effect, ...(value === undefined ? {} : { value }) }] });

  test.each([
    ['has it', taint('CriticalAddonsOnly', 'true'), TAINT],
    ['has it without a value', taint('team'), '4 node(s) had untolerated taint {team: }'],
    ['has one, and the event names none', taint('team'), '4 node(s) had untolerated taint(s)'],
  ])('is the cause if the node of the pod %s', (_, node, message) => {
    expect(found(message, node)).toEqual([['L6.2', 'broken']]);
  });

  test('is broken beside another reason, which may be that of other nodes, if the node of the pod has it', () => {
    const node = taint('CriticalAddonsOnly', 'true');
    expect(found(`1 Insufficient cpu, ${TAINT}`, node)).toContainEqual(['L6.2', 'broken']);
  });

  test.each([
    ['has none', aNode({ taints: [] }), TAINT],
    ['has another one', taint('team', 'a'), TAINT],
    [
      'has one that keeps no pod away',
      taint('team', 'a', 'PreferNoSchedule'),
      '4 node(s) had untolerated taint(s)',
    ],
  ])('is no cause if the node of the pod %s', (_, node, message) => {
    expect(found(message, node)).toEqual([]);
  });
});
