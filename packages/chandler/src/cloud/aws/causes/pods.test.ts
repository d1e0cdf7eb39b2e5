/** Pods on EKS: what was once wrong and is over, or is not why the pod is not well, is not the cause. */
import { describe, expect, test } from 'vitest';
import type { ContainerEvidence, EvidenceOf } from '../../../causes/index.ts';
import {
  aFailingPod,
  aNode,
  aWaitingPod,
  events,
  MINUTE_MS,
  NOW_MS,
  plan,
  reading,
  refusal,
} from '../../../causes/testing.ts';

import { weights } from './aws-verdict.fixture.ts';

const CREATING = { started: false, waiting: { reason: 'ContainerCreating', message: '' } };
const waits = (reason: string, message: string) => ({ started: false, waiting: { reason, message } });
const before = (minutes: number, reason: string, message = '') => ({
  reason,
  message,
  lastMs: NOW_MS - minutes * MINUTE_MS,
});
const resource = (type: string, facts: Record<string, string>): EvidenceOf<'cloudResource'> => ({
  kind: 'cloudResource',
  reading: reading(type),
  type,
  name: type,
  found: true,
  facts,
});
const log = (...lines: readonly string[]): EvidenceOf<'containerLog'> => ({
  kind: 'containerLog',
  reading: reading('log of web'),
  pod: 'shop/web-1',
  container: 'web',
  previous: true,
  text: `${lines.join('\n')}\n`,
});
const crashing = (exitCode = 1, reason = 'Error') => ({
  ...waits('CrashLoopBackOff', 'back-off 5m0s restarting failed container'),
  lastTerminated: { reason, exitCode, signal: undefined, message: '', endedAtMs: NOW_MS - MINUTE_MS },
  restarts: 4,
});
const WORK = Array.from({ length: 6 }, (_, index) => `handled request ${index}`);

describe('a failure before the containers of a pod', () => {
  const noAddress = before(4, 'FailedCreatePodSandBox', 'failed to assign an IP address to container');
  const attach = before(
    4,
    'FailedAttachVolume',
    'AttachVolume.Attach failed for volume "pvc-1": AttachmentLimitExceeded',
  );

  test('is the cause while nothing has happened since', () => {
    const pod = aFailingPod(CREATING, { phase: 'Pending' });
    expect(weights(pod, events(noAddress))[0]).toEqual(['aws-pods.too-many-pods', 'broken']);
    expect(weights(pod, events(attach))[0]).toEqual(['aws-pods.volume-limit', 'broken']);
  });

  test.each([
    ['images.not-found', waits('ImagePullBackOff', 'shop.azurecr.io/web:1: not found')],
    ['containers.config-missing', waits('CreateContainerConfigError', 'secret "x" not found')],
    ['L7.2', crashing()],
  ])('is over once a container got further: %s', (id, container) => {
    for (const failure of [noAddress, attach])
      expect(weights(aFailingPod(container), events(failure))).toEqual([[id, 'broken']]);
  });

  test('is over once an image is pulled, or the volume is attached', () => {
    const pod = aFailingPod(CREATING, { phase: 'Pending', createdAtMs: NOW_MS - MINUTE_MS });
    const ids = (...all: ReturnType<typeof before>[]) => weights(pod, events(...all)).map(([id]) => id);
    expect(ids(noAddress, before(3, 'Pulling'))).not.toContain('aws-pods.too-many-pods');
    const attached = before(3, 'SuccessfulAttachVolume', 'AttachVolume.Attach succeeded for volume "pvc-1"');
    expect(ids(attach, attached)).not.toContain('aws-pods.volume-limit');
  });

  test('of a branch interface is not over because the sandbox fails again', () => {
    const pod = aFailingPod(CREATING, { phase: 'Pending' });
    const branch = before(4, 'BranchAllocationFailed', 'failed to allocate branch ENI to pod');
    const again = before(3, 'FailedCreatePodSandBox', 'timed out');
    expect(weights(pod, events(branch, again))).toEqual([['aws-pods.branch-interface', 'broken']]);
  });
});

describe('an image in ECR', () => {
  const image = '123456789012.dkr.ecr.eu-west-1.amazonaws.com/web:1';
  const refused = before(4, 'Failed', `Failed to pull image "${image}": 403 Forbidden`);

  test('that the node may not pull is the cause, by the event before the back-off', () => {
    const pod = aFailingPod({ image, ...waits('ImagePullBackOff', `Back-off pulling image "${image}"`) });
    expect(weights(pod, events(refused))).toEqual([['aws-pods.ecr-login', 'broken']]);
  });

  test.each([
    'no basic auth credentials',
    'server message: insufficient_scope: authorization failed',
    'denied: User: arn:aws:sts::123456789012:assumed-role/node/i-1 is not authorized to perform: ecr:BatchGetImage',
  ])('that needs authorization is not said to be missing: %s', (reason) => {
    const says = `failed to resolve reference "${image}": pull access denied, repository does not exist or may require authorization: ${reason}`;
    const pod = aFailingPod({ image, ...waits('ErrImagePull', says) });
    expect(weights(pod)).toEqual([['aws-pods.ecr-login', 'broken']]);
  });

  test('is not the cause once it was pulled, and the container fails otherwise', () => {
    expect(weights(aFailingPod({ image, ...crashing() }), events(refused))).toEqual([['L7.2', 'broken']]);
    const denied = { ...crashing().lastTerminated, message: 'AccessDenied: not authorized' };
    const pod = aFailingPod({ image, ...crashing(), lastTerminated: denied });
    expect(weights(pod)).toEqual([['L7.2', 'broken']]);
  });
});

