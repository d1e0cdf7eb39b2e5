import { describe, expect, test } from 'vitest';
import { type ContainerEnd, type EvidenceOf, findCauses } from '../../causes/index.ts';
import {
  aContainer,
  aFailingPod,
  aPod,
  aWaitingPod,
  condition,
  events,
  evidence,
  MINUTE_MS,
  NOW_MS,
  plan,
  reading,
  refusal,
} from '../../causes/testing.ts';

import { broken, findings, TABLES, verdict } from './verdict.fixture.ts';

const ended = (exitCode: number, changes: Partial<ContainerEnd> = {}) => ({
  waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' },
  lastTerminated: { reason: 'Error', exitCode, signal: undefined, message: '', ...changes },
  restarts: 4,
});
const waits = (reason: string, message: string) => ({ started: false, waiting: { reason, message } });

describe('layer 6: no node takes the pod', () => {
  test.each([
    ['[000-L6.2]', 'L6.2', 'TaintNotTolerated'],
    ['[000-L6.3]', 'L6.3', 'ResourceInsufficient'],
    ['[000-L6.4]', 'L6.4', 'LabelUndefined'],
    ['[000-L6.4]', 'L6.4', 'RequirementIncompatible'],
    ['offerings', 'scheduling.no-offering', 'NoOffering'],
    ['types', 'scheduling.no-type', 'NoTypeMeetsAll'],
    ['minValues', 'scheduling.min-values', 'MinValuesUnmet'],
    ['limits', 'scheduling.limit', 'LimitExceeded'],
    ['empty pool', 'scheduling.pool-without-types', 'PoolWithoutTypes'],
    ['reservations', 'scheduling.reserved-only', 'ReservedOnly'],
    ['ports', 'scheduling.host-port', 'HostPortTaken'],
    ['topology', 'scheduling.topology', 'TopologyUnsatisfiable'],
    ['volumes', 'scheduling.volume-limit', 'VolumeLimit'],
    ['the pod', 'scheduling.invalid-pod', 'InvalidPod'],
    ['dynamic resources', 'scheduling.resource-claims', 'ResourceClaims'],
    ['volume claim', 'scheduling.volume-claim-missing', 'VolumeClaimMissing'],
    ['storage class', 'scheduling.storage-class-missing', 'StorageClassMissing'],
    ['volume', 'scheduling.volume-missing', 'VolumeMissing'],
  ])('%s: %s when the engine refuses with %s', (_, id, code) => {
    const [top, ...others] = findings(aWaitingPod(), plan(refusal(code, 'the words of the engine')));
    expect(top).toMatchObject({ id, weight: 'broken' });
    expect(top!.summary).toContain('NodePool default: the words of the engine');
    expect(others).toEqual([]);
  });

  test.each([
    [
      '[000-L6.2]',
      'L6.2',
      '0/3 nodes are available: 3 node(s) had untolerated taint {CriticalAddonsOnly: }.',
    ],
    ['[000-L6.3]', 'L6.3', '0/3 nodes are available: 3 Insufficient cpu.'],
    ['[000-L6.4]', 'L6.4', "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."],
    [
      'topology',
      'scheduling.topology',
      "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.",
    ],
    [
      'anti-affinity of other pods',
      'scheduling.topology',
      "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules.",
    ],
  ])('%s: without a plan, %s goes by the event of the scheduler', (_, id, message) => {
    expect(verdict(aWaitingPod(), events({ reason: 'FailedScheduling', message }))).toBe(id);
    // A plan that places the pod takes precedence.
    const placed: EvidenceOf<'plan'> = { ...plan(), outcome: 'newClaim', target: 'default-x7k2p' };
    const found = findings(aWaitingPod(), placed, events({ reason: 'FailedScheduling', message }));
    expect(found.map(({ id: cause, weight }) => [cause, weight])).toEqual([
      ['scheduling.not-launched', 'suspicious'],
    ]);
  });

  test.each([
    '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had volume node affinity conflict.',
    "0/3 nodes are available: 3 node(s) didn't match PersistentVolume's node affinity.",
    '0/3 nodes are available: 3 node(s) had no available volume zone.',
  ])('a volume where no node is: there is no advice to delete its claim (%s)', (message) => {
    const found = findings(aWaitingPod(), events({ reason: 'FailedScheduling', message }));
    expect(found.map(({ id }) => id)).toContain('scheduling.volume-elsewhere');
    expect(found.map(({ id }) => id)).not.toContain('scheduling.volume-missing');
    expect(found.map(({ fix }) => fix).join()).not.toMatch(/delete/i);
  });

  test.each([
    '0/3 nodes are available: persistentvolume "pv-1" not found.',
    '0/3 nodes are available: 3 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).',
    '0/3 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-1".',
  ])('a volume that does not exist, without a plan: %s', (message) => {
    const found = findings(aWaitingPod(), events({ reason: 'FailedScheduling', message }));
    expect(found.map(({ id }) => id)).toEqual(['scheduling.volume-missing']);
  });

  test('a scheduler of its own is a cause only while it has not looked at the pod', () => {
    const own = { schedulerName: 'volcano' };
    const [found] = findings(aWaitingPod(own));
    expect(found).toMatchObject({ id: 'scheduling.other-scheduler', weight: 'broken' });
    // The controller provisions for pods of any scheduler that marks them unschedulable.
    expect(found!.summary).not.toContain('controller');
    const marked = { ...own, conditions: [condition('PodScheduled', 'False', 'Unschedulable')] };
    const refused = plan(refusal('TaintNotTolerated', 'the taint gpu is not tolerated'));
    expect(broken(aWaitingPod(marked), refused)).toEqual(['L6.2']);
    expect(broken(aWaitingPod(marked), { ...plan(), outcome: 'newClaim', target: 'default-x7k2p' })).toEqual(
      [],
    );
    // The API server wrote this one, and the scheduler nothing since the gate was removed.
    const wasGated = { ...own, conditions: [condition('PodScheduled', 'False', 'SchedulingGated')] };
    expect(verdict(aWaitingPod(wasGated))).toBe('scheduling.other-scheduler');
    expect(broken(aWaitingPod({ ...wasGated, schedulingGates: ['example.com/wait'] }))).toEqual([
      'scheduling.gated',
    ]);
    expect(findings(aWaitingPod({ ...own, createdAtMs: NOW_MS - 5_000 }))).toEqual([]);
  });

  test('gates, other schedulers, volumes, and no known cause', () => {
    expect(verdict(aWaitingPod({ schedulingGates: ['example.com/wait'] }))).toBe('scheduling.gated');
    expect(verdict(aWaitingPod({ schedulerName: 'volcano' }))).toBe('scheduling.other-scheduler');
    expect(verdict(aWaitingPod({ unboundVolumes: [{ claim: 'data', problem: 'no provisioner' }] }))).toBe(
      'volumes.unbound',
    );
    expect(verdict(aWaitingPod())).toBe('scheduling.unexplained');
    expect(findings(aWaitingPod({ createdAtMs: NOW_MS - 5_000 }))).toEqual([]);
  });
});

