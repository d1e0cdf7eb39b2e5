/** A launch whose answer was lost, and whose repetition EC2 refuses: the refusal says nothing about the first request. */
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CloudError, type LaunchStep } from '../../packages/chandler/src/cloud/index.ts';
import { type AwsCloudFixture, aClaim, awsCloud, type CloudProcess } from './aws-cloud.fixture.ts';

let fixture: AwsCloudFixture;

beforeEach(async () => {
  fixture = await awsCloud();
});

afterEach(() => fixture.close());

const claim = aClaim('n1');

async function step(process: CloudProcess): Promise<LaunchStep | CloudError> {
  try {
    return await process.cloud.create({ claim, nodeClass: fixture.nodeClass() }, neverAborted());
  } catch (error) {
    if (error instanceof CloudError) return error;
    throw error;
  }
}

/** Until the launch is settled, or for ten minutes. */
async function drive(process: CloudProcess, until: () => boolean = () => false): Promise<string | undefined> {
  for (let seconds = 0; seconds < 600 && !until(); seconds += 1) {
    const made = await step(process);
    if (!(made instanceof CloudError) && made.state === 'launched' && made.settled)
      return made.instance.providerID.split('/').at(-1);
    await fixture.clock.advance(1_000);
  }
  return undefined;
}

async function loseFirstAnswer(process: CloudProcess): Promise<string> {
  const { server } = fixture;
  server.faults.add('lost-response@count=1,operation=CreateFleet');
  await drive(process, () => server.instances.list().length > 0);
  return server.instances.list()[0]!.id;
}

const REFUSALS: readonly (readonly [what: string, refuse: () => void])[] = [
  [
    'because credentials have expired',
    () => fixture.server.faults.add('expired-token@count=3,operation=CreateFleet'),
  ],
  ['for want of rights', () => fixture.server.faults.add('forbidden@count=3,operation=CreateFleet')],
  ['since its launch template was deleted', () => fixture.server.account.launchTemplates.clear()],
];

test.each(REFUSALS)('refused %s: the claim gets the instance of the first request', async (_, refuse) => {
  const process = fixture.startProcess();
  const first = await loseFirstAnswer(process);
  refuse();
  expect(await drive(process)).toBe(first);
  expect(fixture.running().map(({ id }) => id)).toEqual([first]);
});

test.each(REFUSALS)('refused %s to a new process: the same', async (_, refuse) => {
  const first = await loseFirstAnswer(fixture.startProcess());
  // Its lists do not show it yet.
  Object.assign(fixture.server.instances.get(first)!, { visibleMs: fixture.clock.now() + 30_000 });
  refuse();
  expect(await drive(fixture.startProcess())).toBe(first);
  expect(fixture.running().map(({ id }) => id)).toEqual([first]);
});

test('refused, and the first request was never received: it is launched once, with the same token', async () => {
  const { server } = fixture;
  const process = fixture.startProcess();
  server.faults.add('lost-request@count=1,operation=CreateFleet');
  await drive(process, () => server.faults.list().length === 0);
  server.faults.add('expired-token@count=3,operation=CreateFleet');
  const id = await drive(process);
  expect(fixture.running().map((each) => each.id)).toEqual([id]);
  expect(fixture.running()[0]!.launched.ClientToken).toBe('chandler-uid-n1-0');
});
