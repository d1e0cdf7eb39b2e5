/** Instance profiles in a simulated IAM, through the official SDK: interrupted anywhere, refused, and removed. */
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import { AwsError, NO_ANSWER } from '../errors/index.ts';
import type { Call, IamCalls } from '../wire/index.ts';
import { InstanceProfiles, PROPAGATION_MS, type WantedProfile } from './instance-profiles.ts';
import { legacyProfileName, type ProfileScope } from './profile-names.ts';

const OWNER = { name: 'default', uid: 'c0ffee' };
const PATH = '/karpenter/us-west-2/playground/c0ffee/';

let aws: TestAws;
let iam: IamCalls;
let scope: ProfileScope;
let role: string;

beforeEach(async () => {
  aws = await testAws();
  iam = awsCallsOf(aws).iam;
  scope = { region: aws.server.settings.region, clusterName: aws.server.settings.clusterName };
  role = aws.server.settings.nodeRoleName;
});

afterEach(() => aws.close());

const profilesOf = (calls: IamCalls = iam) =>
  new InstanceProfiles({ world: aws.world, iam: calls, scope: () => scope });

function wanted(fields: Partial<WantedProfile> = {}): WantedProfile {
  return { owner: OWNER, role, tags: { team: 'a' }, ...fields };
}

const ensure = (fields?: Partial<WantedProfile>, profiles = profilesOf()) =>
  profiles.ensure(wanted(fields), neverAborted());

/** What IAM holds. */
function stored() {
  return [...aws.server.account.instanceProfiles.values()].map(({ name, path, roleName, tags }) => ({
    name,
    path,
    roleName,
    tags: Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])),
  }));
}

/** Those who read in IAM know of a new profile by then. */
const later = () => aws.world.clock.advance(1_000);

function iamCalls(): readonly string[] {
  return aws.server
    .calls()
    .filter(({ service }) => service === 'iam')
    .map(({ action }) => action);
}

/** The process ends at the n-th call: before IAM receives it, or before the answer arrives. */
function dyingAt(call: number, when: 'before' | 'after'): IamCalls {
  let calls = 0;
  const wrap =
    (real: Call<never, unknown>): Call<never, unknown> =>
    async (input, options) => {
      calls += 1;
      if (calls > call) throw new AwsError({ code: NO_ANSWER, message: 'crashed' });
      if (calls < call) return (await real(input, options)) as never;
      if (when === 'after') await real(input, options);
      throw new AwsError({ code: NO_ANSWER, message: 'crashed' });
    };
  return Object.fromEntries(
    Object.entries(iam).map(([name, real]) => [name, wrap(real as Call<never, unknown>)]),
  ) as unknown as IamCalls;
}

test('a class with a role gets a profile with its path, tags and role', async () => {
  const answer = await ensure();
  expect(answer).toEqual({
    name: expect.stringMatching(/^playground_\d+$/),
    usableAtMs: aws.world.clock.now() + PROPAGATION_MS,
  });
  expect(stored()).toEqual([
    {
      name: (answer as { name: string }).name,
      path: PATH,
      roleName: role,
      tags: {
        team: 'a',
        'kubernetes.io/cluster/playground': 'owned',
        'eks:eks-cluster-name': 'playground',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
        'topology.kubernetes.io/region': 'us-west-2',
      },
    },
  ]);
});

test('a profile that is there costs no call for 15 minutes, and one call after that', async () => {
  const profiles = profilesOf();
  const { name } = (await ensure({}, profiles)) as { name: string };
  const before = iamCalls().length;
  await aws.world.clock.advance(14 * 60_000);
  expect(await ensure({ current: name }, profiles)).toMatchObject({ name });
  expect(iamCalls()).toHaveLength(before);
  await aws.world.clock.advance(60_000);
  expect(await ensure({ current: name }, profiles)).toMatchObject({ name });
  expect(iamCalls().slice(before)).toEqual(['GetInstanceProfile']);
});

test('tags of the class that change are changed on its profile, once', async () => {
  const profiles = profilesOf();
  const { name } = (await ensure({}, profiles)) as { name: string };
  for (let pass = 0; pass < 2; pass += 1)
    await ensure({ current: name, tags: { team: 'b', cost: '1' } }, profiles);
  expect(stored()[0]!.tags).toMatchObject({ team: 'b', cost: '1', 'eks:eks-cluster-name': 'playground' });
  expect(iamCalls().filter((action) => action === 'TagInstanceProfile')).toHaveLength(1);
});