describe('layer 7: images', () => {
  test.each([
    ['L7.1', 'something nobody has seen'],
    [
      'images.not-found',
      'rpc error: code = NotFound desc = failed to pull: shop.azurecr.io/web:1: not found',
    ],
    ['images.unauthorized', 'failed to authorize: failed to fetch anonymous token: 401 Unauthorized'],
    ['images.rate-limited', 'toomanyrequests: You have reached your pull rate limit'],
    ['images.unreachable', 'dial tcp: lookup shop.azurecr.io on 10.0.0.10:53: no such host'],
    ['images.wrong-platform', 'no match for platform in manifest'],
    ['images.wrong-platform', 'no match for platform in manifest: not found'],
    ['images.wrong-platform', 'no match for platform in manifest sha256:8a1b: not found'],
    [
      'images.wrong-platform',
      'no matching manifest for linux/arm64/v8 in the manifest list entries: no match for platform in manifest: not found',
    ],
    ['images.no-space', 'write /var/lib/containerd: no space left on device'],
  ])('[000-L7.1] %s: %s', (id, message) => {
    expect(findings(aFailingPod(waits('ErrImagePull', message)))[0]).toMatchObject({ id, point: 'L7.1' });
    expect(broken(aFailingPod(waits('ErrImagePull', message)))).toEqual([id]);
  });

  test('[000-L7.1] in back-off the reason is read from the previous event', () => {
    const pod = aFailingPod(waits('ImagePullBackOff', 'Back-off pulling image "shop.azurecr.io/web:1"'));
    const pull = events({
      message: 'Failed to pull image "shop.azurecr.io/web:1": shop.azurecr.io/web:1: not found',
    });
    expect(verdict(pod, pull)).toBe('images.not-found');
    expect(verdict(pod)).toBe('L7.1');
  });

  test('names that are not valid, images that must not be pulled', () => {
    expect(verdict(aFailingPod(waits('InvalidImageName', 'bad')))).toBe('images.invalid-name');
    expect(verdict(aFailingPod(waits('ErrImageNeverPull', 'never')))).toBe('images.never-pull');
  });
});

