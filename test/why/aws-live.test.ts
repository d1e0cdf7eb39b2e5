/** `why` on AWS with a connection: evidence of a simulated AWS, over the official SDK, in virtual time. */
import { NODE_GROUP_ID, subnetIdOf } from '@chandler/cloudsim/aws/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { explanationText } from '../../packages/chandler/src/diagnose/index.ts';

import { LiveAws } from './aws-live.fixture.ts';

let live: LiveAws | undefined;

afterEach(async () => {
  await live?.stop();
  live = undefined;
});

interface Case {
  readonly title: string;
  readonly faults?: readonly string[];
  readonly prepare?: (at: LiveAws) => void | Promise<void>;
  readonly config?: (config: string) => string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly after?: (at: LiveAws, instance: string) => Promise<unknown>;
  readonly cause: string;
  readonly also?: readonly string[];
  readonly text?: readonly string[];
}

const withoutEntry = ({ server: { cluster } }: LiveAws) => {
  cluster.authenticationMode = 'API';
  cluster.accessEntries.clear();
};
const withoutRoute = ({ server: { account, cluster } }: LiveAws) => {
  cluster.privateAccess = false;
  for (const subnet of account.subnets.values()) subnet.routed = false;
};

/** The endpoint is private, and the cluster security group admits nobody. */
const withClosedCluster = ({ server: { account, cluster } }: LiveAws) => {
  cluster.publicAccess = false;
  const group = account.securityGroups.get(cluster.securityGroupId)!;
  account.securityGroups.set(cluster.securityGroupId, { ...group, IpPermissions: [] });
};
const OTHER_GROUP_ID = 'sg-0fedcba9876543210';

