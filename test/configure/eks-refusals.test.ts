/** `chandler configure eks` that is refused, interrupted or given something wrong: plain errors, and nothing half done. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { addRole } from '@chandler/cloudsim/aws/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { CONFIGURE_PERMISSIONS } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { readEksCluster } from '../../packages/chandler/src/configure/eks/index.ts';
import { everyNth, inFull } from '../part.ts';
import { anEks, type TestEks } from './eks.fixture.ts';

const APPLY = ['--apply', '--yes'];
const UNDO = ['--undo', '--yes'];
/** Each resource is one call. */
const WRITES = 30;
const ACCOUNT = '111122223333';

/** Permissions that only a change needs, and such a change. The simulated AWS does not ask for `iam:TagRole` when a role is created. */
const CHANGES: Readonly<Record<string, (account: TestEks['server']['account']) => void>> = {
  'iam:UpdateAssumeRolePolicy': ({ roles }) => {
    roles.get('chandler-playground')!.trust = { Version: '2012-10-17', Statement: [] };
  },
  'iam:AddClientIDToOpenIDConnectProvider': ({ oidcProviders }) => {
    for (const provider of oidcProviders.values()) provider.clientIds = ['theirs'];
  },
  'iam:TagRole': ({ roles }) => {
    roles.get('chandler-playground')!.tags = [];
  },
  'sqs:SetQueueAttributes': ({ queues }) => {
    queues.get('chandler-playground')!.policy = undefined;
  },
};
const whole = inFull('what others have made or deleted, and other options');
const needed = (...when: readonly string[]) =>
  Object.entries(CONFIGURE_PERMISSIONS)
    .filter(([action, row]) => when.includes(row.when) && !(action in CHANGES))
    .map(([action]) => action);
/** From the middle on: `npm test` runs the first. */
const KILLS = Array.from({ length: WRITES }, (_, at) => ((at + 18) % WRITES) + 1).flatMap((call) => [
  { call, when: 'after' as const },
  { call, when: 'before' as const },
]);

let cloud: TestEks | undefined;
afterEach(async () => {
  await cloud?.close();
  cloud = undefined;
});

/** With IRSA where only that needs it. */
const identityFor = (action: string) => [
  '--identity',
  action.includes('OpenIDConnect') ? 'irsa' : 'pod-identity',
];

describe('chandler configure eks that ends in the middle', () => {
  test.each(everyNth('points where apply ends', KILLS, 90))(
    'goes on, and nothing is doubled: $when call $call',
    async (kill) => {
      cloud = await anEks();
      const before = cloud.made();
      expect(await cloud.eksKilled(APPLY, kill)).toMatchObject({ code: 130 });
      expect(await cloud.eks(APPLY)).toMatchObject({ code: 0 });
      const { roles, queues, entries, associations, rules, tags } = cloud.made();
      const counts = [roles, queues, entries, associations, rules].map(({ length }) => length);
      expect([...counts, tags]).toEqual([2, 1, 1, 1, 5, 4]);
      expect(await cloud.eksKilled(UNDO, kill)).toMatchObject({ code: 130 });
      expect(await cloud.eks(UNDO)).toMatchObject({ code: 0 });
      expect(cloud.made()).toEqual(before);
      expect(cloud.journal()).toBeUndefined();
    },
  );
});

