/** What EC2 says to dry runs, and for how long it holds. */
import { subnetIdOf } from '@chandler/cloudsim/aws/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conditionOf, type Scene, scene } from './node-class.fixture.ts';

const MINUTE_MS = 60_000;

let at: Scene;

beforeEach(async () => {
  at = await scene();
});

afterEach(() => at.aws.close());

const runs = () => [
  at.callsOf('CreateLaunchTemplate'),
  at.callsOf('CreateFleet'),
  at.callsOf('RunInstances'),
];

describe('a success', () => {
  test('is kept for half an hour', async () => {
    const { nodeClass } = await at.settled();
    const before = runs();
    await at.aws.world.clock.advance(29 * MINUTE_MS);
    await at.reconcile(nodeClass);
    expect(runs()).toEqual(before);
    await at.aws.world.clock.advance(MINUTE_MS);
    await at.reconcile(nodeClass);
    expect(runs()).toEqual([before[0]! + 2, before[1]! + 1, before[2]! + 1]);
  });

  test('is asked for again when the class, its status, an annotation or a NodePool changes', async () => {
    const { nodeClass } = await at.settled();
    let before = at.callsOf('CreateFleet');
    const again = async (changed: typeof nodeClass) => {
      await at.reconcile(changed);
      const calls = at.callsOf('CreateFleet') - before;
      before = at.callsOf('CreateFleet');
      return calls;
    };
    expect(await again(nodeClass)).toBe(0);
    const { metadata, spec } = nodeClass;
    expect(await again({ ...nodeClass, metadata: { ...metadata, annotations: { look: 'again' } } })).toBe(1);
    expect(await again({ ...nodeClass, spec: { ...spec, detailedMonitoring: true } })).toBe(1);
    at.pools = [
      { name: 'a', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] },
    ];
    expect([await again(nodeClass), await again(nodeClass)]).toEqual([1, 0]);
    at.aws.server.account.subnets.delete(subnetIdOf(2));
    await at.aws.world.clock.advance(MINUTE_MS);
    expect(await again(nodeClass)).toBe(1);
    expect(await again(nodeClass)).toBe(0);
  });

  test('is kept while subnets change their order by free addresses', async () => {
    let { nodeClass } = await at.settled();
    const before = runs();
    const subnets = [...at.aws.server.account.subnets.values()];
    const orders = new Set<string>();
    for (const busy of subnets) {
      for (const subnet of subnets) subnet.occupied = subnet === busy ? 50 : 0;
      await at.aws.world.clock.advance(MINUTE_MS);
      const { status } = await at.reconcile(nodeClass);
      nodeClass = { ...nodeClass, status };
      orders.add((status.subnets ?? []).map(({ id }) => id).join());
    }
    expect(orders.size).toBe(3);
    expect(runs()).toEqual(before);
  });

  test('is forgotten with the class', async () => {
    const { nodeClass } = await at.settled();
    at.dryRuns.forget('default');
    const before = at.callsOf('CreateFleet');
    await at.reconcile(nodeClass);
    expect(at.callsOf('CreateFleet')).toBe(before + 1);
  });
});

describe('a refusal', () => {
  test('of a permission is kept, and its message names who may not do what', async () => {
    at.aws.server.faults.add('forbidden@operation=CreateFleet');
    const { nodeClass, status } = await at.settled();
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      reason: 'CreateFleetAuthCheckFailed',
      message: expect.stringMatching(/may not call ec2:CreateFleet.*\(request /s),
    });
    at.aws.server.faults.clear();
    await at.aws.world.clock.advance(10 * MINUTE_MS);
    expect(conditionOf((await at.reconcile(nodeClass)).status, 'ValidationSucceeded')?.status).toBe('False');
    await at.aws.world.clock.advance(20 * MINUTE_MS);
    expect(conditionOf((await at.reconcile(nodeClass)).status, 'ValidationSucceeded')?.status).toBe('True');
  });

  test('of a profile that the class names is not kept: someone may be creating it', async () => {
    const { status, nodeClass, requeueAfterMs } = await at.settled({ instanceProfile: 'nodes' });
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({ reason: 'InstanceProfileNotFound' });
    expect(requeueAfterMs).toBe(MINUTE_MS);
    const signal = new AbortController().signal;
    const { iam } = at.calls;
    await iam.createInstanceProfile({ InstanceProfileName: 'nodes' }, { signal });
    const RoleName = at.aws.server.settings.nodeRoleName;
    await iam.addRoleToInstanceProfile({ InstanceProfileName: 'nodes', RoleName }, { signal });
    await at.aws.world.clock.advance(MINUTE_MS);
    expect(conditionOf((await at.reconcile(nodeClass)).status, 'Ready')).toMatchObject({ status: 'True' });
  });

  test.each(['throttle', '500'])('by %s is no answer: a new class is asked for again', async (fault) => {
    at.aws.server.faults.add(`${fault}@operation=RunInstances`);
    const { nodeClass, status, errors } = await at.settled();
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
      status: 'Unknown',
      reason: 'DryRunFailed',
    });
    expect(errors).toHaveLength(1);
    at.aws.server.faults.clear();
    await at.aws.world.clock.advance(MINUTE_MS);
    expect(conditionOf((await at.reconcile(nodeClass)).status, 'Ready')).toMatchObject({ status: 'True' });
  });

  test('in one subnet does not matter while another one works', async () => {
    at.aws.server.faults.add('500@operation=RunInstances,count=1');
    const { status } = await at.settled();
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
  });
});

test('a template that exists already is fine', async () => {
  const { nodeClass } = await at.settled();
  at.dryRuns.forget('default');
  await at.reconcile(nodeClass);
  expect(at.aws.server.account.launchTemplates.size).toBe(1);
});