const CASES: readonly Case[] = [
  {
    title: 'no security group of the private endpoint admits the node',
    prepare: withClosedCluster,
    cause: 'aws-network.cluster-security-group',
    text: [`--source-group ${NODE_GROUP_ID}`],
  },
  {
    title: 'an additional security group of the private endpoint admits the node',
    prepare: (at) => {
      withClosedCluster(at);
      const { account, cluster } = at.server;
      const rule = { IpProtocol: 'tcp', FromPort: 443, ToPort: 443 };
      account.securityGroups.set(OTHER_GROUP_ID, {
        ...account.securityGroups.get(cluster.securityGroupId)!,
        GroupId: OTHER_GROUP_ID,
        IpPermissions: [{ ...rule, UserIdGroupPairs: [{ GroupId: NODE_GROUP_ID }] }],
      });
      cluster.otherSecurityGroupIds = [OTHER_GROUP_ID];
    },
    faults: ['never-register'],
    cause: 'registration.late',
  },
  {
    title: 'an additional security group of the private endpoint cannot be read',
    prepare: (at) => {
      withClosedCluster(at);
      at.server.cluster.otherSecurityGroupIds = [OTHER_GROUP_ID];
    },
    faults: ['never-register'],
    cause: 'registration.late',
  },
  {
    title: '[003-S-51] the node role has no access entry',
    prepare: withoutEntry,
    cause: 'aws-join.role-not-mapped',
    text: ['aws eks create-access-entry --region us-west-2 --cluster-name playground'],
  },
  {
    title: '[003-S-51] the access entry is of another type',
    prepare: ({ server: { cluster } }) => {
      for (const arn of cluster.accessEntries.keys()) cluster.accessEntries.set(arn, 'STANDARD');
    },
    cause: 'aws-join.access-entry-type',
  },
  {
    title: 'the subnet has no way out, and the endpoint is public',
    prepare: withoutRoute,
    cause: 'aws-network.no-route',
    text: [subnetIdOf(0)],
  },
  {
    title: 'the security group lets nothing out',
    prepare: ({ server }) => void server.account.isolatedGroups.add(NODE_GROUP_ID),
    cause: 'aws-network.security-group-out',
    text: [NODE_GROUP_ID],
  },
  {
    title: 'the user data has no NodeConfig',
    config: () => '#!/bin/bash\necho hello',
    cause: 'aws-boot.no-node-config',
  },
  {
    title: 'the metadata service is disabled',
    data: { MetadataOptions: { HttpEndpoint: 'disabled' } },
    cause: 'aws-join.metadata-disabled',
  },
  {
    title: '[003-S-04] the instance profile has lost its role',
    after: ({ aws, server }) =>
      aws.query('iam', 'RemoveRoleFromInstanceProfile', {
        InstanceProfileName: 'nodes',
        RoleName: server.settings.nodeRoleName,
      }),
    faults: ['never-register'],
    cause: 'aws-join.profile-without-role',
  },
  {
    title: 'the instance finds no system',
    faults: ['boot-failure'],
    cause: 'L5.1',
    also: ['aws-instance.instance-check'],
  },
  {
    title: 'somebody terminates the instance',
    faults: ['never-register'],
    after: ({ aws }, id) => aws.ec2('TerminateInstances', { InstanceIds: [id] }),
    cause: 'aws-instance.terminated-by-user',
  },
  {
    title: 'the user data has another endpoint, which has no name',
    config: (text) => text.replace(/https:[^"]*/, 'https://gone.example.com'),
    cause: 'L5.5',
    text: ['DNS'],
  },
  {
    title: '[003-S-18] the controller has the endpoint of another cluster',
    env: { CLUSTER_ENDPOINT: 'https://OTHER.gr7.us-west-2.eks.amazonaws.com' },
    faults: ['never-register'],
    cause: 'aws-join.endpoint-differs',
  },
  {
    title: '[003-S-01] the controller has the name of another cluster',
    env: { CLUSTER_NAME: 'other' },
    faults: ['never-register'],
    cause: 'aws-join.cluster-name',
  },
  {
    title: 'nothing is wrong that AWS shows',
    faults: ['never-register'],
    cause: 'registration.late',
  },
  {
    title: 'no access entry, and no route either',
    prepare: (at) => {
      withoutEntry(at);
      withoutRoute(at);
    },
    cause: 'aws-join.role-not-mapped',
    also: ['aws-network.no-route'],
  },
];

describe('why on AWS, over the wire', () => {
  test.each(CASES.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    live = await LiveAws.start(one.faults);
    await one.prepare?.(live);
    const instance = await live.launch(one.config, one.data);
    await one.after?.(live, instance);
    const answer = await live.ask(instance, one.env);
    expect(answer.cause?.id, explanationText(answer, { verbose: true })).toBe(one.cause);
    expect(answer.also.map(({ id }) => id)).toEqual(expect.arrayContaining([...(one.also ?? [])]));
    const text = explanationText(answer, { verbose: true });
    for (const words of one.text ?? []) expect(text).toContain(words);
  });

  test('a dump keeps what AWS showed, and answers without AWS', async () => {
    live = await LiveAws.start();
    withoutEntry(live);
    const instance = await live.launch();
    const now = await live.ask(instance);
    const later = await live.askDump(instance);
    expect(later.cause).toMatchObject({ id: now.cause!.id, fix: now.cause!.fix });
  });

  test('what may not be read is named with its permission, and does not hide the rest', async () => {
    live = await LiveAws.start([
      'forbidden@operation=GetConsoleOutput',
      'forbidden@operation=DescribeSubnets',
      'forbidden@operation=DescribeInstanceStatus',
    ]);
    withoutEntry(live);
    const answer = await live.ask(await live.launch());
    expect(answer.cause?.id).toBe('aws-join.role-not-mapped');
    expect(answer.unread.map(({ permission }) => permission)).toEqual(
      expect.arrayContaining(['ec2:GetConsoleOutput', 'ec2:DescribeSubnets', 'ec2:DescribeInstanceStatus']),
    );
  });

  test('routes that may not be read are named, and the subnet counts without them', async () => {
    live = await LiveAws.start(['forbidden@operation=DescribeRouteTables']);
    withoutRoute(live);
    const answer = await live.ask(await live.launch());
    expect(answer.unread).toContainEqual(
      expect.objectContaining({
        what: `routes of subnet ${subnetIdOf(0)}`,
        permission: 'ec2:DescribeRouteTables',
      }),
    );
    expect([answer.cause, ...answer.also].map((each) => each?.id)).not.toContain('aws-network.no-route');
  });

  test('while AWS does not answer, nothing is blamed on the instance', async () => {
    live = await LiveAws.start(['never-register']);
    const instance = await live.launch();
    for (const operation of ['DescribeInstances', 'DescribeCluster'])
      live.server.faults.add(`lost-request@operation=${operation}`);
    const answer = await live.ask(instance);
    expect(answer.cause?.id).toBe('registration.late');
    expect(answer.unread.map(({ why }) => why)).toContain('unreachable');
  });

  test('throttled reads and a lost answer leave the other evidence', async () => {
    live = await LiveAws.start([
      'throttle@operation=DescribeRouteTables',
      'lost-response@operation=GetConsoleOutput',
    ]);
    withoutEntry(live);
    const answer = await live.ask(await live.launch());
    expect(answer.cause?.id).toBe('aws-join.role-not-mapped');
  });

  test('the console is shown without secrets', async () => {
    live = await LiveAws.start();
    const instance = await live.launch(() => '#!/bin/bash\necho hello');
    const [machine] = live.server.instances.list();
    const atMs = live.aws.world.clock.now();
    machine!.serialLines.push({
      atMs,
      text: 'nodeadm[1]: {"level":"fatal","error":"token=verysecret1234"}\n',
    });
    expect(JSON.stringify(await live.ask(instance))).not.toContain('verysecret1234');
  });
});