test('a container that Windows cannot start, because its version is another one, is explained', () => {
  const says = 'hcs::CreateComputeSystem web: The container operating system does not match the host';
  expect(weights(aFailingPod(waits('CreateContainerError', says)))[0]).toEqual([
    'aws-pods.windows-version',
    'broken',
  ]);
});

describe('nodes that cannot attach more volumes', () => {
  const full = before(1, 'FailedScheduling', '0/3 nodes are available: 3 node(s) exceed max volume count.');

  test('are the cause if nothing else is known, once', () => {
    expect(weights(aWaitingPod(), events(full))).toEqual([['aws-pods.too-many-volumes', 'broken']]);
  });

  test('are not the cause while a node is launched for the pod', () => {
    expect(weights(aWaitingPod({ nominatedNodeName: 'default-x7k2p' }), events(full))).toEqual([]);
    const planned: EvidenceOf<'plan'> = { ...plan(), outcome: 'newClaim', target: 'default-x7k2p' };
    expect(weights(aWaitingPod(), planned, events(full))).toEqual([
      ['scheduling.not-launched', 'suspicious'],
    ]);
  });

  test('are not the cause if the NodePool has reached its limit', () => {
    expect(weights(aWaitingPod(), plan(refusal('LimitExceeded')), events(full))).toEqual([
      ['scheduling.limit', 'broken'],
    ]);
  });

  test('are not the cause once the scheduler has another reason', () => {
    const later = before(0, 'FailedScheduling', '0/3 nodes are available: 3 Insufficient cpu.');
    expect(weights(aWaitingPod(), events(full, later))).toEqual([['L6.3', 'broken']]);
  });
});

describe('an error about credentials in the log, with a hop limit of 1', () => {
  const LINE = 'get credentials: no EC2 IMDS role found';
  const settings = resource('launchSettings', { httpHopLimit: '1' });
  const doubt = ['aws-pods.metadata-hop-limit', 'suspicious'];

  test('is the cause if the program ends with it', () => {
    expect(weights(aFailingPod(crashing()), log(...WORK, LINE), settings)).toEqual([
      ['aws-pods.metadata-hop-limit', 'broken'],
    ]);
  });

  test.each<[string, Partial<ContainerEvidence>, readonly string[], string]>([
    ['the program went on', crashing(), [LINE, ...WORK], 'L7.2'],
    ['its memory was used up', crashing(137, 'OOMKilled'), [LINE], 'containers.out-of-memory'],
    [
      'its image cannot be pulled any more',
      { ...crashing(), ...waits('ImagePullBackOff', 'x: not found') },
      [LINE],
      'images.not-found',
    ],
  ])('is suspicious if %s', (_, container, lines, id) => {
    expect(weights(aFailingPod(container), log(...lines), settings)).toEqual([[id, 'broken'], doubt]);
  });

  test('is suspicious if the container has been running for long', () => {
    const steady = { runningSinceMs: NOW_MS - 15 * MINUTE_MS, probes: [] };
    expect(weights(aFailingPod(steady), log(LINE), settings)).toEqual([doubt]);
  });

  test('of a container that is well is not reported', () => {
    const other = { ...log(LINE), container: 'proxy' };
    expect(weights(aFailingPod(crashing()), other, settings)).toEqual([['L7.2', 'broken']]);
  });
});

describe('a Windows node whose role has no group for kube-proxy', () => {
  const LINE = 'dial tcp: lookup db.shop.svc.cluster.local: no such host';
  const cluster = [
    aNode({ labels: { 'kubernetes.io/os': 'windows' } }),
    resource('launchSettings', { role: 'nodes' }),
    resource('awsAuth', { 'groups of nodes': 'system:bootstrappers system:nodes' }),
  ];

  test('explains a container that ends because a name is not resolved', () => {
    expect(weights(aFailingPod(crashing()), log(LINE), ...cluster)).toEqual([
      ['aws-pods.windows-dns', 'broken'],
    ]);
  });

  test('explains nothing without such a line, or with an access entry for Windows', () => {
    const alone = [['L7.2', 'broken']];
    expect(weights(aFailingPod(crashing()), log('panic: no config'), ...cluster)).toEqual(alone);
    const entry = resource('accessEntry', { type: 'EC2_WINDOWS' });
    expect(weights(aFailingPod(crashing()), log(LINE), ...cluster, entry)).toEqual(alone);
  });
});
