import { describe, expect, test } from 'vitest';
import type { EvidenceOf } from '../../causes/index.ts';
import {
  aClaim,
  aClass,
  aController,
  aJoiningClaim,
  aNode,
  aPod,
  aPool,
  aVm,
  aWaitingPod,
  cloudError,
  cluster,
  condition,
  DES,
  events,
  MINUTE_MS,
  NOW_MS,
  options,
  plan,
  reading,
  refusal,
  serialLog,
} from '../../causes/testing.ts';

import { broken, findings, verdict } from './verdict.fixture.ts';

const classWith = (type: string, reason: string) =>
  aClass({ conditions: [condition(type, 'False', reason, 'why')] });
const token = (state: EvidenceOf<'token'>['state']): EvidenceOf<'token'> => ({
  kind: 'token',
  reading: reading('Secret bootstrap-token-abcdef'),
  state,
  id: 'abcdef',
  expiresAtMs: state === 'expired' ? NOW_MS - 1000 : undefined,
});

describe('layer 1, beside disk encryption', () => {
  test.each([
    ['configuration.images-not-found', 'ImagesReady', 'ImagesNotFound'],
    ['configuration.fips-needs-gallery', 'ImagesReady', 'SIGRequiredForFIPS'],
    ['configuration.kubernetes-upgrade', 'ImagesReady', 'KubernetesUpgrade'],
    ['configuration.subnet-not-found', 'SubnetsReady', 'SubnetNotFound'],
    ['configuration.subnet-invalid', 'SubnetsReady', 'SubnetIDInvalid'],
    ['configuration.subnet-unreadable', 'SubnetsReady', 'SubnetUnknownError'],
    ['configuration.local-dns', 'LocalDNSReady', 'CheckingClusterRequirementsFailed'],
    ['configuration.unsupported-fields', 'ValidationSucceeded', 'UnsupportedFields'],
    ['configuration.node-class-not-ready', 'ValidationSucceeded', 'SomethingElse'],
  ])('%s when %s is False with %s', (id, type, reason) => {
    expect(broken(classWith(type, reason), aWaitingPod({ createdAtMs: NOW_MS }))).toEqual([id]);
  });

  test('the pool names a class that does not exist or is being deleted', () => {
    const missing = aClass({ found: false, conditions: [] });
    expect(verdict(aPool(), missing)).toBe('configuration.node-class-missing');
    const told = aPool({ conditions: [condition('NodeClassReady', 'False', 'NodeClassNotFound')] });
    expect(verdict(told)).toBe('configuration.node-class-missing');
    // The class was created since: the pool recovers.
    expect(findings(told, aClass())).toEqual([]);
    expect(verdict(aPool(), aClass({ deleting: true }))).toBe('configuration.node-class-deleting');
  });

  test('the class has not been reconciled for minutes', () => {
    const unseen = (minutes: number) =>
      aClass({ conditions: [condition('ImagesReady', 'Unknown', 'AwaitingReconciliation', '', minutes)] });
    expect(verdict(unseen(5))).toBe('configuration.node-class-unseen');
    expect(findings(unseen(1))).toEqual([]);
    const down = aController({ leader: undefined, replicas: { wanted: 2, ready: 0 } });
    expect(broken(unseen(5), down)).toEqual(['configuration.controller-down']);
  });

  test('controller, leader, options, pool', () => {
    const stopped = { reason: 'CrashLoopBackOff', message: 'CLUSTER_NAME is required' };
    const [down] = findings(aController({ leader: undefined, replicas: { wanted: 1, ready: 0 }, stopped }));
    expect(down).toMatchObject({ id: 'configuration.controller-down' });
    expect(down!.summary).toContain('CLUSTER_NAME is required');
    expect(verdict(aController({ leader: undefined }))).toBe('configuration.no-leader');
    expect(verdict(options('', { problems: [{ option: 'clusterName', problem: 'is required' }] }))).toBe(
      'configuration.option-refused',
    );
    expect(
      verdict(
        aPool({ conditions: [condition('ValidationSucceeded', 'False', 'NodePoolValidationFailed', 'bad')] }),
      ),
    ).toBe('configuration.pool-invalid');
    expect(verdict(aWaitingPod(), plan({ code: 'NoPools', facts: {}, text: 'no node pools' }))).toBe(
      'configuration.no-pools',
    );
  });
});

