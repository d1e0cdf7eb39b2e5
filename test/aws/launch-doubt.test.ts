/** Requests for instances whose answer was lost, and what is said about them later: a claim has one instance, and its own. */
import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { type AwsCalls, AwsError } from '../../packages/chandler/src/cloud/aws/index.ts';
import {
  type AwsCloudFixture,
  aClaim,
  awsCloud,
  launchDespiteErrors,
  removeClaim,
  stepOnce,
} from './aws-cloud.fixture.ts';

let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(): Promise<AwsCloudFixture> {
  open = await awsCloud({ server: { catalogue: { types: ['m5.large', 'm5.xlarge'] } } });
  return open;
}

/** Created just now, so that they wait for each other. */
function claims(fixture: AwsCloudFixture, ...names: readonly string[]): readonly Stored<NodeClaim>[] {
  const creationTimestamp = new Date(fixture.clock.now()).toISOString();
  return names.map((name) => aClaim(name, { creationTimestamp }));
}

/** Until EC2 has executed the request of the claims; its answer is lost. */
async function loseAnswer(
  fixture: AwsCloudFixture,
  all: readonly Stored<NodeClaim>[],
  instances = all.length,
): Promise<void> {
  const { server, clock, cloud } = fixture;
  server.faults.add('lost-response@count=1,operation=ec2:CreateFleet');
  for (let steps = 0; steps < 500 && server.faults.list().length > 0; steps += 1) {
    await stepOnce(cloud, all, fixture.nodeClass());
    await clock.advance(100);
  }
  expect(fixture.running()).toHaveLength(instances);
}

/** While `isHeld`, no request of CreateFleet leaves the process. */
function heldCalls(code: 'HeldBack' | 'NoCredentials', isHeld: () => boolean): (calls: AwsCalls) => AwsCalls {
  return (calls) => {
    const createFleet: AwsCalls['ec2']['createFleet'] = async (input, options) => {
      if (isHeld()) throw new AwsError({ code, message: 'nothing was sent', retryAfterMs: 1_000 });
      return calls.ec2.createFleet(input, options);
    };
    return { ...calls, ec2: { ...calls.ec2, createFleet } };
  };
}

describe.each([
  { what: 'one claim', names: ['a'] },
  { what: 'three equal claims', names: ['a', 'b', 'c'] },
])('after the answer to the request of $what was lost', ({ names }) => {
  test.each(['expired-token', 'forbidden'])(
    'a refusal of the repeated one (%s) is not taken for its answer: each claim has one instance',
    async (refusal) => {
      const fixture = await start();
      const all = claims(fixture, ...names);
      await loseAnswer(fixture, all);
      fixture.server.faults.add(`${refusal}@count=1,operation=ec2:CreateFleet`);
      const { ids } = await launchDespiteErrors(fixture, fixture.cloud, all, fixture.nodeClass());
      expect(new Set(ids.values()).size).toBe(names.length);
      expect(fixture.server.faults.list()).toEqual([]);
      expect(fixture.running()).toHaveLength(names.length);
    },
  );

  test('a refusal that lasts does not keep the claims from the instances that they have', async () => {
    const fixture = await start();
    const all = claims(fixture, ...names);
    await loseAnswer(fixture, all);
    fixture.server.faults.add('forbidden@operation=ec2:CreateFleet');
    const { ids, errors } = await launchDespiteErrors(fixture, fixture.cloud, all, fixture.nodeClass());
    expect(new Set(ids.values()).size).toBe(names.length);
    expect(errors.map(({ kind }) => kind)).toContain('Unauthorized');
    expect(fixture.running()).toHaveLength(names.length);
  });

  test('a template that is missing by now is created again, and nothing is launched twice', async () => {
    const fixture = await start();
    const all = claims(fixture, ...names);
    await loseAnswer(fixture, all);
    fixture.server.account.launchTemplates.clear();
    const { ids } = await launchDespiteErrors(fixture, fixture.cloud, all, fixture.nodeClass());
    expect(new Set(ids.values()).size).toBe(names.length);
    expect(fixture.running()).toHaveLength(names.length);
  });

  test('a claim that is deleted after a refusal leaves nothing', async () => {
    const fixture = await start();
    const all = claims(fixture, ...names);
    await loseAnswer(fixture, all);
    fixture.server.faults.add('forbidden@operation=ec2:CreateFleet');
    await stepOnce(fixture.cloud, all, fixture.nodeClass());
    for (const claim of all) await removeClaim(fixture, fixture.cloud, claim);
    expect(fixture.running()).toEqual([]);
  });

  test('a process that finds no credentials at first launches nothing twice, although lists lag behind', async () => {
    const fixture = await start();
    const all = claims(fixture, ...names);
    await loseAnswer(fixture, all);
    let held = true;
    const { cloud } = fixture.startProcess({ around: heldCalls('NoCredentials', () => held) });
    fixture.server.faults.add('partial=100@operation=ec2:DescribeInstances');
    const errors = await stepOnce(cloud, all, fixture.nodeClass());
    expect(errors.map(({ reason }) => reason)).toContain('CredentialsMissing');
    held = false;
    fixture.server.faults.clear();
    const { ids } = await launchDespiteErrors(fixture, cloud, all, fixture.nodeClass());
    expect(new Set(ids.values()).size).toBe(names.length);
    expect(fixture.running()).toHaveLength(names.length);
  });
});

