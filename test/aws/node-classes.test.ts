/** EC2NodeClasses from their creation to their end, with the controllers over a simulated AWS and an API server. */
import { fleetParams, imageNamed, templateParams } from '@chandler/cloudsim/aws/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ec2NodeClassHash, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { inFull } from '../part.ts';
import { type NodeClassStage, nodeClassStage } from './node-classes.fixture.ts';

const MINUTE_MS = 60_000;
const whole = inFull('hours in which nothing changes, or a profile is used');
const HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
const VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
const PROFILE = 'karpenter.k8s.aws/instance-profile-name';

let stage: NodeClassStage;

beforeEach(async () => {
  stage = await nodeClassStage();
});

afterEach(() => stage.end());

describe('a node class', () => {
  test('gets a finalizer, its status and its hash', async () => {
    await stage.start();
    await stage.create();
    await stage.advance(20_000);
    const made = (await stage.get())!;
    expect(made.metadata.finalizers).toEqual(['karpenter.k8s.aws/termination']);
    expect(await stage.condition('Ready')).toMatchObject({ status: 'True' });
    expect(made.status?.instanceProfile).toBe(stage.profiles()[0]);
    expect(made.metadata.annotations).toMatchObject({
      [VERSION]: 'v6',
      [HASH]: ec2NodeClassHash(made, { caBundle: 'Y2E=' }),
    });
  });

  test.runIf(whole)('is not written again while nothing changes', async () => {
    await stage.start();
    await stage.create();
    await stage.advance(20_000);
    const { resourceVersion } = (await stage.get())!.metadata;
    await stage.advance(90 * MINUTE_MS);
    expect((await stage.get())!.metadata.resourceVersion).toBe(resourceVersion);
  });

  test('reports what is wrong, and recovers within a minute of the cure', async () => {
    await stage.start();
    await stage.create({ subnetSelectorTerms: [{ tags: { tier: 'nodes' } }] });
    await stage.advance(20_000);
    expect(await stage.condition('SubnetsReady')).toMatchObject({
      status: 'False',
      reason: 'SubnetsNotFound',
    });
    expect(await stage.condition('Ready')).toMatchObject({ status: 'False' });
    const { account } = stage.aws.server;
    for (const subnet of [...account.subnets.values()])
      account.addSubnet({
        ...(subnet.shown() as Parameters<typeof account.addSubnet>[0]),
        Tags: [{ Key: 'tier', Value: 'nodes' }],
      });
    await stage.advance(MINUTE_MS + 5_000);
    expect(await stage.condition('Ready')).toMatchObject({ status: 'True' });
  });

  test('is looked at once a minute while EC2 does not know the profile that it names', async () => {
    await stage.start();
    await stage.create({ instanceProfile: 'nodes' });
    await stage.advance(10 * MINUTE_MS);
    expect(await stage.condition('ValidationSucceeded')).toMatchObject({ reason: 'InstanceProfileNotFound' });
    const runs = stage.aws.server.calls().filter(({ action }) => action === 'RunInstances').length;
    // One in each of three subnets.
    expect(runs).toBeGreaterThan(3 * 8);
    expect(runs).toBeLessThan(3 * 14);
  });

  test('an edit is followed, and fields that are gone disappear', async () => {
    await stage.start();
    await stage.create();
    await stage.advance(20_000);
    await stage.edit({ spec: { subnetSelectorTerms: [{ id: 'subnet-0dead' }] } });
    await stage.advance(5_000);
    expect((await stage.get())!.status?.subnets).toBeUndefined();
    expect((await stage.get())!.status?.securityGroups).toHaveLength(1);
  });

  test('is Ready in the end, throttled, with lost answers and restarted every few seconds', async () => {
    stage.aws.server.faults.add('throttle@operation=*,rate=0.2');
    stage.aws.server.faults.add('lost-response@operation=*,rate=0.2');
    await stage.create();
    for (let restart = 0; restart < 8; restart += 1) {
      await stage.start();
      await stage.advance(3_000);
    }
    await stage.advance(5 * MINUTE_MS);
    stage.aws.server.faults.clear();
    await stage.advance(2 * MINUTE_MS);
    expect(await stage.condition('Ready')).toMatchObject({ status: 'True' });
    expect(stage.profiles()).toEqual([(await stage.get())!.status?.instanceProfile]);
  });

  test('a status that could not be written is written later, without another profile', async () => {
    stage.refuse = ({ method, path }) =>
      method === 'PATCH' && path.includes('/status') ? new Error('ECONNRESET') : undefined;
    await stage.start();
    await stage.create();
    await stage.advance(20_000);
    expect(stage.profiles()).toHaveLength(1);
    stage.refuse = () => undefined;
    await stage.start();
    await stage.advance(MINUTE_MS);
    expect((await stage.get())!.status?.instanceProfile).toBe(stage.profiles()[0]);
    expect(stage.profiles()).toHaveLength(1);
  });
});