describe('layer 4, any cloud', () => {
  test.each([
    ['cloud.no-capacity', 'InsufficientCapacity'],
    ['cloud.unauthorized', 'Unauthorized'],
    ['cloud.throttled', 'Throttled'],
    ['cloud.unreachable', 'Unreachable'],
    ['cloud.name-taken', 'NameTaken'],
  ])('%s for errors of the kind %s', (id, errorKind) => {
    expect(broken(cloudError('Reason', { errorKind }))).toEqual([id]);
  });

  test('an unknown reason, a launch that does not end, a deleted instance', () => {
    const failed = aClaim({ conditions: [condition('Launched', 'Unknown', 'SomeReason', 'some words')] });
    expect(findings(failed)[0]).toMatchObject({ id: 'cloud.launch-failed', facts: { reason: 'SomeReason' } });
    const waiting = aClaim({ conditions: [condition('Launched', 'Unknown', 'AwaitingReconciliation')] });
    expect(findings(waiting)).toMatchObject([{ id: 'configuration.claim-unseen', weight: 'suspicious' }]);
    expect(verdict(aClaim({ conditions: [] }))).toBe('configuration.claim-unseen');
    expect(verdict(waiting, aVm({ provisioningState: 'Creating' }))).toBe('cloud.launch-hangs');
    expect(verdict(aJoiningClaim(2), aVm({ found: false }))).toBe('cloud.machine-gone');
  });
});