describe('layer 7: containers', () => {
  test.each([
    ['L7.2', ended(3, { message: 'panic: no configuration' })],
    ['containers.out-of-memory', ended(137, { reason: 'OOMKilled' })],
    ['containers.command-not-found', ended(127)],
    ['containers.not-executable', ended(126)],
    ['containers.wrong-architecture', ended(1, { message: 'exec /app: exec format error' })],
    ['containers.ends-at-once', ended(0, { reason: 'Completed' })],
    ['containers.shut-down', ended(143)],
    ['containers.init-failed', { ...ended(1), init: true }],
    ['containers.config-missing', waits('CreateContainerConfigError', 'secret "db" not found')],
    ['containers.not-created', waits('CreateContainerError', 'context deadline exceeded')],
    [
      'containers.command-not-found',
      waits('RunContainerError', 'exec: "run": executable file not found in $PATH'),
    ],
  ])('[000-L7.2] %s', (id, container) => {
    expect(verdict(aFailingPod(container))).toBe(id);
  });

  test('a container that crashed before and runs well now is no cause', () => {
    const recovered = aContainer({
      restarts: 7,
      lastTerminated: { reason: 'OOMKilled', exitCode: 137, signal: undefined, message: '' },
    });
    expect(findings(aPod({ containers: [recovered] }))).toEqual([]);
  });
});