describe('chandler configure eks without a permission', () => {
  test.each(everyNth('permissions', needed('apply', 'plan'), 60))('names %s', async (action) => {
    cloud = await anEks();
    const before = cloud.made();
    const allow = cloud.server.withhold(action);
    const args = [...APPLY, ...identityFor(action)];
    const { code, err } = await cloud.eks(args);
    expect(code).toBe(1);
    expect(err).toContain(`you do not have the permission ${action} on `);
    allow();
    expect(await cloud.eks(args)).toMatchObject({ code: 0 });
    expect(await cloud.eks(UNDO)).toMatchObject({ code: 0 });
    expect({ ...cloud.made(), providers: [] }).toEqual(before);
  });

  test.each(everyNth('permissions of undo', needed('undo'), 40))(
    'undo leaves what needs %s, and says so',
    async (action) => {
      cloud = await anEks();
      const before = cloud.made();
      await cloud.eks([...APPLY, ...identityFor(action)]);
      const allow = cloud.server.withhold(action);
      const { code, err } = await cloud.eks(UNDO);
      expect(code).toBe(1);
      expect(err).toContain(`you do not have the permission ${action} on `);
      allow();
      expect(await cloud.eks(UNDO)).toMatchObject({ code: 0 });
      expect(cloud.made()).toEqual(before);
    },
  );

  test.each(everyNth('permissions to change what was created', Object.keys(CHANGES), 9))(
    'names %s, which only a change needs',
    async (action) => {
      cloud = await anEks();
      const apply = [...APPLY, ...identityFor(action)];
      await cloud.eks(apply);
      CHANGES[action]!(cloud.server.account);
      const allow = cloud.server.withhold(action);
      const { code, err } = await cloud.eks(apply);
      expect(code).toBe(1);
      expect(err).toContain(`you do not have the permission ${action} on `);
      allow();
      expect(await cloud.eks(apply)).toMatchObject({ code: 0 });
    },
  );
});

test('what a policy denies is printed as AWS says it, and the journal does not claim the resource', async () => {
  const anything = { Effect: 'Allow', Action: '*', Resource: '*' } as const;
  const denied = { Effect: 'Deny', Action: 'iam:CreateRole', Resource: '*' } as const;
  cloud = await anEks({ policies: [{ Version: '2012-10-17', Statement: [anything, denied] }] });
  const { code, err } = await cloud.eks(APPLY);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('with an explicit deny') });
  expect(err).not.toContain('you do not have the permission');
  expect(cloud.journal()).toBeUndefined();
});

describe('chandler configure eks that finds what somebody else created', () => {
  test('never changes a role without the tag of this cluster, even if it would fit', async () => {
    cloud = await anEks();
    const role = addRole(cloud.server.context, 'chandler-playground', {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'pods.eks.amazonaws.com' },
          Action: ['sts:AssumeRole', 'sts:TagSession'],
          Condition: {
            StringEquals: {
              'aws:RequestTag/eks-cluster-arn': `arn:aws:eks:us-west-2:${ACCOUNT}:cluster/playground`,
              'aws:RequestTag/kubernetes-namespace': 'kube-system',
              'aws:RequestTag/kubernetes-service-account': 'chandler',
            },
          },
        },
      ],
    });
    const before = [cloud.made(), role.trust];
    const { code, err } = await cloud.eks(APPLY);
    expect(code).toBe(1);
    expect(err).toContain(
      `controller role chandler-playground exists and differs (tag chandler.sh/cluster is not set, not "arn:aws:eks:us-west-2:${ACCOUNT}:cluster/playground"), and this journal does not say that configure created it`,
    );
    expect([cloud.made(), role.trust]).toEqual(before);
    expect(cloud.journal()).toBeUndefined();
    expect(await cloud.eks(['--role-name', 'shop-controller'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Plan: 30 to create.'),
    });
  });

  test('does not take a subnet from another cluster', async () => {
    cloud = await anEks();
    const [subnet] = [...cloud.server.account.subnets.values()];
    subnet!.tags = [{ Key: 'karpenter.sh/discovery', Value: 'other' }];
    const { code, err } = await cloud.eks(APPLY);
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('value is "other", not "playground"'),
    });
    expect(err).toContain('nothing was changed');
    const folder = join(cloud.folder, 'out');
    expect(await cloud.eks(['--write', folder])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no files were written, because they would overwrite what exists'),
    });
    expect(existsSync(folder)).toBe(false);
  });

  test('writes no files that would overwrite a queue of somebody else', async () => {
    cloud = await anEks();
    await cloud.eks([...APPLY, '--queue-name', 'shop']);
    rmSync(join(cloud.folder, 'journal.json'));
    cloud.server.account.queues.get('shop')!.settings.retentionMs = 600_000;
    const folder = join(cloud.folder, 'out');
    const written = await cloud.eks(['--queue-name', 'shop', '--write', folder]);
    expect(written).toMatchObject({ code: 1, err: expect.stringContaining('queue shop') });
    expect(existsSync(folder)).toBe(false);
  });

  test.runIf(whole)(
    'is refused if the journal names another role; undo needs neither it nor the cluster',
    async () => {
      cloud = await anEks();
      const before = cloud.made();
      await cloud.eks(APPLY);
      const after = cloud.made();
      const { code, err } = await cloud.eks([...APPLY, '--role-name', 'second']);
      const instead = `created another one in its place, arn:aws:iam::${ACCOUNT}:role/chandler-playground`;
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(instead) });
      expect(cloud.made()).toEqual(after);
      Object.assign(cloud.server.cluster, { name: 'gone' });
      expect(await cloud.eks([])).toMatchObject({
        code: 1,
        err: expect.stringContaining('there is no EKS cluster playground in us-west-2'),
      });
      const undone = await cloud.eks([...UNDO, '--role-name', 'second']);
      expect(undone).toMatchObject({
        code: 0,
        err: expect.stringContaining('already gone Pod Identity association'),
      });
      expect({ ...cloud.made(), entries: [], associations: [] }).toEqual(before);
    },
  );
});