test('a request that was lost before EC2 had it, and then refused, is launched once it is allowed', async () => {
  const fixture = await start();
  const all = claims(fixture, 'a', 'b');
  fixture.server.faults.add('lost-request@count=1,operation=ec2:CreateFleet');
  fixture.server.faults.add('forbidden@count=3,operation=ec2:CreateFleet');
  const { ids } = await launchDespiteErrors(fixture, fixture.cloud, all, fixture.nodeClass());
  expect(new Set(ids.values()).size).toBe(2);
  expect(fixture.server.faults.list()).toEqual([]);
  expect(fixture.running()).toHaveLength(2);
});

test('a request that is refused without any doubt is decided: the next one has a token of its own', async () => {
  const fixture = await start();
  const [claim] = claims(fixture, 'a');
  fixture.server.faults.add('forbidden@count=1,operation=ec2:CreateFleet');
  await launchDespiteErrors(fixture, fixture.cloud, [claim!], fixture.nodeClass());
  const tokens = fixture
    .running()
    .map(({ tags }) => tags.find(({ Key }) => Key === 'chandler.sh/launch-token'));
  expect(tokens).toEqual([{ Key: 'chandler.sh/launch-token', Value: 'chandler-uid-a-1' }]);
});

describe.each(['HeldBack', 'NoCredentials'] as const)(
  'a request that never left the process (%s)',
  (code) => {
    /** Its claims are recorded, and it would be sent. */
    async function startHeld() {
      const fixture = await start();
      let held = true;
      const { cloud } = fixture.startProcess({ around: heldCalls(code, () => held) });
      const [a, b] = claims(fixture, 'a', 'b') as [Stored<NodeClaim>, Stored<NodeClaim>];
      for (let steps = 0; steps < 4; steps += 1) {
        await stepOnce(cloud, [a, b], fixture.nodeClass());
        await fixture.clock.advance(1_100);
      }
      expect(fixture.callsOf('CreateFleet')).toEqual([]);
      const release = () => {
        held = false;
      };
      return { fixture, cloud, a, b, release };
    }

    test('keeps no deletion waiting, and launches nothing for a claim that was deleted', async () => {
      const { fixture, cloud, a, b, release } = await startHeld();
      expect(await removeClaim(fixture, cloud, a)).toBe(1);
      fixture.records.forget(a.metadata.uid);
      release();
      const { ids } = await launchDespiteErrors(fixture, cloud, [b], fixture.nodeClass());
      expect([...ids.keys()]).toEqual(['b']);
      expect(fixture.server.account.instances.size).toBe(1);
    });

    test('is sent as soon as it can be', async () => {
      const { fixture, cloud, a, b, release } = await startHeld();
      release();
      const { ids } = await launchDespiteErrors(fixture, cloud, [a, b], fixture.nodeClass());
      expect([...ids.keys()].sort()).toEqual(['a', 'b']);
      expect(fixture.callsOf('CreateFleet')).toHaveLength(1);
    });
  },
);