describe('an attempt that was interrupted', () => {
  test.each([1, 2, 3].flatMap((call) => (['before', 'after'] as const).map((when) => [call, when] as const)))(
    'at call %i, %s IAM executed it, ends in one profile',
    async (call, when) => {
      await expect(ensure({}, profilesOf(dyingAt(call, when)))).rejects.toThrow('crashed');
      // What IAM does not show yet may make an attempt fail, and never leads to a second profile.
      await ensure().catch(() => undefined);
      await later();
      const { name } = (await ensure()) as { name: string };
      expect(stored()).toEqual([expect.objectContaining({ name, path: PATH, roleName: role })]);
    },
  );

  test('goes on when IAM does not show yet what it created', async () => {
    await ensure();
    await expect(ensure()).rejects.toMatchObject({ code: 'LimitExceeded' });
    await later();
    expect(await ensure()).toMatchObject({ name: stored()[0]!.name });
    expect(stored()).toHaveLength(1);
  });

  test('throttled and with lost answers, it still ends in one profile', async () => {
    aws.server.faults.add('throttle@operation=iam,rate=0.4');
    aws.server.faults.add('lost-response@operation=iam,rate=0.4');
    let answer: unknown;
    for (let attempt = 0; attempt < 100 && answer === undefined; attempt += 1)
      answer = await ensure().catch((error: unknown) => {
        expect(error).toBeInstanceOf(AwsError);
        return undefined;
      });
    expect(answer).toMatchObject({ name: stored()[0]!.name });
    expect(stored()).toEqual([expect.objectContaining({ path: PATH, roleName: role })]);
  });
});

describe('another role', () => {
  test('has another profile; the one before stays for the instances that use it', async () => {
    const profiles = profilesOf();
    const first = (await ensure({}, profiles)) as { name: string };
    const other = aws.server.account.roles.get(role)!;
    aws.server.account.roles.set('other', { ...other, name: 'other' });
    const second = (await ensure({ role: 'other', current: first.name }, profiles)) as { name: string };
    expect(second.name).not.toBe(first.name);
    expect(stored().map(({ name, roleName }) => [name, roleName])).toEqual([
      [first.name, role],
      [second.name, 'other'],
    ]);
    expect(await ensure({ current: second.name }, profiles)).toMatchObject({ name: first.name });
  });

  test('a path in front of the same role is no other role', async () => {
    const { name } = (await ensure()) as { name: string };
    for (let hour = 0; hour < 3; hour += 1) {
      await aws.world.clock.advance(3_600_000);
      expect(await ensure({ role: `/teams/a/${role}`, current: name })).toMatchObject({ name });
    }
    expect(stored()).toHaveLength(1);
  });

  test('a profile that lost its role gets it back', async () => {
    const { name } = (await ensure()) as { name: string };
    aws.server.account.instanceProfiles.get(name)!.roleName = undefined;
    expect(await ensure({ current: name })).toMatchObject({ name });
    expect(stored()[0]).toMatchObject({ roleName: role });
  });
});

test("a profile that Karpenter made for the class is kept; someone else's is not", async () => {
  const create = async (InstanceProfileName: string, Path: string) => {
    await iam.createInstanceProfile({ InstanceProfileName, Path }, { signal: neverAborted() });
    await iam.addRoleToInstanceProfile({ InstanceProfileName, RoleName: role }, { signal: neverAborted() });
  };
  await create('playground_1', PATH);
  await create('mine', '/');
  await create(legacyProfileName(scope, 'default'), '/');
  await later();
  expect(await ensure({ current: 'playground_1' })).toMatchObject({ name: 'playground_1' });
  const legacy = legacyProfileName(scope, 'default');
  expect(await ensure({ current: legacy })).toMatchObject({ name: legacy });
  expect(await ensure({ current: 'mine' })).toEqual({
    name: expect.not.stringMatching(/^(mine|playground_1)$/),
    usableAtMs: expect.any(Number),
  });
});

describe('what IAM refuses', () => {
  test('a role that does not exist is named, and not asked for again for a minute', async () => {
    const profiles = profilesOf();
    const answer = { problem: { reason: 'RoleNotFound', message: expect.stringContaining('named nobody') } };
    expect(await ensure({ role: 'nobody' }, profiles)).toEqual(answer);
    const before = iamCalls().length;
    expect(await ensure({ role: 'nobody' }, profiles)).toEqual(answer);
    expect(iamCalls()).toHaveLength(before);
    await aws.world.clock.advance(60_000);
    aws.server.account.roles.set('nobody', { ...aws.server.account.roles.get(role)!, name: 'nobody' });
    expect(await ensure({ role: 'nobody' }, profiles)).toMatchObject({ name: stored()[0]!.name });
    expect(stored()).toHaveLength(1);
  });

  test('a profile that is missing is not taken for a missing role, whatever its name', async () => {
    scope = { ...scope, clusterName: 'role-a' };
    const late: IamCalls = {
      ...iam,
      addRoleToInstanceProfile: async ({ InstanceProfileName }) => {
        const message = `Instance Profile ${InstanceProfileName} cannot be found.`;
        throw new AwsError({ code: 'NoSuchEntity', message, status: 404 });
      },
    };
    await expect(ensure({}, profilesOf(late))).rejects.toMatchObject({
      message: expect.stringMatching(/^Instance Profile role-a_\d+ cannot be found/),
    });
  });

  test('a role that is an ARN costs no call', async () => {
    expect(await ensure({ role: `arn:aws:iam::123456789012:role/${role}` })).toMatchObject({
      problem: { reason: 'RoleInvalid' },
    });
    expect(iamCalls()).toEqual([]);
  });

  test('a quota that is exhausted is named with its cure', async () => {
    const full: IamCalls = {
      ...iam,
      createInstanceProfile: async () => {
        throw new AwsError({
          code: 'LimitExceeded',
          message: 'Cannot exceed quota for InstanceProfilesPerAccount: 1000',
          status: 409,
        });
      },
    };
    expect(await ensure({}, profilesOf(full))).toEqual({
      problem: {
        reason: 'InstanceProfileQuotaExceeded',
        message: expect.stringMatching(/Service Quotas.*InstanceProfilesPerAccount/),
      },
    });
  });

  test('a denial is an error of AWS that names the action', async () => {
    aws.server.faults.add('forbidden@operation=CreateInstanceProfile');
    await expect(ensure()).rejects.toMatchObject({
      message: expect.stringContaining('iam:CreateInstanceProfile'),
    });
  });
});