test.runIf(whole)(
  'subnets and security groups that have the tag of the cluster already are those of nodes',
  async () => {
    cloud = await anEks();
    const { subnets, securityGroups } = cloud.server.account;
    const [subnet] = [...subnets.values()];
    const [group] = [...securityGroups.values()];
    const Tags = [{ Key: 'karpenter.sh/discovery', Value: 'playground' }];
    subnet!.tags = Tags;
    securityGroups.set('sg-0bbbb', { ...group!, GroupId: 'sg-0bbbb', Tags });
    const { code, out } = await cloud.eks(APPLY);
    expect(code).toBe(0);
    expect(out).toContain(
      `Note: The subnets ${subnet!.id} have the tag karpenter.sh/discovery=playground already, so no others get it.`,
    );
    expect(out).toContain('Note: The security groups sg-0bbbb have the tag');
    expect(cloud.made().tags).toBe(2);
    const given = await cloud.eks(['--security-group-id', group!.GroupId!]);
    expect(given.out).toContain('already: nodes get them as well, unless you remove it there.');
    expect(await cloud.eks(UNDO)).toMatchObject({ code: 0 });
    expect(cloud.made().tags).toBe(2);
  },
);

describe('chandler configure eks with other options than before', () => {
  test.runIf(whole).each([
    ['another identity', ['--identity', 'irsa'], 'Pod Identity association kube-system/chandler'],
    [
      'other subnets',
      ['--subnet-ids', 'subnet-0a110c00000000001'],
      'tag karpenter.sh/discovery of subnet-0a110c00000000002',
    ],
  ])('is refused until what it does not want any more is gone: %s', async (_, args, what) => {
    cloud = await anEks();
    await cloud.eks(APPLY);
    const before = cloud.made();
    const { code, out, err } = await cloud.eks([...APPLY, ...args]);
    expect(code).toBe(1);
    expect(out).toContain(`! ${what}: configure created it, and it is not wanted with these options\n`);
    expect(err).toContain(`${what}: the journal says that configure created it`);
    expect(cloud.made()).toEqual(before);
    cloud.server.cluster.podIdentityAssociations = [];
    for (const subnet of cloud.server.account.subnets.values())
      if (!args.includes(subnet.id)) subnet.tags = [];
    expect(await cloud.eks([...APPLY, ...args])).toMatchObject({ code: 0 });
  });

  test.runIf(whole)('does not change a role that somebody deleted and created again', async () => {
    cloud = await anEks();
    await cloud.eks(APPLY);
    const { roles } = cloud.server.account;
    const role = roles.get('chandler-playground')!;
    const theirs = { ...role, id: 'AROASOMEBODYELSE', tags: [] };
    roles.set(role.name, theirs);
    const { code, err } = await cloud.eks(APPLY);
    expect(code).toBe(1);
    expect(err).toContain('controller role chandler-playground exists and differs (tag chandler.sh/cluster');
    expect(theirs.tags).toEqual([]);
  });
});

