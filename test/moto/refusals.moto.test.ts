/** What AWS refuses, asked of moto and of the simulated AWS through the same client: the same code and status, or a known difference. */
import { imageNamed, testAws } from '@chandler/cloudsim/aws/testing';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { awsCallsOf } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { NODE_ROLE, prepareAccount } from './account.ts';
import { DIFFERENT_REFUSALS } from './differences.table.ts';
import { MOTO_IMAGES } from './images.table.ts';
import { motoCalls } from './moto.fixture.ts';
import { REFUSED_CALLS, refusalOf, type Side } from './refusals.ts';

const account = await prepareAccount();
const aws = await testAws();
const world = virtualWorld({ startMs: Date.now() });
const moto: Side = {
  calls: motoCalls(account, world),
  imageId: MOTO_IMAGES[0]!.ami_id,
  nodeRole: NODE_ROLE,
};
const simulated: Side = {
  calls: awsCallsOf(aws, { longestWaitMs: 0 }),
  imageId: imageNamed(aws.server, `al2023-x86_64-standard-${aws.server.settings.kubernetesMinor}`),
  nodeRole: aws.server.settings.nodeRoleName,
};

test.each(Object.entries(REFUSED_CALLS))('%s', async (name, call) => {
  // So that our own call rates never hold back.
  await Promise.all([world, aws.world].map(({ clock }) => clock.advance(60_000)));
  const found = { moto: await refusalOf(moto, call), simulated: await refusalOf(simulated, call) };
  const same = { why: '', moto: found.simulated, simulated: found.simulated };
  const { why: _, ...known } = DIFFERENT_REFUSALS[name] ?? same;
  expect(found).toEqual(known);
});

test('every known difference names a call', () => {
  const names = Object.keys(REFUSED_CALLS);
  expect(Object.keys(DIFFERENT_REFUSALS).filter((name) => !names.includes(name))).toEqual([]);
  for (const { moto: theirs, simulated: ours } of Object.values(DIFFERENT_REFUSALS))
    expect(theirs).not.toBe(ours);
});
