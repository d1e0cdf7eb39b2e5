/** Conditions of a Node about its VM, and pods on such nodes. */
import { expect, test } from 'vitest';
import { aFailingPod, aNode, condition } from '../../../causes/testing.ts';
import { findings, verdict } from '../../../diagnose/testing.ts';

const crashing = aFailingPod({
  started: false,
  waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' },
  lastTerminated: { reason: 'Error', exitCode: 1, signal: undefined, message: '', endedAtMs: 1 },
  restarts: 4,
});
const unhealthy = condition('kubernetes.azure.com/NodeHealthy', 'False', 'Unhealthy', 'the words');

test('a node that AKS reports as unhealthy explains a container that crashes there', () => {
  expect(verdict(crashing, aNode({ conditions: [unhealthy] }))).toBe('azure-nodes.unhealthy');
});

test.each(['VMEventScheduled', 'PreemptionScheduled'])(
  'what is only scheduled for the VM does not explain a container that crashes: %s',
  (type) => {
    const all = findings(crashing, aNode({ conditions: [condition(type, 'True', 'Freeze', 'the words')] }));
    expect(all.map(({ id, weight }) => [id, weight])).toEqual([
      ['L7.2', 'broken'],
      [type === 'VMEventScheduled' ? 'azure-nodes.maintenance' : 'azure-nodes.preempted', 'suspicious'],
    ]);
  },
);
