import {
  DEPLOYMENTS,
  fetchTransport,
  KubeClient,
  type KubeObject,
  ROLE_BINDINGS,
  ROLES,
  TransportError,
} from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../../packages/chandler/src/api/index.ts';
import { type StageOptions, type TwoControllers, twoControllers } from './takeover-stage.ts';
import { CHANDLER, KARPENTER } from './two-controllers.ts';

const RECORD = 'chandler.sh/takeover';

let stage: TwoControllers;
afterEach(async () => {
  expect(stage.mostLeaders).toBe(1);
  expect(stage.history.returned).toEqual([]);
  await stage.end();
});

async function begin(options?: StageOptions): Promise<void> {
  stage = await twoControllers(options);
  expect(await stage.leader()).toBe('karpenter');
}

async function picture() {
  const karpenter = await stage.deployment(KARPENTER);
  const chandler = await stage.deployment(CHANDLER);
  const record = karpenter.metadata.annotations?.[RECORD];
  return {
    leader: await stage.leader(),
    karpenter: karpenter.spec.replicas,
    chandler: chandler.spec.replicas,
    observes: chandler.spec.template.spec.containers[0]!.args?.includes('--observe'),
    phase: record === undefined ? undefined : JSON.parse(record).phase,
  };
}

const WITH_KARPENTER = { leader: 'karpenter', karpenter: 2, chandler: 1, observes: true, phase: undefined };
const WITH_CHANDLER = { leader: 'chandler', karpenter: 0, chandler: 1, observes: false, phase: 'takenOver' };

