/** The live account as an input: which calls are made, what a missing permission means, and that it beats what files say. */
import { type AwsServer, CONTROLLER_ROLE } from '@chandler/cloudsim/aws';
import { addRole, NODE_GROUP_ID } from '@chandler/cloudsim/aws/testing';
import { describe, expect, test } from 'vitest';
import {
  CHECK_PERMISSIONS,
  type CheckAction,
  checkPolicy,
} from '../../packages/chandler/src/cloud/aws/index.ts';
import { CHECKS, judge, type Report } from '../../packages/chandler/src/readiness/index.ts';
import { callsOf } from '../../packages/chandler/src/readiness/testing.ts';
import { aResource, aState } from './examples/example.ts';
import { tagGroups } from './examples/live-network.table.ts';
import { ACCOUNT, inputsWith, REGION, type ReadAs } from './live-account.ts';
import { FILES, furnish } from './live-estate.ts';

/** Without those that ask the planner: it takes a while, and knows nothing of the account. */
const PLANNED = new Set(['K-24', 'K-26', 'K-54', 'K-60', 'K-61']);
const JUDGED = CHECKS.filter(({ id }) => !PLANNED.has(id));

const PLACE = { partition: 'aws', region: REGION, accountId: ACCOUNT, clusterName: 'shop' };

/** Credentials of somebody who has the printed policy, without some actions. */
function reader(aws: AwsServer, without: readonly string[] = []): ReadAs {
  const { Statement } = checkPolicy(PLACE);
  const kept = Statement.map((statement) => ({
    ...statement,
    Action: [statement.Action].flat().filter((action) => !without.includes(action)),
  }));
  const role = addRole(aws.context, 'reader', { Statement: [] });
  aws.context.access.attach(role.arn, { policies: [{ Statement: kept }] });
  return aws.assume('reader');
}

async function readWithout(...actions: readonly string[]) {
  let server: AwsServer | undefined;
  const prepare = (aws: AwsServer) => {
    server = aws;
    furnish(aws);
  };
  const inputs = await inputsWith(FILES, prepare, { as: (aws) => reader(aws, actions) });
  const report = judge(inputs, JUDGED, { strict: false });
  return { inputs, live: inputs.live!, report, calls: server!.calls() };
}

function statuses({ findings }: Report): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { id, object = '', status } of findings)
    found.set(id, [...(found.get(id) ?? []), `${object} ${status}`]);
  return found;
}