describe('layer 7: probes and services', () => {
  const unhealthy = (message: string) => events({ reason: 'Unhealthy', message, count: 12 });

  test('[000-L7.3] the readiness probe fails', () => {
    const [top] = findings(
      aFailingPod({}),
      unhealthy('Readiness probe failed: HTTP probe failed with statuscode: 503'),
    );
    expect(top).toMatchObject({ id: 'L7.3' });
    expect(top!.summary).toContain('statuscode: 503');
  });

  test('[000-L7.4] the liveness probe kills the container, before the crash is blamed on it', () => {
    const records = [aFailingPod(ended(137)), unhealthy('Liveness probe failed: context deadline exceeded')];
    expect(broken(...records)).toEqual(['L7.4']);
  });

  test('the startup probe', () => {
    const pod = aFailingPod({ started: false, running: true, probes: ['startup'], restarts: 2 });
    expect(verdict(pod, unhealthy('Startup probe failed: connection refused'))).toBe('probes.startup');
  });

  test.each([
    ['L7.3', 'Readiness probe errored: rpc error: deadline exceeded', true],
    ['L7.3', 'Readiness probe errored and resulted in unknown state: rpc error: deadline exceeded', true],
    ['probes.startup', 'Startup probe errored: rpc error: deadline exceeded', false],
  ])('%s: a probe that cannot be executed: %s', (id, message, started) => {
    const running = { probes: ['readiness', 'startup'], started, running: true } as const;
    const [top] = findings(aFailingPod(running), unhealthy(message));
    expect(top).toMatchObject({ id });
    expect(top!.summary).toMatch(/: rpc error: deadline exceeded$/);
  });

  test('a liveness probe that cannot be executed restarts nothing', () => {
    const records = [aFailingPod(ended(137)), unhealthy('Liveness probe errored: rpc error: unknown')];
    expect(broken(...records)).not.toContain('L7.4');
  });

  test('how long a readiness probe has not passed counts from when the container was last Ready, or began to run', () => {
    const createdAtMs = NOW_MS - 3 * 24 * 60 * MINUTE_MS;
    const unready = (minutesAgo: number, runsMinutes?: number) => {
      const running = runsMinutes === undefined ? {} : { runningSinceMs: NOW_MS - runsMinutes * MINUTE_MS };
      const conditions = [condition('Ready', 'False', 'ContainersNotReady', '', minutesAgo)];
      const [top] = findings(aFailingPod(running, { createdAtMs, conditions }));
      return top && [top.id, top.summary.split(' for ').at(-1)];
    };
    expect(unready(1)).toBeUndefined();
    expect(unready(7)).toEqual(['pods.not-ready', '7 minutes.']);
    // Its image was pulled for 20 minutes.
    expect(unready(21, 1)).toBeUndefined();
    expect(unready(28, 8)).toEqual(['pods.not-ready', '8 minutes.']);
  });

  test('old complaints about a pod that is Ready are no cause', () => {
    expect(findings(aPod(), unhealthy('Readiness probe failed: 503'))).toEqual([]);
  });

  const db = (changes: Partial<EvidenceOf<'service'>> = {}): EvidenceOf<'service'> => ({
    kind: 'service',
    reading: reading('Service shop/db'),
    name: 'shop/db',
    clusterIPs: ['10.0.12.7'],
    ports: [5432],
    hasSelector: true,
    readyEndpoints: 0,
    ...changes,
  });
  const log = (text: string): EvidenceOf<'containerLog'> => ({
    kind: 'containerLog',
    reading: reading('log of web'),
    pod: 'shop/web-1',
    container: 'web',
    previous: true,
    text,
  });

  test.each([
    'dial tcp 10.0.12.7:5432: connect: connection refused',
    'Error: getaddrinfo EAI_AGAIN db.shop.svc.cluster.local',
    'could not connect to server "db": Connection refused',
    'could not translate host name "db" to address: Name or service not known',
    'app.db:connect:123 - could not connect to "db": Connection refused',
  ])('[000-L7.5] the log names a service that cannot be reached: %s', (line) => {
    const [top, ...others] = findings(aFailingPod(ended(1)), log(`starting\n${line}\n`), db());
    expect(top).toMatchObject({ id: 'L7.5', facts: { service: 'shop/db' } });
    expect(top!.fix).toContain('The Service has no ready endpoints');
    expect(others).toEqual([]);
  });

  test.each([
    [
      'the name stands beside the address',
      'failed to connect to `host=db.example.com user=db database=db`: dial tcp 20.50.1.2:5432: connect: connection refused',
    ],
    ['a program writes its own name', '{"service":"db","err":"lookup api.example.com: no such host"}'],
    ['only the name server is of the cluster', 'lookup api.example.com on 10.0.12.7:53: no such host'],
    ['a place in the source is no address', 'main.go:142: connection refused'],
  ])('[000-L7.5] %s: no Service is blamed', (_, line) => {
    expect(broken(aFailingPod(ended(1)), log(`${line}\n`), db())).toEqual(['L7.2']);
  });

  test('[000-L7.5] of several Services that of the address is named', () => {
    const other = db({ name: 'shop/api', clusterIPs: [] });
    const line = '{"service":"api","err":"dial tcp: lookup db.shop.svc on 10.0.0.10:53: no such host"}';
    expect(findings(aFailingPod(ended(1)), log(line), other, db())[0]).toMatchObject({
      facts: { service: 'shop/db' },
    });
  });

  test('[000-L7.5] a Service that stands for a name outside has no endpoints to look for', () => {
    const outside = db({ readyEndpoints: undefined, externalName: 'db.example.com' });
    const [top] = findings(aFailingPod(ended(1)), log('dial tcp: lookup db: no such host'), outside);
    expect(top!.fix).toContain('stands for db.example.com');
  });

  test('[000-L7.5] an address outside the cluster is not a service', () => {
    const outside = log('dial tcp: lookup db.example.com: no such host');
    expect(broken(aFailingPod(ended(1)), outside, db())).toEqual(['L7.2']);
    expect(
      findings(aFailingPod(ended(1)), log('10.0.12.7: connection refused'), db({ readyEndpoints: 2 }))[0]!
        .fix,
    ).toContain('network policies');
  });
});

