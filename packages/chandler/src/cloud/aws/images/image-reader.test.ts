/** The images of node classes, read from a simulated AWS through the official SDK. */
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EC2NodeClassSpec } from '../../../api/index.ts';
import { aNodeClass } from '../aws.fixture.ts';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import { type FoundImages, ImageReader } from './image-reader.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let aws: TestAws;
let reader: ImageReader;

beforeEach(async () => {
  aws = await testAws();
  const { ec2, ssm } = awsCallsOf(aws);
  reader = new ImageReader({ clock: aws.world.clock, ec2, ssm, refreshIntervalMs: () => 60_000 });
});

afterEach(() => aws.close());

async function find(spec: Partial<EC2NodeClassSpec> = {}): Promise<FoundImages> {
  const found = await reader.find(aNodeClass(spec).spec, aws.server.settings.kubernetesMinor, neverAborted());
  if ('problem' in found) throw new Error(found.problem.message);
  return found;
}

const idsOf = ({ images }: FoundImages) => images.map(({ id }) => id);
const callsOf = (action: string) => aws.server.calls().filter((call) => call.action === action).length;

describe('an alias', () => {
  test('leads to the newest images, once a day and once a minute', async () => {
    const before = await find();
    expect(before.images.map(({ deprecated }) => deprecated)).not.toContain(true);
    const parameters = callsOf('GetParameter');
    await find();
    expect([callsOf('GetParameter'), callsOf('DescribeImages')]).toEqual([parameters, 1]);
    aws.server.releaseImages();
    await aws.world.clock.advance(HOUR_MS);
    expect(idsOf(await find())).toEqual(idsOf(before));
    expect([callsOf('GetParameter'), callsOf('DescribeImages')]).toEqual([parameters, 2]);
    await aws.world.clock.advance(DAY_MS);
    expect(idsOf(await find())).not.toEqual(idsOf(before));
  });

  test('of a version that does not exist is a problem that names the parameters', async () => {
    const spec = aNodeClass({ amiSelectorTerms: [{ alias: 'al2023@v19990101' }] }).spec;
    expect(await reader.find(spec, '1.33', neverAborted())).toMatchObject({
      problem: { reason: 'AMINotFound', message: expect.stringContaining('v19990101') },
    });
  });
});

describe('outdated parameters', () => {
  test('are dropped when their image is deprecated, so that the new one is found', async () => {
    const before = await find();
    aws.server.releaseImages();
    expect(await reader.dropOutdated(neverAborted())).toEqual([]);
    for (const id of idsOf(before))
      aws.server.account.images.get(id)!.DeprecationTime = new Date(aws.world.clock.now()).toISOString();
    expect(await reader.dropOutdated(neverAborted())).not.toEqual([]);
    const after = await find();
    expect(idsOf(after)).not.toEqual(idsOf(before));
    expect(await reader.dropOutdated(neverAborted())).toEqual([]);
  });

  test('are dropped when their image is gone', async () => {
    const before = await find();
    for (const id of idsOf(before)) aws.server.account.images.delete(id);
    aws.server.releaseImages();
    await reader.dropOutdated(neverAborted());
    expect((await find()).images).not.toEqual([]);
  });

  test('of a pinned version stay: their value never changes', async () => {
    const name = [...aws.server.account.parameters.keys()].find((each) =>
      each.includes('al2023-x86_64-standard'),
    );
    const version = name!.match(/-(v\d+)\/image_id$/)![1];
    const spec = { amiSelectorTerms: [{ alias: `al2023@${version}` }] };
    for (const id of idsOf(await find(spec)))
      aws.server.account.images.get(id)!.DeprecationTime = '2020-01-01T00:00:00Z';
    expect(await reader.dropOutdated(neverAborted())).toEqual([]);
    await aws.world.clock.advance(HOUR_MS);
    expect((await find(spec)).images.map(({ deprecated }) => deprecated)).not.toContain(false);
  });

  test('nothing is asked before a parameter was read', async () => {
    await reader.dropOutdated(neverAborted());
    expect(aws.server.calls()).toEqual([]);
  });
});

describe("a user's own parameter", () => {
  const put = (name: string, value: string) =>
    aws.server.account.parameters.set(name, { name, value, version: 1, modifiedMs: 0 });
  const spec = { amiFamily: 'Custom' as const, amiSelectorTerms: [{ ssmParameter: '/team/image' }] };

  test('is read again after five minutes', async () => {
    const [first, second] = [...aws.server.account.images.keys()];
    put('/team/image', first!);
    expect(idsOf(await find(spec))).toEqual([first]);
    put('/team/image', second!);
    await aws.world.clock.advance(299_000);
    expect(idsOf(await find(spec))).toEqual([first]);
    await aws.world.clock.advance(1_000);
    expect(idsOf(await find(spec))).toEqual([second]);
  });

  test('is read again after five minutes also where an alias has read it for a day', async () => {
    await find();
    const minor = aws.server.settings.kubernetesMinor;
    const name = `/aws/service/eks/optimized-ami/${minor}/amazon-linux-2023/x86_64/standard/recommended/image_id`;
    expect(aws.server.account.parameters.has(name)).toBe(true);
    const other = [...aws.server.account.images.keys()].at(-1)!;
    put(name, other);
    await aws.world.clock.advance(300_000);
    expect(idsOf(await find({ ...spec, amiSelectorTerms: [{ ssmParameter: name }] }))).toEqual([other]);
  });

  test.each([
    ['does not exist', () => undefined, 'does not exist'],
    ['holds no image', () => put('/team/image', 'hello'), 'is not the id of an image'],
  ])('that %s is said, and leads to no image', async (_, given, text) => {
    given();
    const found = await find(spec);
    expect(found.images).toEqual([]);
    expect(found.skipped.map(({ message }) => message)).toEqual([expect.stringContaining(text)]);
  });

  test('that may not be read is an error, not a missing image', async () => {
    aws.server.faults.add('forbidden@operation=GetParameter');
    await expect(find(spec)).rejects.toThrow('ssm:GetParameter');
  });
});