describe('chandler check --live-aws', () => {
  const complete = readWithout();

  test('makes the calls of the printed policy and no others, each at least once, at most 60', async () => {
    const { live, calls } = await complete;
    const names = new Set(calls.map(({ service, action }) => `${service}:${action}`));
    expect([...names].sort()).toEqual([...Object.keys(CHECK_PERMISSIONS), 'sts:GetCallerIdentity'].sort());
    expect(live.unread).toEqual(new Map());
    expect(calls.length).toBe(live.calls);
    expect(calls.length).toBeLessThanOrEqual(60);
  });

  test('finds nothing critical in a healthy account, and judges what needs it', async () => {
    const { report } = await complete;
    const wrong = report.findings.filter(({ status }) => status === 'fail' || status === 'error');
    expect(wrong.map(({ id, object, message }) => ({ id, object, message }))).toEqual([]);
    const judged = new Set(
      report.findings
        .filter(
          ({ status, evidence }) => status === 'pass' && evidence.some(({ source }) => source === 'live'),
        )
        .map(({ id }) => id),
    );
    expect(judged.size).toBeGreaterThan(40);
  });

  test.each(Object.keys(CHECK_PERMISSIONS) as CheckAction[])(
    'without %s exactly the checks that need it are skipped, and name it',
    async (action) => {
      const { live, report } = await readWithout(action);
      const reason = `AccessDenied on ${action}`;
      expect(live.unread.get(action)).toBe(reason);
      const unread = [...live.unread].filter(([, why]) => why.includes(reason)).map(([name]) => name);
      const dependent = CHECKS.filter(({ id }) => callsOf(id).some((call) => unread.includes(call)));
      expect(dependent.length).toBeGreaterThan(0);
      const before = statuses((await complete).report);
      const after = statuses(report);
      for (const { id } of JUDGED) {
        const own = report.findings.filter((finding) => finding.id === id);
        if (!dependent.some((check) => check.id === id)) expect(after.get(id)).toEqual(before.get(id));
        else if (own.some(({ status }) => status === 'skip'))
          expect(own.map(({ status, message }) => ({ status, message }))).toEqual([
            { status: 'skip', message: expect.stringContaining(reason) },
          ]);
        // Of the files alone, a warning is a warning.
        else expect(own.every(({ status }) => status === 'warn')).toBe(true);
      }
    },
  );

  test('what files alone show to be wrong stays a failure without a permission', async () => {
    const files = { 'class.yaml': FILES['class.yaml'].replace(/kmsKeyID: .*/, 'kmsKeyID: REPLACE_ME') };
    const as = (aws: AwsServer) => reader(aws, ['kms:DescribeKey']);
    const inputs = await inputsWith(files, () => {}, { as });
    const [finding] = judge(inputs, JUDGED, { strict: false }).findings.filter(({ id }) => id === 'S-38');
    expect(finding).toMatchObject({ status: 'fail', message: 'REPLACE_ME is a placeholder.' });
  });

  test('an error of AWS is no answer: the checks are skipped, and say what AWS said', async () => {
    const prepare = (aws: AwsServer) => {
      furnish(aws);
      aws.faults.add('500@operation=GetInstanceProfile');
    };
    const inputs = await inputsWith(FILES, prepare, { as: reader });
    const [finding] = judge(inputs, JUDGED, { strict: false }).findings.filter(({ id }) => id === 'S-03');
    expect(finding).toMatchObject({
      status: 'skip',
      message: expect.stringMatching(/^iam:GetInstanceProfile was not answered: /),
    });
  });

  test('credentials that AWS does not accept end it after one call', async () => {
    let server: AwsServer | undefined;
    const prepare = (aws: AwsServer) => {
      server = aws;
    };
    const as = (aws: AwsServer) => ({ ...aws.credentials, secretAccessKey: 'wrong' });
    const inputs = await inputsWith(FILES, prepare, { as });
    expect(server!.calls()).toHaveLength(1);
    expect(inputs.live!.calls).toBe(1);
    const { findings } = judge(inputs, JUDGED, { strict: false });
    const [finding] = findings.filter(({ id }) => id === 'S-51');
    expect(finding).toMatchObject({ status: 'skip', message: expect.stringContaining('credentials') });
    expect(findings.some(({ evidence }) => evidence.some(({ source }) => source === 'live'))).toBe(false);
  });

  test('stops at 60 calls, and what was not asked is no pass', async () => {
    let server: AwsServer | undefined;
    const prepare = (aws: AwsServer) => {
      server = aws;
      furnish(aws);
      aws.account.roles.get(CONTROLLER_ROLE)!.attached = Array.from(
        { length: 40 },
        (_, index) => `arn:aws:iam::aws:policy/Policy${index}`,
      );
    };
    const inputs = await inputsWith(FILES, prepare, { as: reader });
    expect(server!.calls()).toHaveLength(60);
    const findings = judge(inputs, JUDGED, { strict: false }).findings.filter(({ id }) => id === 'S-50');
    expect(findings).toMatchObject([
      { status: 'skip', message: expect.stringContaining('the limit of 60 calls is reached') },
    ]);
  });

  const authWith = (...lines: readonly string[]) =>
    [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata: {name: aws-auth, namespace: kube-system}',
      'data:',
      '  mapRoles: |',
      ...lines.map((line) => `    ${line}`),
    ].join('\n');
  const mapping = (role: string) => [
    `- rolearn: arn:aws:iam::${ACCOUNT}:role/${role}`,
    '  username: system:node:{{EC2PrivateDNSName}}',
    '  groups: [system:bootstrappers, system:nodes]',
  ];

  test.each([
    ['maps it', (role: string) => mapping(role), 'pass'],
    ['maps another whose name begins alike', (role: string) => mapping(`${role}-2`), 'fail'],
    ['has it in a comment', (role: string) => mapping(role).map((line) => `# ${line}`), 'fail'],
    ['maps it without the groups', (role: string) => mapping(role).slice(0, 2), 'fail'],
  ])(
    'in a cluster that reads aws-auth only, which %s, the node role is judged by it',
    async (_, lines, status) => {
      const role = /role: (\S+)/.exec(FILES['class.yaml'])![1]!;
      const files = { ...FILES, 'cluster.yaml': authWith(...lines(role)) };
      const inputs = await inputsWith(
        files,
        (aws) => {
          furnish(aws);
          aws.cluster.authenticationMode = 'CONFIG_MAP';
        },
        { as: reader },
      );
      const [finding] = judge(inputs, JUDGED, { strict: false }).findings.filter(({ id }) => id === 'S-51');
      expect(finding).toMatchObject({ status });
    },
  );

  test('a cluster that does not exist is a failure, and what depends on it is skipped', async () => {
    const inputs = await inputsWith(FILES, ({ cluster }) => {
      Object.assign(cluster, { name: 'other' });
    });
    const { findings } = judge(inputs, JUDGED, { strict: false });
    const of = (id: string) => findings.filter((finding) => finding.id === id);
    expect(of('S-01').map(({ status, message }) => ({ status, message }))).toContainEqual({
      status: 'fail',
      message: 'The account has no cluster shop in this region.',
    });
    expect(of('S-08')).toMatchObject([
      { status: 'skip', message: 'ec2:DescribeSubnets was not called: there is no cluster shop' },
    ]);
  });

  test('what is live beats the state, and the difference is the finding', async () => {
    const files = {
      'values.yaml': 'settings:\n  clusterName: shop\n',
      'class.yaml': FILES['class.yaml'].replace('role: KarpenterNodeRole-shop', 'instanceProfile: gone'),
      'state.json': aState(
        aResource('aws_eks_cluster', 'this', { name: 'shop-old' }),
        aResource('aws_iam_instance_profile', 'karpenter', { name: 'gone', role: 'n' }),
      ),
    };
    const inputs = await inputsWith(files, () => {});
    const { findings } = judge(inputs, JUDGED, { strict: false });
    const of = (id: string) => findings.filter((finding) => finding.id === id);
    expect(of('S-01')).toContainEqual(
      expect.objectContaining({
        status: 'fail',
        message: 'The account says shop, and state says shop-old.',
      }),
    );
    expect(of('S-03')).toMatchObject([{ status: 'fail', message: 'There is no instance profile gone.' }]);
    expect(of('S-03')[0]!.evidence.at(-1)).toMatchObject({
      source: 'live',
      note: 'does not exist',
      at: { call: 'iam:GetInstanceProfile' },
    });
  });

  test.each([
    [
      'K-66',
      'warn',
      ({ account }: AwsServer) => {
        for (const subnet of account.subnets.values()) subnet.routed = false;
      },
    ],
    [
      'K-75',
      'fail',
      (aws: AwsServer) =>
        tagGroups(aws, [NODE_GROUP_ID], {
          'karpenter.sh/discovery': 'shop',
          'kubernetes.io/cluster/other': 'owned',
        }),
    ],
    [
      'S-38',
      'fail',
      ({ account }: AwsServer) => {
        for (const key of account.keys.values()) key.state = 'PendingDeletion';
      },
    ],
    [
      'K-09',
      'fail',
      ({ account }: AwsServer) => {
        account.queues.clear();
      },
    ],
    [
      'K-10',
      'fail',
      ({ events }: AwsServer) => {
        events.rules = new Set(['AWS Health Event']);
      },
    ],
    [
      'S-46',
      'fail',
      ({ account }: AwsServer) => {
        account.roles.get('KarpenterNodeRole-shop')!.attached = ['arn:aws:iam::aws:policy/ReadOnlyAccess'];
      },
    ],
    [
      'S-50',
      'fail',
      ({ account }: AwsServer) => {
        account.roles.get(CONTROLLER_ROLE)!.attached = [];
      },
    ],
    [
      'S-07',
      'fail',
      ({ account }: AwsServer) => {
        for (const subnet of account.subnets.values())
          account.addSubnet({
            ...subnet.shown(),
            SubnetId: subnet.id,
            CidrBlock: subnet.shown().CidrBlock!,
            Tags: [],
          });
      },
    ],
  ])('a check of files judges the account, too: %s', async (id, status, change) => {
    const prepare = (aws: AwsServer) => {
      furnish(aws);
      if (id === 'S-50')
        aws.context.access.attach(aws.account.roles.get(CONTROLLER_ROLE)!.arn, { policies: [] });
      change(aws);
    };
    const inputs = await inputsWith(FILES, prepare, { as: reader });
    const [finding] = judge(inputs, JUDGED, { strict: false }).findings.filter((each) => each.id === id);
    expect(finding?.status).toBe(status);
    expect(finding?.evidence.some(({ source }) => source === 'live')).toBe(true);
  });

  test('an error of the program is not taken for an answer of AWS', async () => {
    const getRole = async () => {
      throw new TypeError('a mistake');
    };
    const read = inputsWith(FILES, furnish, { as: reader, iam: { getRole } });
    await expect(read).rejects.toThrow('a mistake');
  });

  test('the same account gives the same report', async () => {
    const { report } = await readWithout();
    expect(report).toEqual((await complete).report);
  });
});