describe('layer 5: boot and registration', () => {
  const joining = aJoiningClaim();

  test.each([
    [
      '[000-L5.1]',
      'L5.1',
      '[    3.1] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)',
    ],
    ['[000-L5.1]', 'L5.1', 'The boot loader did not load an operating system.'],
    ['[000-L5.2]', 'L5.2', '[    9.1] kubelet[31]: open /var/lib/kubelet/pki: read-only file system'],
    ['[000-L5.2]', 'L5.2', '[    1.3] blk_update_request: I/O error, dev sda, sector 2099200'],
    [
      '[000-L5.4]',
      'L5.4',
      'kubelet[31]: failed to run Kubelet: cannot create certificate signing request: Unauthorized',
    ],
    ['[000-L5.5]', 'L5.5', 'kubelet[31]: dial tcp 10.0.0.4:443: i/o timeout'],
    [
      '[000-L5.5]',
      'L5.5',
      'kubelet[31]: Get "https://c.azmk8s.io": dial tcp: lookup c.azmk8s.io on 10.0.0.10:53: no such host',
    ],
    [
      'CA',
      'registration.ca-mismatch',
      'kubelet[31]: tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
    [
      'clock',
      'registration.clock',
      'kubelet[31]: x509: certificate has expired or is not yet valid: current time 2016-01-01T00:00:00Z is before 2026-01-01',
    ],
  ])('%s %s is seen in the serial log: %s', (_, id, line) => {
    expect(broken(joining, serialLog(`[ 0.0] Linux version\n${line}\n[ 9.9] end`), aWaitingPod())).toEqual([
      id,
    ]);
  });

  test('[000-L5.5] what every kubelet logs at its start is not a failing disk', () => {
    const start =
      'kubelet[31]: "Image garbage collection failed once. Stats initialization may not have completed yet" err="invalid capacity 0 on image filesystem"';
    expect(broken(joining, serialLog(`${start}\n`), aWaitingPod())).not.toContain('L5.2');
    const timeout = 'kubelet[31]: dial tcp 10.0.0.4:443: i/o timeout';
    expect(broken(joining, serialLog(`${start}\n${timeout}\n`), aWaitingPod())).toEqual(['L5.5']);
    const conditions = [
      condition('Ready', 'False', 'KubeletNotReady', 'invalid capacity 0 on image filesystem'),
    ];
    expect(verdict(aNode({ conditions }), aWaitingPod({ createdAtMs: NOW_MS }))).not.toBe('L5.2');
  });

  test.each([
    '[    8.7] blk_update_request: I/O error, dev sr0, sector 0 op 0x0:(READ)',
    '[    8.7] Buffer I/O error on dev sr0, logical block 0, async page read',
    '[    2.1] blk_update_request: I/O error, dev fd0, sector 0',
    '[    4.2] EXT4-fs (sda1): re-mounted. Opts: discard,errors=remount-ro. Quota mode: none.',
  ])('[000-L5.2] what a VM logs that boots is not a failing disk: %s', (line) => {
    const log = serialLog(`${line}\nlogin: `);
    for (const vm of [aVm(), aVm({ diskEncryptionSetId: DES })])
      expect(broken(aJoiningClaim(), vm, log, aWaitingPod())).toEqual(['registration.late']);
  });

  test('[000-L5.1] Azure reports an OS provisioning timeout, or the VM never reported', () => {
    expect(broken(cloudError('OSProvisioningFailed'))).toEqual(['L5.1']);
    expect(broken(aJoiningClaim(), aVm({ agentReady: false }), serialLog(''))).toEqual(['L5.1']);
    expect(
      broken(
        aJoiningClaim(12),
        serialLog('x\n[ 30.0] systemd[1]: Job cloud-final.service/start running (no limit)\n'),
      ),
    ).toEqual(['boot.hangs']);
  });

  test('[000-L5.3] errors of a disk with a customer-managed key', () => {
    const log = serialLog(
      '[ 1.3] blk_update_request: I/O error, dev sda\nGave up waiting for root file system device.\n',
    );
    expect(
      broken(joining, log, aVm({ diskEncryptionSetId: DES }), cloudError('OSProvisioningFailed')),
    ).toEqual(['L5.3']);
  });

  test('[000-L5.2] the Node says that its file system is read-only', () => {
    const node = aNode({
      conditions: [
        condition('Ready', 'False', 'KubeletNotReady', 'x'),
        condition('ReadonlyFilesystem', 'True'),
      ],
    });
    expect(verdict(node, aWaitingPod({ createdAtMs: NOW_MS }))).toBe('L5.2');
  });

  test.each([
    ['registration.token-expired', 'expired'],
    ['registration.token-missing', 'missing'],
    ['registration.token-missing', 'replaced'],
    ['registration.token-unusable', 'unusable'],
    ['registration.token-unusable', 'malformed'],
  ] as const)('[000-L5.4] %s: the bootstrap token is %s', (id, state) => {
    expect(findings(joining, token(state))[0]).toMatchObject({ id, point: 'L5.4', weight: 'broken' });
    expect(findings(token(state))[0]).toMatchObject({ id, weight: 'suspicious' });
    expect(findings(joining, token('valid')).map((each) => each.id)).toEqual(['registration.late']);
  });

  test('a Node of the right name with another provider id', () => {
    const node = aNode({
      claim: undefined,
      providerId: 'azure:///other',
      conditions: [condition('Ready', 'True')],
    });
    const [top] = findings(joining, node);
    expect(top).toMatchObject({ id: 'registration.provider-id', facts: { nodeId: 'azure:///other' } });
    expect(verdict(joining, aNode({ claim: undefined, providerId: undefined }))).toBe(
      'registration.provider-id',
    );
  });

  test('other failures of registration', () => {
    const twice = aJoiningClaim(2, {
      conditions: [
        condition('Launched', 'True'),
        condition('Registered', 'False', 'MultipleNodesFound', 'a, b'),
      ],
    });
    expect(verdict(twice)).toBe('registration.multiple-nodes');
    const hook = aJoiningClaim(3, {
      conditions: [
        condition('Launched', 'True'),
        condition('Registered', 'Unknown', 'RegistrationHookPending', 'x'),
      ],
    });
    expect(verdict(hook)).toBe('registration.hook-pending');
    expect(verdict(aJoiningClaim(3), aVm({ powerState: 'deallocated' }))).toBe(
      'registration.machine-stopped',
    );
    const taint = events({ object: 'NodeClaim/default-x7k2p', reason: 'UnregisteredTaintMissing' });
    expect(findings(aClaim(), taint).map(({ id, weight }) => [id, weight])).toEqual([
      ['registration.taint-missing', 'suspicious'],
    ]);
  });

  test('an instance is in flight for a few minutes, then reported as late', () => {
    expect(findings(aJoiningClaim(3), aVm(), serialLog('booting'))).toEqual([]);
    expect(verdict(aJoiningClaim(8))).toBe('registration.late');
  });

  test('failures before a node registered are no cause', () => {
    expect(findings(aClaim(), serialLog('dial tcp 10.0.0.4:443: i/o timeout'), aNode(), aPod())).toEqual([]);
  });
});

describe('layer 6: the node', () => {
  const pod = aWaitingPod({ createdAtMs: NOW_MS });
  const unready = (message: string) =>
    aNode({ conditions: [condition('Ready', 'False', 'KubeletNotReady', message, 10)] });

  test.each([
    ['L6.1', unready('some other reason')],
    [
      'nodes.network-not-ready',
      unready(
        'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized',
      ),
    ],
    ['nodes.runtime-not-ready', unready('[container runtime is down, PLEG is not healthy]')],
    [
      'nodes.kubelet-silent',
      aNode({
        conditions: [
          condition('Ready', 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.', 5),
        ],
      }),
    ],
    [
      'nodes.disk-pressure',
      aNode({ conditions: [condition('Ready', 'True'), condition('DiskPressure', 'True')] }),
    ],
    [
      'nodes.memory-pressure',
      aNode({ conditions: [condition('Ready', 'True'), condition('MemoryPressure', 'True')] }),
    ],
    [
      'nodes.pid-pressure',
      aNode({ conditions: [condition('Ready', 'True'), condition('PIDPressure', 'True')] }),
    ],
  ])('[000-L6.1] %s', (id, node) => {
    expect(broken(pod, node)).toEqual([id]);
  });

  test.each([
    ['nodes.startup-taint', 'StartupTaintsExist'],
    ['nodes.ephemeral-taint', 'KnownEphemeralTaintsExist'],
    ['nodes.resource-missing', 'ResourceNotRegistered'],
    ['nodes.dra-pools-missing', 'DRADriverPoolsNotPublished'],
    ['L6.1', 'NodeNotReady'],
  ])('[000-L6.1] %s when the claim waits with %s', (id, reason) => {
    const claim = (minutes: number) =>
      aClaim({
        conditions: [
          condition('Launched', 'True'),
          condition('Registered', 'True', 'Registered', '', minutes),
          condition('Initialized', 'Unknown', reason, 'why', minutes),
        ],
      });
    expect(broken(pod, claim(10))).toEqual([id]);
    expect(broken(pod, claim(1))).toEqual([]);
  });

  test('a node that has just registered may be NotReady for a moment', () => {
    const young = aNode({
      createdAtMs: NOW_MS - MINUTE_MS,
      conditions: [condition('Ready', 'False', 'KubeletNotReady', 'cni plugin not initialized', 1)],
    });
    expect(findings(pod, young)).toEqual([]);
  });

  test('deletion: a budget, volumes, a slow drain, a pod that is not evicted', () => {
    const leaving = (type: string, reason: string) =>
      aClaim({
        deletingSinceMs: NOW_MS - 20 * MINUTE_MS,
        conditions: [condition(type, 'Unknown', reason, 'words')],
      });
    const budget: EvidenceOf<'budget'> = {
      kind: 'budget',
      reading: reading('pdb'),
      name: 'shop/web',
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      pods: ['shop/web-1'],
    };
    expect(broken(leaving('Drained', 'Draining'))).toEqual(['leaving.drain-slow']);
    expect(broken(leaving('Drained', 'Draining'), budget)).toEqual(['leaving.disruption-budget']);
    expect(broken(leaving('VolumesDetached', 'AwaitingVolumeDetachment'))).toEqual([
      'leaving.volumes-attached',
    ]);
    expect(broken(aPod({ deletingSinceMs: NOW_MS - 10 * MINUTE_MS }))).toEqual(['leaving.pod-stuck']);
    expect(findings(aClaim(), budget, aPod())).toEqual([]);
    const event = (object: string, reason: string, message: string): EvidenceOf<'events'> => ({
      kind: 'events',
      reading: reading('events'),
      events: [{ object, type: 'Warning', reason, message, count: 1, lastMs: NOW_MS - MINUTE_MS }],
    });
    const slow = leaving('Drained', 'Draining');
    const locked = event(`NodeClaim/${slow.name}`, 'FailedTermination', 'ScopeLocked: remove the lock');
    expect(broken(slow, locked)).toEqual(['leaving.machine-stays']);
    expect(findings(aClaim(), locked)).toEqual([]);
    const held = event('Node/aks-x', 'FailedDraining', '1 pod(s): shop/web (do-not-disrupt)');
    expect(findings(slow, held)[0]?.summary).toContain('shop/web (do-not-disrupt)');
  });
});

test('a refusal of the engine does not hide that the pool is held back after failures', () => {
  const pool = aPool({ heldBack: { reason: 'CSEFailed', untilMs: NOW_MS + MINUTE_MS } });
  expect(broken(aWaitingPod(), pool)).toEqual(['scheduling.held-back']);
  expect(broken(aWaitingPod(), pool, plan(refusal('NoOffering')))).toEqual([
    'scheduling.no-offering',
    'scheduling.held-back',
  ]);
});

test('the address of the API server is named if the cluster is known', () => {
  const [top] = findings(
    aJoiningClaim(),
    serialLog('kubelet[31]: dial tcp 1.2.3.4:443: i/o timeout'),
    cluster(),
  );
  expect(top!.facts).toMatchObject({ apiServer: 'c.hcp.westeurope.azmk8s.io' });
  expect(top!.confirm[0]).toBe('{testApiServer}');
});