describe('chandler configure eks that is given something wrong', () => {
  test('a cluster that has no access entries, or no agent', async () => {
    cloud = await anEks();
    cloud.server.cluster.addons = [];
    expect(await cloud.eks(APPLY)).toEqual({
      code: 1,
      out: '',
      err:
        'chandler configure eks: the cluster playground has no add-on eks-pod-identity-agent, so the controller could not sign in; install it first: ' +
        'aws eks create-addon --region us-west-2 --cluster-name playground --addon-name eks-pod-identity-agent; or give --identity irsa\n',
    });
    cloud.server.cluster.authenticationMode = 'CONFIG_MAP';
    expect((await cloud.eks(APPLY)).err).toContain(
      'the cluster playground has no access entries, so nodes could not join; enable them first: aws eks update-cluster-config',
    );
  });

  test('a region of a partition that is not known', async () => {
    const target = {
      clusterName: 'a',
      accountId: '1',
      region: 'us-iso-east-1',
      identity: 'irsa',
    } as const;
    await expect(readEksCluster({} as never, target, new AbortController().signal)).rejects.toThrow(
      'us-iso-east-1 is in the partition aws-iso; configure works in aws, aws-cn, aws-us-gov',
    );
  });

  test('names, IDs and contradictions', async () => {
    cloud = await anEks();
    for (const [args, code, message] of [
      [['-n', 'other'], 1, 'there is no EKS cluster other in us-west-2 of the account 111122223333'],
      [['-n', ''], 2, '--name: is required'],
      [['--region', 'Frankfurt'], 2, '--region: "Frankfurt" is not a region such as us-west-2'],
      [['--subnet-ids', 'subnet-1'], 1, 'are not in the VPC vpc-0a11ce00000000001 of the cluster: subnet-1'],
      [['--subnet-ids', 'nodes'], 2, '--subnet-ids: "nodes" is not a list of IDs of subnets'],
      [['--security-group-id', 'sg-1'], 1, 'there is no security group sg-1 in the VPC'],
      [['--role-name', 'a b'], 2, '--role-name: "a b" is not a name of a role'],
      [
        ['--role-name', 'a', '--node-role-name', 'A'],
        2,
        '--node-role-name: must not be that of the controller',
      ],
      [
        ['--node-role-name', 'Chandler-playground'],
        2,
        '--node-role-name: must not be that of the controller',
      ],
      [['--identity', 'keys'], 2, '--identity'],
      [['--apply'], 2, '--yes: there is no terminal to ask on'],
      [['--apply', '--undo'], 2, '--undo: cannot be used with --apply'],
      [['--namespace', 'Kube System'], 2, '--namespace: "Kube System" is not a name of Kubernetes'],
    ] as const)
      expect(await cloud.eks(args), args.join(' ')).toMatchObject({
        code,
        err: expect.stringContaining(message),
      });
  });

  test('no credentials, and wrong ones', async () => {
    cloud = await anEks();
    const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...bare } = cloud.env;
    const env = { ...bare, AWS_EC2_METADATA_DISABLED: 'true' };
    expect(await cloud.eks([], { env })).toMatchObject({
      code: 1,
      err: expect.stringContaining('set AWS_PROFILE'),
    });
    const wrong = { ...cloud.env, AWS_SECRET_ACCESS_KEY: 'wrong' };
    expect(await cloud.eks([], { env: wrong })).toMatchObject({
      code: 1,
      err: expect.stringContaining('SignatureDoesNotMatch'),
    });
  });
});