test('a deletion does not terminate the instance of a claim of the same request, although lists show it first', async () => {
  const fixture = await start();
  const { cloud, clock, server } = fixture;
  const [a, b, c] = claims(fixture, 'a', 'b', 'c') as [
    Stored<NodeClaim>,
    Stored<NodeClaim>,
    Stored<NodeClaim>,
  ];
  server.faults.add('500@operation=ec2:CreateFleet');
  for (let steps = 0; steps < 3; steps += 1) {
    await stepOnce(cloud, [a, b, c], fixture.nodeClass());
    await clock.advance(1_000);
  }
  // The deletion has been searching for more than a minute when EC2 executes the request.
  for (let steps = 0; steps < 20; steps += 1) {
    expect(await cloud.delete(a, neverAborted())).toMatchObject({ state: 'deleting' });
    await clock.advance(5_000);
  }
  server.faults.clear();
  await loseAnswer(fixture, [b, c], 3);
  const byId = fixture.running().sort((one, other) => (one.id < other.id ? -1 : 1));
  // The first one is that of the claim that is deleted.
  for (const [index, record] of byId.entries())
    Object.assign(record, { visibleMs: clock.now() + (index === 2 ? 0 : 20_000) });
  for (let steps = 0; steps < 5; steps += 1) {
    await cloud.delete(a, neverAborted());
    await clock.advance(1_000);
  }
  expect(fixture.running()).toHaveLength(3);
  const { ids } = await launchDespiteErrors(fixture, cloud, [b, c], fixture.nodeClass());
  await removeClaim(fixture, cloud, a);
  expect(
    fixture
      .running()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...ids.values()].map((id) => id.split('/').at(-1)).sort());
  expect(ids.size).toBe(2);
});

test('claims that are deleted before EC2 shows their instances leave none, also when it shows them late', async () => {
  const fixture = await start();
  const all = claims(fixture, 'a', 'b');
  await loseAnswer(fixture, all);
  for (const record of fixture.running()) Object.assign(record, { visibleMs: fixture.clock.now() + 290_000 });
  const { cloud } = fixture.startProcess();
  await Promise.all(all.map((claim) => removeClaim(fixture, cloud, claim)));
  expect(fixture.running()).toEqual([]);
});

describe('an instance that a repeated request launches for a claim', () => {
  /** While the next process of claim b repeats the request of both, something happens to claim a. */
  async function repeatWhile(happens: (fixture: AwsCloudFixture) => void) {
    const fixture = await start();
    const [a, b] = claims(fixture, 'a', 'b') as [Stored<NodeClaim>, Stored<NodeClaim>];
    await loseAnswer(fixture, [a, b]);
    await fixture.clock.advance(10_000);
    const around = (calls: AwsCalls): AwsCalls => {
      const createFleet: AwsCalls['ec2']['createFleet'] = (input, options) => {
        happens(fixture);
        return calls.ec2.createFleet(input, options);
      };
      return { ...calls, ec2: { ...calls.ec2, createFleet } };
    };
    const { cloud } = fixture.startProcess({ around });
    const { ids } = await launchDespiteErrors(fixture, cloud, [b], fixture.nodeClass());
    expect(fixture.callsOf('CreateFleet')).toHaveLength(2);
    return { fixture, ids };
  }

  test('that is gone by then is terminated', async () => {
    const { fixture, ids } = await repeatWhile(({ records }) => records.forget('uid-a'));
    expect(fixture.running().map(({ id }) => id)).toEqual([ids.get('b')!.split('/').at(-1)]);
  });

  test('that has found it by then is kept', async () => {
    const { fixture, ids } = await repeatWhile(({ records, running }) => {
      const [first] = running().sort((one, other) => (one.id < other.id ? -1 : 1));
      records.named.set('uid-a', `aws:///${first!.zone}/${first!.id}`);
    });
    expect(fixture.running()).toHaveLength(2);
    expect([...ids.values()]).not.toContain(fixture.records.named.get('uid-a'));
  });
});