describe('a node class that is deleted', () => {
  test('waits for its claims, names them, and leaves nothing behind', async () => {
    await stage.start();
    await stage.create();
    await stage.createClaim('a');
    await stage.advance(20_000);
    await stage.delete();
    await stage.advance(5_000);
    expect(await stage.condition('Ready')).toMatchObject({ status: 'False', reason: 'NodeClassTerminating' });
    expect(await stage.events('WaitingOnNodeClaimTermination')).toEqual([
      'Waiting on NodeClaim termination for a',
    ]);
    expect(stage.profiles()).toHaveLength(1);
    await stage.deleteClaim('a');
    await stage.advance(5_000);
    expect(await stage.get()).toBeUndefined();
    expect(stage.profiles()).toEqual([]);
    expect(stage.removedTemplates).toEqual(['default']);
  });

  test('waits for a claim that only the server knows', async () => {
    await stage.start();
    await stage.create();
    await stage.advance(20_000);
    stage.refuse = ({ path }) => (path.includes('watch=true') ? new Error('ECONNRESET') : undefined);
    await stage.createClaim('late');
    await stage.delete();
    await stage.advance(5_000);
    stage.refuse = () => undefined;
    await stage.advance(MINUTE_MS);
    expect(await stage.get()).toBeDefined();
    expect(stage.profiles()).toHaveLength(1);
  });

  test('waits for a claim that is created while its launch templates are removed', async () => {
    await stage.start();
    await stage.create();
    await stage.advance(20_000);
    stage.whileRemoving = async () => {
      stage.whileRemoving = async () => undefined;
      await stage.admin.create(NODE_CLAIMS, stage.aClaim('late'));
    };
    await stage.delete();
    await stage.advance(MINUTE_MS);
    expect(await stage.get()).toBeDefined();
    await stage.deleteClaim('late');
    await stage.advance(MINUTE_MS);
    expect(await stage.get()).toBeUndefined();
  });

  test('is gone in the end when IAM fails, and the controller is restarted in between', async () => {
    await stage.start();
    await stage.create();
    await stage.advance(20_000);
    stage.aws.server.faults.add('lost-response@operation=iam,rate=0.5');
    stage.aws.server.faults.add('throttle@operation=iam,rate=0.3');
    await stage.delete();
    for (let restart = 0; restart < 5; restart += 1) {
      await stage.start();
      await stage.advance(3_000);
    }
    await stage.advance(5 * MINUTE_MS);
    stage.aws.server.faults.clear();
    await stage.advance(3 * MINUTE_MS);
    expect(await stage.get()).toBeUndefined();
    expect(stage.profiles()).toEqual([]);
  });

  test('asks IAM nothing in an isolated VPC', async () => {
    await stage.start((scene) => {
      scene.isolatedVpc = true;
    });
    await stage.create({ instanceProfile: 'nodes' });
    await stage.advance(20_000);
    await stage.delete();
    await stage.advance(60 * MINUTE_MS);
    expect(await stage.get()).toBeUndefined();
    expect(stage.aws.server.calls().filter(({ service }) => service === 'iam')).toEqual([]);
  });
});

describe('the hash', () => {
  test('a claim of another hash version gets the new hash, unless it had drifted', async () => {
    await stage.create();
    const made = (await stage.get())!;
    const v5 = ec2NodeClassHash(made, { caBundle: 'Y2E=', version: 'v5' });
    const v6 = ec2NodeClassHash(made, { caBundle: 'Y2E=' });
    await stage.edit({ metadata: { annotations: { [HASH]: v5, [VERSION]: 'v5' } } });
    await stage.createClaim('same', { [HASH]: v5, [VERSION]: 'v5' });
    await stage.createClaim('drifted', { [HASH]: '1', [VERSION]: 'v5' });
    await stage.start();
    await stage.advance(2_000);
    expect((await stage.claim('same')).metadata.annotations).toEqual({ [HASH]: v6, [VERSION]: 'v6' });
    expect((await stage.claim('drifted')).metadata.annotations).toEqual({ [HASH]: '1', [VERSION]: 'v6' });
    expect((await stage.get())!.metadata.annotations).toMatchObject({ [HASH]: v6, [VERSION]: 'v6' });
  });
});