test('Chandler takes over from Karpenter, and hands back: both Deployments are as they were', async () => {
  await begin();
  expect(await picture()).toEqual(WITH_KARPENTER);
  expect((await stage.takeOver()).outcome).toBe('takenOver');
  expect(await picture()).toEqual(WITH_CHANDLER);
  const { args } = (await stage.deployment(CHANDLER)).spec.template.spec.containers[0]!;
  expect(args).toEqual(['controller']);
  expect((await stage.handBack()).outcome).toBe('handedBack');
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('both are idempotent: a second run changes nothing', async () => {
  await begin();
  expect((await stage.handBack()).outcome).toBe('unchanged');
  await stage.takeOver();
  const before = (await stage.deployment(CHANDLER)).metadata.resourceVersion;
  expect((await stage.takeOver()).outcome).toBe('takenOver');
  expect((await stage.deployment(CHANDLER)).metadata.resourceVersion).toBe(before);
  expect(await picture()).toEqual(WITH_CHANDLER);
  await stage.handBack();
  expect((await stage.handBack()).outcome).toBe('unchanged');
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('Chandler that was installed with 0 replicas gets as many as Karpenter had, and 0 again', async () => {
  await begin({ chandler: { replicas: 0, args: ['controller'] } });
  await stage.takeOver();
  expect(await picture()).toEqual({ ...WITH_CHANDLER, chandler: 2 });
  await stage.handBack();
  expect(await picture()).toEqual({ ...WITH_KARPENTER, chandler: 0, observes: false });
});

test('Chandler on standby takes the lease as soon as Karpenter has released it', async () => {
  await begin({ chandler: { replicas: 2, args: ['controller'] } });
  await stage.takeOver();
  expect(await picture()).toEqual({ ...WITH_CHANDLER, chandler: 2 });
});

test('Chandler that does not start: Karpenter is put back, and the reason is said', async () => {
  await begin({ broken: ['chandler'] });
  const failed = stage.takeOver();
  await expect(failed).rejects.toThrow(
    /after 60 s Chandler does not lead: nobody holds Lease kube-system\/karpenter-leader-election; pod chandler-\d+ is waiting \(CrashLoopBackOff\); Karpenter was put back, and leads$/,
  );
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('Karpenter that does not start: Chandler is put back', async () => {
  await begin();
  await stage.takeOver();
  stage.broken.add('karpenter');
  await expect(stage.handBack()).rejects.toThrow(
    /Karpenter does not lead.*Chandler was put back, and leads$/,
  );
  expect(await picture()).toEqual(WITH_CHANDLER);
  stage.broken.clear();
  await stage.handBack();
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('a NodeClaim that drifts after the takeover: Karpenter is put back, and the NodeClaim is named', async () => {
  await begin();
  await addClaim('before-1', drifted(stage.world.clock.now() - 60_000));
  await expect(stage.takeOver()).resolves.toMatchObject({ outcome: 'takenOver' });
  await stage.handBack();
  const report = (line: string) => {
    if (line.startsWith('checking')) void addClaim('general-1', drifted(stage.world.clock.now()));
  };
  await expect(stage.takeOver({ report })).rejects.toThrow(
    'NodeClaims drifted after the takeover: general-1 (NodePoolDrifted); Karpenter was put back, and leads',
  );
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('Karpenter that something else scales up again: the takeover ends, and says what to do', async () => {
  await begin();
  const report = (line: string) => {
    if (line.startsWith('checking'))
      void stage.admin.patch(DEPLOYMENTS, KARPENTER, { type: 'merge', patch: { spec: { replicas: 2 } } });
  };
  await expect(stage.takeOver({ report })).rejects.toThrow(/was scaled up by something else.*GitOps/);
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('a second run replaces the first one, which stops and undoes nothing', async () => {
  await begin();
  let second: Promise<unknown> | undefined;
  const report = (line: string) => {
    if (line.startsWith('starting Chandler')) second ??= stage.takeOver();
  };
  await expect(stage.takeOver({ report })).rejects.toThrow(
    'another "chandler takeover" runs on this cluster',
  );
  await second;
  expect(await picture()).toEqual(WITH_CHANDLER);
});

test('a run that fails after another one has replaced it undoes nothing', async () => {
  await begin({ broken: ['chandler'] });
  let second: Promise<string> | undefined;
  const report = (line: string) => {
    if (line === 'waiting until Chandler leads') second ??= stage.takeOver().then(() => '', String);
  };
  await expect(stage.takeOver({ report, timeoutMs: 20_000 })).rejects.toThrow(
    'another "chandler takeover" runs on this cluster',
  );
  expect(await second).toContain('Karpenter was put back, and leads');
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('errors of the API server that pass while nodes are checked do not undo a takeover', async () => {
  await begin();
  const send = stage.transport();
  let failures = 0;
  const client = new KubeClient({
    async transport(request) {
      if (!request.path.includes('/nodeclaims') || failures === 3) return send(request);
      failures += 1;
      throw new TransportError('unreachable', 'connection refused');
    },
  });
  expect((await stage.takeOver({ client, verifyMs: 0 })).outcome).toBe('takenOver');
  expect(failures).toBe(3);
});

test('a record that is lost during a takeover that fails: Karpenter gets its replicas nevertheless', async () => {
  await begin({ broken: ['chandler'] });
  const patch = { metadata: { annotations: { [RECORD]: null } } };
  const report = (line: string) => {
    if (line.startsWith('failed')) void stage.admin.patch(DEPLOYMENTS, KARPENTER, { type: 'merge', patch });
  };
  await expect(stage.takeOver({ report })).rejects.toThrow(/Karpenter was put back, and leads$/);
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('Karpenter that was scaled down by hand: going back needs its replicas', async () => {
  await begin({ chandler: { replicas: 1, args: ['controller'] } });
  await scale(KARPENTER, 0);
  await expect(stage.handBack()).rejects.toThrow('name them with --karpenter-replicas');
  await stage.handBack({ karpenterReplicas: 2 });
  expect(await picture()).toMatchObject({ leader: 'karpenter', karpenter: 2, chandler: 0 });
});

test('Karpenter that was scaled down by hand before the takeover: going back needs its replicas, too', async () => {
  await begin();
  await scale(KARPENTER, 0);
  await stage.takeOver();
  expect(await picture()).toEqual(WITH_CHANDLER);
  await expect(stage.handBack()).rejects.toThrow('name them with --karpenter-replicas');
  expect(await picture()).toEqual(WITH_CHANDLER);
  await stage.handBack({ karpenterReplicas: 2 });
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('Karpenter that was scaled down by hand before a takeover that fails: nobody is said to lead', async () => {
  await begin({ broken: ['chandler'] });
  await scale(KARPENTER, 0);
  await expect(stage.takeOver()).rejects.toThrow(
    /Chandler does not lead.*; nobody leads, as before: Karpenter had 0 replicas\. To start it: chandler takeover back --karpenter-replicas 2$/,
  );
  expect(await picture()).toEqual({ ...WITH_KARPENTER, leader: '', karpenter: 0 });
});

test('Chandler that led before the takeover is not stopped when there is no Karpenter to go back to', async () => {
  await begin({ chandler: { replicas: 1, args: ['controller'] } });
  await scale(KARPENTER, 0);
  const report = (line: string) => {
    if (line.startsWith('checking')) void addClaim('general-1', drifted(stage.world.clock.now()));
  };
  await expect(stage.takeOver({ report })).rejects.toThrow(
    'general-1 (NodePoolDrifted); Chandler led before, and was not stopped',
  );
  expect(await picture()).toMatchObject({ leader: 'chandler', karpenter: 0, chandler: 1 });
});

test('a record of a takeover that was undone by hand: the next one is verified, and undone if it fails', async () => {
  await begin();
  await stage.takeOver();
  await scale(CHANDLER, 0);
  await scale(KARPENTER, 3);
  expect(await picture()).toMatchObject({ leader: 'karpenter', phase: 'takenOver' });
  stage.broken.add('chandler');
  await expect(stage.takeOver()).rejects.toThrow(
    /Chandler does not lead.*Karpenter was put back, and leads$/,
  );
  expect(await picture()).toMatchObject({ leader: 'karpenter', karpenter: 3, phase: undefined });
  stage.broken.clear();
  const { steps } = await stage.takeOver();
  expect(steps.at(-1)?.step).toBe('checking for 5 s that no node drifts');
});

test('a record of a hand-over that ended before it was removed: both Deployments go back to what they are now', async () => {
  const stale = { phase: 'returning', run: 'r', karpenterReplicas: 1, chandlerReplicas: 3, observed: false };
  await begin({ karpenter: { replicas: 2, annotations: { [RECORD]: JSON.stringify(stale) } } });
  await stage.takeOver();
  expect(await picture()).toEqual(WITH_CHANDLER);
  await stage.handBack();
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('"back" after such a hand-over: Karpenter keeps its replicas, and the record is removed', async () => {
  const stale = { phase: 'returning', run: 'r', karpenterReplicas: 1, chandlerReplicas: 1, observed: true };
  await begin({ karpenter: { replicas: 2, annotations: { [RECORD]: JSON.stringify(stale) } } });
  expect((await stage.handBack()).outcome).toBe('handedBack');
  expect(stage.lines).toContain('scaling Karpenter, Deployment kube-system/karpenter, to 2');
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test('a takeover after which Chandler does not lead any more: "start" puts Karpenter back if it fails', async () => {
  await begin();
  await stage.takeOver();
  stage.broken.add('chandler');
  await scale(CHANDLER, 0);
  await scale(CHANDLER, 1);
  await expect(stage.takeOver()).rejects.toThrow(/Karpenter was put back, and leads$/);
  expect(await picture()).toEqual(WITH_KARPENTER);
});

test("an account that may not change Chandler's Deployment: Karpenter is not stopped", async () => {
  await begin();
  const rule = (resourceNames: readonly string[], verbs: readonly string[]) => ({
    apiGroups: ['apps', 'coordination.k8s.io', ''],
    resources: ['deployments', 'leases', 'pods'],
    verbs,
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
  });
  const { namespace } = KARPENTER;
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'bob' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }];
  const rules = [rule([], ['get', 'list']), rule([KARPENTER.name], ['patch'])];
  const metadata = { name: 'bob', namespace };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await stage.inTime(stage.admin.create(ROLES, { apiVersion, kind: 'Role', metadata, rules }));
  await stage.inTime(
    stage.admin.create(ROLE_BINDINGS, { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects }),
  );
  const bob = stage.server.fetchAs({ username: 'bob', groups: ['system:authenticated'] });
  const client = new KubeClient({ transport: fetchTransport(bob) });
  await expect(stage.takeOver({ client })).rejects.toThrow(/"chandler" is forbidden/);
  expect(await picture()).toEqual(WITH_KARPENTER);
});

/** By hand; what follows from it has happened then. */
async function scale(key: typeof KARPENTER, replicas: number): Promise<void> {
  await stage.inTime(stage.admin.patch(DEPLOYMENTS, key, { type: 'merge', patch: { spec: { replicas } } }));
  await stage.world.clock.advance(20_000);
}

function drifted(ms: number): object {
  return {
    type: 'Drifted',
    status: 'True',
    reason: 'NodePoolDrifted',
    message: '',
    lastTransitionTime: new Date(ms).toISOString().replace(/\.\d+Z/, 'Z'),
  };
}

async function addClaim(name: string, condition: object): Promise<void> {
  const claim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
    },
  } as unknown as KubeObject;
  await stage.inTime(stage.admin.create(NODE_CLAIMS, claim as never));
  const patch = { status: { conditions: [condition] } };
  await stage.inTime(stage.admin.patchStatus(NODE_CLAIMS, { name }, { type: 'merge', patch }));
}
