/** The map of symptoms to causes: each symptom that a cluster shows has a cause and a command (S-62). */
import { expect, test } from 'vitest';
import { CHECKS, judge } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';
import { aNode, controller, is, liveClass, liveCluster, livePool, object } from './examples/cluster.ts';
import { classRef } from './examples/troubleshooting.table.ts';

const ROWS = CHECKS.filter(({ id }) => id === 'S-62');

function symptomsOf(...objects: readonly object[]) {
  const inputs = inputsOf({ 'cluster.yaml': liveCluster(...objects) });
  return judge(inputs, ROWS, { strict: false }).findings.map(({ status, message, fix, object: about }) => ({
    status,
    message,
    fix,
    about,
  }));
}

const POOL = livePool(classRef);
const aPod = (status: object) =>
  object(
    'v1',
    'Pod',
    'karpenter-1',
    { status },
    {
      namespace: 'kube-system',
      labels: { 'app.kubernetes.io/name': 'karpenter' },
    },
  );
const waiting = (reason: string) => ({ containerStatuses: [{ state: { waiting: { reason } } }] });
const claim = (...conditions: readonly object[]) =>
  object('karpenter.sh/v1', 'NodeClaim', 'default-x7k2p', { status: { conditions } });
const anEvent = (kind: string, name: string, message: string) =>
  object(
    'v1',
    'Event',
    'e',
    { type: 'Warning', message, involvedObject: { kind, name, namespace: 'kube-system' } },
    { namespace: 'kube-system' },
  );

const OF_POD = { about: 'Pod/karpenter-1', fix: 'Run chandler why pod/karpenter-1 -n kube-system.' };
const OF_CLASS = { about: 'EC2NodeClass/default', fix: 'Run chandler why nodepool/default.' };
const OF_CLAIM = { about: 'NodeClaim/default-x7k2p', fix: 'Run chandler why nodeclaim/default-x7k2p.' };

test.each([
  [
    'a container that crashes',
    aPod(waiting('CrashLoopBackOff')),
    'its container ends again and again, and its log says why',
  ],
  ['an image that is not there', aPod(waiting('ImagePullBackOff')), 'its image cannot be pulled'],
  [
    'no node for it',
    aPod({ conditions: [is('PodScheduled', 'False', '0/1 nodes are available')] }),
    'no node takes its pod: 0/1 nodes are available',
  ],
])('the controller does not start: %s', (_, pod, cause) => {
  expect(symptomsOf(controller({ ready: 0 }), pod)).toEqual([
    { status: 'warn', message: `The controller does not start: ${cause}.`, ...OF_POD },
  ]);
});

test('the controller does not start: events of its pod, else its Deployment', () => {
  const pod = aPod({ phase: 'Pending' });
  const event = anEvent('Pod', 'karpenter-1', 'secret "karpenter" not found');
  expect(symptomsOf(controller({ ready: 0 }), pod, event)).toMatchObject([
    { message: 'The controller does not start: secret "karpenter" not found.', ...OF_POD },
  ]);
  expect(symptomsOf(controller({ ready: 0 }))).toMatchObject([
    {
      message: 'The controller does not start: 0 of 2 replicas are ready.',
      fix: 'Run kubectl -n kube-system describe deployment karpenter.',
    },
  ]);
});

test.each([
  [
    'UnauthorizedOperation: not authorized to perform: iam:PassRole on resource x',
    'the role of the controller lacks iam:PassRole for the node role',
  ],
  [
    'AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity',
    'the role of the controller is missing, its trust policy does not name the service account, or the ARN on the service account is wrong',
  ],
  [
    'AccessDenied: user is not authorized to perform: ec2:CreateFleet',
    'the role of the controller lacks ec2:CreateFleet',
  ],
])('a call is denied: %s', (message, cause) => {
  const text = `A call is denied: ${cause}.`;
  expect(symptomsOf(POOL, claim(is('Launched', 'False', message)))).toMatchObject([
    { message: text, ...OF_CLAIM },
  ]);
  expect(symptomsOf(POOL, anEvent('EC2NodeClass', 'default', message))).toMatchObject([
    { message: text, ...OF_CLASS },
  ]);
});

test('no nodes: subnets that were not discovered, and claims that do not become nodes', () => {
  expect(symptomsOf(POOL, liveClass({ conditions: [is('SubnetsReady', 'False')] }))).toMatchObject([
    { message: 'No nodes: its selectors discover no subnet.', ...OF_CLASS },
  ]);
  expect(symptomsOf(POOL, claim(is('Launched', 'False', 'no capacity')))).toMatchObject([
    { message: 'No nodes: the launch failed (no capacity).', ...OF_CLAIM },
  ]);
});

test('no AMI: the reason of the class, and what to do if no NodePool uses it', () => {
  const own = liveClass({ conditions: [{ ...is('AMIsReady', 'False'), reason: 'AMINotFound' }] });
  const message =
    'No AMI: the alias, id, name or tags of its selectors have no image in this region (AMINotFound).';
  expect(symptomsOf(POOL, own)).toMatchObject([{ message, ...OF_CLASS }]);
  expect(symptomsOf(own)).toMatchObject([
    { message, fix: 'Run kubectl describe ec2nodeclass default, because no NodePool uses it.' },
  ]);
});

test('a cluster without symptoms passes, and one without Karpenter is not judged', () => {
  expect(symptomsOf(controller(), POOL, claim(is('Launched', 'True')))).toMatchObject([{ status: 'pass' }]);
  expect(symptomsOf(aNode('a'))).toMatchObject([{ status: 'skip' }]);
});
