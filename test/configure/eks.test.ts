/** `chandler configure eks` as a user runs it, against the simulated account, with the official SDKs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { InstanceProfiles } from '../../packages/chandler/src/cloud/aws/index.ts';
import { configurePolicy } from '../../packages/chandler/src/cloud/aws/testing.ts';
import {
  aClaim,
  FixtureRecords,
  processOf,
  readyClass,
  removeClaim,
  settleOne,
} from '../aws/aws-cloud.fixture.ts';
import { PLACE } from '../aws/controller-policy.ts';
import { everyNth } from '../part.ts';
import { anEks, type TestEks } from './eks.fixture.ts';

const APPLY = ['--apply', '--yes'];
const UNDO = ['--undo', '--yes'];
const ACCOUNT = '111122223333';
const options = { signal: neverAborted() };

let cloud: TestEks | undefined;
afterEach(async () => {
  await cloud?.close();
  cloud = undefined;
});

describe('chandler configure eks', () => {
  test('the plan names what is missing and why, and changes nothing', async () => {
    cloud = await anEks();
    const before = cloud.made();
    const { code, out, err } = await cloud.eks([]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`EKS cluster playground (arn:aws:eks:us-west-2:${ACCOUNT}:cluster/playground)`);
    expect(out).toContain('+ controller role chandler-playground: missing, will be created');
    expect(out).toContain(
      '    needed so that pods with the ServiceAccount kube-system/chandler have the role chandler-playground',
    );
    expect(out).toContain('Plan: 30 to create.');
    expect(cloud.made()).toEqual(before);
    expect(cloud.journal()).toBeUndefined();
  });

  test.each(everyNth('identities', ['pod-identity', 'irsa'] as const, 2))(
    'with %s, from nothing to a controller that launches an instance, and back to nothing',
    async (identity) => {
      // Whoever runs configure has the policy of docs/iam.md, and nothing else.
      cloud = await anEks({ policies: [configurePolicy(PLACE)] });
      const { aws, world, server } = cloud;
      const before = cloud.made();
      const folder = join(cloud.folder, 'out');
      const apply = [...APPLY, '--identity', identity];
      const applied = await cloud.eks([...apply, '-o', 'json', '--write', folder]);
      expect(JSON.parse(applied.out)).toMatchObject({ changes: 30, blocked: 0 });
      expect(applied.err).toContain('created access entry KarpenterNodeRole-playground\n');
      expect(cloud.journal()?.mode).toBe(0o600);
      const { queues, entries, providers, associations, rules, tags } = cloud.made();
      expect({ queues, entries, tags }).toEqual({
        queues: ['chandler-playground'],
        entries: [`arn:aws:iam::${ACCOUNT}:role/KarpenterNodeRole-playground`],
        tags: 4,
      });
      const irsa = identity === 'irsa';
      expect([providers.length, associations.length, rules.length]).toEqual([irsa ? 1 : 0, irsa ? 0 : 1, 5]);

      const made = server.totalCalls;
      const again = await cloud.eks(apply);
      expect(again.out).toContain('Everything is there. Nothing to change.');
      const actions = server.calls().map(({ action }) => action);
      expect(actions.slice(made).filter((action) => !/^(Get|List|Describe)/.test(action))).toEqual([]);

      const values = parse(readFileSync(join(folder, 'values.yaml'), 'utf8'));
      const roleArn = `arn:aws:iam::${ACCOUNT}:role/chandler-playground`;
      expect(values.identity?.awsRoleArn).toBe(irsa ? roleArn : undefined);
      const calls = await cloud.asPod(identity, roleArn);
      const { clusterName, awsRegion: region, interruptionQueue: QueueName } = values.settings;
      const subnets = await calls.ec2.describeSubnets(
        { Filters: [{ Name: 'tag:karpenter.sh/discovery', Values: [clusterName] }] },
        options,
      );
      expect(subnets.Subnets).toHaveLength(3);
      const profiles = new InstanceProfiles({
        world,
        iam: calls.iam,
        scope: () => ({ region, clusterName }),
      });
      const role = 'KarpenterNodeRole-playground';
      const profile = await profiles.ensure(
        { owner: { name: 'default', uid: 'c0ffee' }, role },
        options.signal,
      );
      const instanceProfile = 'name' in profile ? profile.name : '';
      await world.clock.advance(60_000);
      const { cloud: controller } = processOf(aws, calls, new FixtureRecords());
      const claim = aClaim('general-1');
      const nodeClass = readyClass(aws, { role }, { instanceProfile });
      await settleOne({ clock: world.clock }, controller, claim, nodeClass);
      const [instance] = [...server.account.instances.values()];
      expect(instance).toMatchObject({ state: 'running' });

      server.events.spotInterruption(instance!);
      await world.clock.advance(5_000);
      const { QueueUrl } = await calls.sqs.getQueueUrl({ QueueName }, options);
      const received = await calls.sqs.receiveMessage({ QueueUrl }, options);
      expect(received.Messages?.map(({ Body }) => Body).join()).toContain(instance!.id);

      await removeClaim({ clock: world.clock }, controller, claim);
      expect(instance!.state).toBe('terminated');
      for (const forbidden of [
        calls.ec2.createTags({ Resources: ['subnet-0a110c00000000001'], Tags: [{ Key: 'a' }] }, options),
        calls.iam.createRole({ RoleName: 'a', AssumeRolePolicyDocument: '{}' }, options),
      ])
        await expect(forbidden).rejects.toThrow('not authorized');

      const inUse = cloud.made();
      const refused = await cloud.eks(UNDO);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain(
        `nothing was removed: the node role KarpenterNodeRole-playground is in use: instance profiles have the role (${instanceProfile})`,
      );
      expect(cloud.made()).toEqual(inUse);
      const journal = JSON.parse(cloud.journal()!.text);
      expect(journal.entries).toHaveLength(30);
      for (const kind of ['access entry', 'attached policy']) {
        const entries = journal.entries.filter((entry: { kind: string }) => entry.kind === kind);
        expect(entries.length).toBeGreaterThan(0);
        writeFileSync(join(cloud.folder, 'journal.json'), JSON.stringify({ ...journal, entries }));
        expect((await cloud.eks(UNDO)).err).toContain(`nothing was removed: the ${kind} `);
        expect(cloud.made()).toEqual(inUse);
      }
      writeFileSync(join(cloud.folder, 'journal.json'), JSON.stringify(journal));
      server.account.instanceProfiles.clear();
      const undone = await cloud.eks(UNDO);
      expect(undone.code).toBe(0);
      // Other roles may trust it by now.
      expect(cloud.made()).toEqual({ ...before, providers });
      expect(undone.err.match(/^kept OIDC provider /gm)?.length ?? 0).toBe(providers.length);
      expect(cloud.journal()).toBeUndefined();
    },
  );

  test('what somebody changed in its resources is corrected by apply, and left by undo', async () => {
    cloud = await anEks();
    await cloud.eks(APPLY);
    const { account, cluster } = cloud.server;
    account.roles.get('chandler-playground')!.tags = [];
    account.queues.get('chandler-playground')!.policy = undefined;
    cluster.accessEntries.set(`arn:aws:iam::${ACCOUNT}:role/KarpenterNodeRole-playground`, 'STANDARD');
    cluster.podIdentityAssociations = cluster.podIdentityAssociations.map((each) => ({
      ...each,
      roleArn: `arn:aws:iam::${ACCOUNT}:role/KarpenterNodeRole-playground`,
    }));
    const applied = await cloud.eks(APPLY);
    expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('Plan: 4 to update.') });
    expect(await cloud.eks([])).toMatchObject({ out: expect.stringContaining('Nothing to change') });

    const rule = account.eventRules.get('chandler-playground-Rebalance')!;
    account.eventRules.set(rule.name, { ...rule, state: 'DISABLED' });
    const role = account.roles.get('chandler-playground')!;
    account.roles.set(role.name, { ...role, id: 'AROASOMEBODYELSE' });
    const { code, err } = await cloud.eks(UNDO);
    expect(code).toBe(1);
    expect(err).toContain(
      'left event rule chandler-playground-Rebalance: it was changed since it was created',
    );
    expect(err).toContain(
      'left role policy chandler-playground/NodeLifecycle: somebody else deleted and created the controller role chandler-playground',
    );
    expect(account.roles.has('chandler-playground')).toBe(true);
    expect(cloud.made().queues).toEqual([]);
  });

  test('its own role follows the options, and an OIDC provider of somebody else is used and stays', async () => {
    cloud = await anEks();
    const { account } = cloud.server;
    const arn = `arn:aws:iam::${ACCOUNT}:oidc-provider/oidc.eks.us-west-2.amazonaws.com/id/0123456789ABCDEF`;
    account.oidcProviders.set(arn, {
      url: cloud.server.cluster.oidcIssuer,
      clientIds: ['other', 'sts.amazonaws.com'],
      thumbprints: [],
      createdMs: cloud.world.clock.now(),
      tags: [],
    });
    const before = cloud.made();
    const folder = join(cloud.folder, 'out');
    const { out } = await cloud.eks([...APPLY, '--identity', 'irsa', '--write', folder]);
    expect(out).toMatch(/ {2}OIDC provider .*: exists/);
    expect(readFileSync(join(folder, 'main.tf'), 'utf8')).not.toContain('aws_iam_openid_connect_provider');
    const moved = await cloud.eks([...APPLY, '--identity', 'irsa', '--namespace', 'karpenter']);
    expect(moved).toMatchObject({ code: 0, out: expect.stringContaining('Plan: 1 to update.') });
    expect(moved.err).toContain('updated controller role chandler-playground');
    expect(await cloud.eks(UNDO)).toMatchObject({ code: 0 });
    expect(cloud.made()).toEqual(before);
  });
});