describe('removing', () => {
  test('takes all profiles of the class and no other one', async () => {
    await ensure();
    await iam.createInstanceProfile(
      { InstanceProfileName: legacyProfileName(scope, 'default'), Path: '/' },
      { signal: neverAborted() },
    );
    await ensure({ owner: { name: 'other', uid: 'beef' } });
    await later();
    await profilesOf().removeOfClass(OWNER, neverAborted());
    expect(stored().map(({ path }) => path)).toEqual(['/karpenter/us-west-2/playground/beef/']);
    await profilesOf().removeOfClass(OWNER, neverAborted());
  });

  test.each(
    [1, 2, 3, 4].flatMap((call) => (['before', 'after'] as const).map((when) => [call, when] as const)),
  )('is repeated after a crash at call %i, %s IAM executed it', async (call, when) => {
    await ensure();
    await later();
    const crashing = profilesOf(dyingAt(call, when)).removeOfClass(OWNER, neverAborted());
    await expect(crashing).rejects.toThrow('crashed');
    await profilesOf().removeOfClass(OWNER, neverAborted());
    expect(stored()).toEqual([]);
  });

  test('takes a profile that IAM does not show yet, which the same process created', async () => {
    const profiles = profilesOf();
    await ensure({}, profiles);
    await profiles.removeOfClass(OWNER, neverAborted());
    expect(stored()).toEqual([]);
  });

  test('is repeated after an error while IAM does not show the profile yet', async () => {
    let refusals = 1;
    const profiles = profilesOf({
      ...iam,
      removeRoleFromInstanceProfile: async (...call) => {
        if (refusals-- > 0) throw new AwsError({ code: 'Throttling', message: 'slow down', status: 429 });
        return iam.removeRoleFromInstanceProfile(...call);
      },
    });
    await ensure({}, profiles);
    await expect(profiles.removeOfClass(OWNER, neverAborted())).rejects.toThrow('slow down');
    await profiles.removeOfClass(OWNER, neverAborted());
    expect(stored()).toEqual([]);
  });

  test('is over after a lost answer, although IAM denies calls on a profile that is gone', async () => {
    let lost = 0;
    const profiles = profilesOf({
      ...iam,
      deleteInstanceProfile: async (...call) => {
        const answer = await iam.deleteInstanceProfile(...call);
        if (lost++ === 0) throw new AwsError({ code: NO_ANSWER, message: 'lost' });
        return answer;
      },
    });
    await ensure({}, profiles);
    await later();
    await expect(profiles.removeOfClass(OWNER, neverAborted())).rejects.toThrow('lost');
    // A policy that allows calls on profiles with certain tags allows none on one that does not exist.
    aws.server.faults.add('forbidden@operation=RemoveRoleFromInstanceProfile');
    await later();
    await expect(profiles.removeOfClass(OWNER, neverAborted())).rejects.toThrow('not authorized');
    await aws.world.clock.advance(60_000);
    await profiles.removeOfClass(OWNER, neverAborted());
    expect(stored()).toEqual([]);
  });

  test('lists have as many pages as they need', async () => {
    for (let index = 0; index < 1001; index += 1)
      aws.server.account.instanceProfiles.set(`p${index}`, {
        name: `p${index}`,
        path: PATH,
        arn: `arn:aws:iam::123456789012:instance-profile${PATH}p${index}`,
        id: `AIPA${index}`,
        createdMs: 0,
        roleName: undefined,
        usableMs: 0,
        tags: [],
      });
    expect(await profilesOf().listOfCluster(neverAborted())).toHaveLength(1001);
  });
});
