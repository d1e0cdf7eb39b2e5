/** What a launch leaves behind when it ends without an instance, or its instance without a claim. */

import type { AwsServerOptions } from '@chandler/cloudsim/aws';
import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import {
  type AwsCloudFixture,
  awsCloud,
  freshClaims,
  launchDespiteErrors,
  removeClaim,
  stepOnce,
} from './aws-cloud.fixture.ts';

const HOUR_MS = 3_600_000;

let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(server: Partial<AwsServerOptions> = {}): Promise<AwsCloudFixture> {
  open = await awsCloud({ server: { catalogue: { types: ['m5.large', 'm5.xlarge'] }, ...server } });
  return open;
}

/** Their request is sent, and EC2 does not answer. */
async function sendInVain(fixture: AwsCloudFixture, all: readonly Stored<NodeClaim>[]): Promise<void> {
  fixture.server.faults.add('500@operation=ec2:CreateFleet');
  for (let steps = 0; steps < 4; steps += 1) {
    await stepOnce(fixture.cloud, all, fixture.nodeClass());
    await fixture.clock.advance(1_000);
  }
  expect(fixture.callsOf('CreateFleet')).not.toEqual([]);
}

/** As the leader does from time to time. */
async function collectTemplates({ cloud, clock }: AwsCloudFixture): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    await cloud.collectTemplates(neverAborted());
    await clock.advance(120_000);
  }
}

test('a launch that is given up without an answer keeps no launch template and no instance profile', async () => {
  const fixture = await start();
  const all = freshClaims(fixture, 'a');
  await sendInVain(fixture, all);
  await removeClaim(fixture, fixture.cloud, all[0]!);
  await collectTemplates(fixture);
  expect(fixture.templates()).toEqual([]);
  expect([...fixture.cloud.templates.profiles]).toEqual([]);
});

test('a launch that nobody asks about any more keeps none either', async () => {
  const fixture = await start();
  await sendInVain(fixture, freshClaims(fixture, 'a'));
  await fixture.clock.advance(15 * 60_000);
  await collectTemplates(fixture);
  expect(fixture.templates()).toEqual([]);
});

test('a claim that vanished while it waited for others does not keep those from their launch', async () => {
  const fixture = await start();
  await stepOnce(fixture.cloud, freshClaims(fixture, 'vanished'), fixture.nodeClass());
  fixture.records.refuse = ({ metadata }) =>
    metadata.name === 'vanished' ? new Error('the claim does not exist') : undefined;
  await fixture.clock.advance(HOUR_MS + 1_000);
  const { ids } = await launchDespiteErrors(
    fixture,
    fixture.cloud,
    freshClaims(fixture, 'b'),
    fixture.nodeClass(),
  );
  expect([...ids.keys()]).toEqual(['b']);
  expect(fixture.running()).toHaveLength(1);
});

test.each([
  { consistencyMs: 0, is: 'shows', says: 'terminated an instance that no claim waits for', left: 1 },
  {
    consistencyMs: 20_000,
    is: 'does not show yet',
    says: 'failed to terminate an instance that no claim waits for',
    left: 2,
  },
])('an instance without a claim that EC2 $is: $says', async ({ consistencyMs, says, left }) => {
  const fixture = await start({ latencies: { consistencyMs } });
  const [a, b] = freshClaims(fixture, 'a', 'b') as [Stored<NodeClaim>, Stored<NodeClaim>];
  await sendInVain(fixture, [a, b]);
  await removeClaim(fixture, fixture.cloud, a);
  fixture.records.forget(a.metadata.uid);
  fixture.server.faults.clear();
  await launchDespiteErrors(fixture, fixture.cloud, [b], fixture.nodeClass());
  const messages = fixture.world.lines.map(({ message }) => message);
  expect(messages.filter((message) => message.includes('no claim waits for'))).toEqual([says]);
  expect(fixture.running()).toHaveLength(left);
});