describe('between node and container', () => {
  test.each([
    ['volumes.attach-failed', 'FailedAttachVolume', 'attachdetach: disk is in another zone'],
    ['volumes.multi-attach', 'FailedAttachVolume', 'Multi-Attach error for volume "pvc-1"'],
    ['volumes.mount-failed', 'FailedMount', 'MountVolume.SetUp failed: secret "x" not found'],
    ['network.sandbox-failed', 'FailedCreatePodSandBox', 'failed to setup network for sandbox'],
    ['pods.runtime-class', 'FailedCreatePodSandBox', 'failed: no runtime for "nvidia" is configured'],
    [
      'images.sandbox-image',
      'FailedCreatePodSandBox',
      'failed to get sandbox image "mcr.example/pause:3.6": failed to pull image: dial tcp 10.1.2.3:443: i/o timeout',
    ],
    [
      'pods.sandbox-failed',
      'FailedCreatePodSandBox',
      'failed to create shim task: OCI runtime create failed',
    ],
    [
      'pods.sandbox-failed',
      'FailedCreatePodSandBox',
      'failed to setup network for sandbox "1": open /var/lib/cni/networks/1: no space left on device',
    ],
    [
      'network.no-addresses',
      'FailedCreatePodSandBox',
      'failed to allocate for range 0: no IP addresses available',
    ],
  ])('%s from the event %s', (id, reason, message) => {
    const pod = aFailingPod(
      { started: false, waiting: { reason: 'ContainerCreating', message: '' } },
      { phase: 'Pending' },
    );
    expect(verdict(pod, events({ reason, message }))).toBe(id);
    expect(findings(aPod(), events({ reason, message }))).toEqual([]);
  });

  test('evicted, behind a readiness gate, on a node that is gone', () => {
    expect(
      verdict(
        aPod({
          phase: 'Failed',
          reason: 'Evicted',
          message: 'low on memory',
          conditions: [],
          containers: [],
        }),
      ),
    ).toBe('pods.evicted');
    const gated = aPod({ readinessGates: ['lb'], conditions: [condition('Ready', 'False')] });
    expect(verdict(gated)).toBe('pods.readiness-gate');
    const lost = evidence(
      [aPod({ conditions: [] })],
      [{ kind: 'node', what: 'Node aks-default-x7k2p', why: 'notFound' }],
    );
    expect(findCauses(TABLES, lost)[0]?.id).toBe('nodes.lost');
  });
});

test('a pod that has done its work, and one that runs, have no cause', () => {
  expect(findings(aPod())).toEqual([]);
  expect(
    findings(aPod({ phase: 'Succeeded', conditions: [condition('Ready', 'False', 'PodCompleted')] })),
  ).toEqual([]);
});