describe('unused instance profiles', () => {
  /** A role that the class had before. */
  async function afterRoleChange(): Promise<string> {
    await stage.start();
    // One image: hours go by here, and long lists take their time.
    const id = imageNamed(stage.aws.server, 'al2023-x86_64-standard');
    await stage.create({ amiFamily: 'AL2023', amiSelectorTerms: [{ id }] });
    await stage.advance(20_000);
    const old = (await stage.get())!.status!.instanceProfile!;
    const { account, settings } = stage.aws.server;
    account.roles.set('other', { ...account.roles.get(settings.nodeRoleName)!, name: 'other' });
    await stage.edit({ spec: { role: 'other' } });
    await stage.advance(20_000);
    expect((await stage.get())!.status!.instanceProfile).not.toBe(old);
    return old;
  }

  test('are deleted after an hour', async () => {
    const old = await afterRoleChange();
    await stage.advance(45 * MINUTE_MS);
    expect(stage.profiles()).toContain(old);
    await stage.advance(60 * MINUTE_MS);
    expect(stage.profiles()).toEqual([(await stage.get())!.status!.instanceProfile]);
  });

  test.runIf(whole)('stay while a claim was launched with them', async () => {
    const old = await afterRoleChange();
    await stage.createClaim('a', { [PROFILE]: old });
    await stage.advance(95 * MINUTE_MS);
    expect(stage.profiles()).toContain(old);
    await stage.deleteClaim('a');
    await stage.advance(95 * MINUTE_MS);
    expect(stage.profiles()).not.toContain(old);
  });

  test.runIf(whole)('stay while a launch template names them', async () => {
    const old = await afterRoleChange();
    stage.templateProfiles = new Set([old]);
    await stage.advance(95 * MINUTE_MS);
    expect(stage.profiles()).toContain(old);
  });

  test.runIf(whole)('stay while an instance runs with them that no claim knows', async () => {
    const old = await afterRoleChange();
    const { server } = stage.aws;
    await stage.aws.ec2(
      'CreateLaunchTemplate',
      templateParams(server, { IamInstanceProfile: { Name: old } }, 'karpenter.k8s.aws/old'),
    );
    const fleet = await stage.aws.ec2(
      'CreateFleet',
      fleetParams(server, { template: 'karpenter.k8s.aws/old' }),
    );
    const id = /<item>(i-[0-9a-f]+)<\/item>/.exec(fleet.text)![1]!;
    await stage.advance(95 * MINUTE_MS);
    expect(stage.profiles()).toContain(old);
    await stage.aws.ec2('TerminateInstances', { InstanceIds: [id] });
    await stage.advance(95 * MINUTE_MS);
    expect(stage.profiles()).not.toContain(old);
  });

  function add(name: string, path: string): void {
    stage.aws.server.account.instanceProfiles.set(name, {
      name,
      path,
      arn: `arn:aws:iam::123456789012:instance-profile${path}${name}`,
      id: name,
      createdMs: 0,
      roleName: stage.aws.server.settings.nodeRoleName,
      usableMs: 0,
      tags: [],
    });
  }

  test('stay when a launch template names them while others are deleted', async () => {
    for (const name of ['first', 'second']) add(name, '/karpenter/us-west-2/playground/gone/');
    Object.defineProperty(stage, 'templateProfiles', {
      get: () => new Set(stage.profiles().includes('first') ? [] : ['second']),
    });
    await stage.start();
    await stage.advance(100 * MINUTE_MS);
    expect(stage.profiles()).toEqual(['second']);
  });

  test('of a class that is gone are deleted, those of another cluster are not', async () => {
    add('mine', '/karpenter/us-west-2/playground/gone/');
    add('theirs', '/karpenter/us-west-2/another/gone/');
    add('people', '/');
    await stage.start();
    await stage.advance(100 * MINUTE_MS);
    expect(stage.profiles()).toEqual(['people', 'theirs']);
  });
});

test('a new image is used within half an hour after the one before was deprecated', async () => {
  await stage.start();
  await stage.create();
  await stage.advance(20_000);
  const before = (await stage.get())!.status!.amis!.map(({ id }) => id);
  const { server } = stage.aws;
  server.releaseImages();
  for (const id of before)
    server.account.images.get(id)!.DeprecationTime = new Date(stage.world.clock.now()).toISOString();
  await stage.advance(37 * MINUTE_MS);
  const after = (await stage.get())!.status!.amis!;
  expect(after.map(({ id }) => id).filter((id) => before.includes(id))).toEqual([]);
  expect(after.map(({ deprecated }) => deprecated)).not.toContain(true);
});
