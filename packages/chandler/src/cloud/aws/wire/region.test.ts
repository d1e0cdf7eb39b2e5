import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fleetParams, type TestAws, templateParams, testAws } from '@chandler/cloudsim/aws/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hardcoded, type Sourced } from '../../../settings/index.ts';
import { InstanceMetadata } from './instance-metadata.ts';
import { RegionSource } from './region.ts';
import { partitionOf, regionProblem } from './region-names.ts';

const signal = new AbortController().signal;
let aws: TestAws;
let metadata: InstanceMetadata;

beforeEach(async () => {
  aws = await testAws({ latencies: { consistencyMs: 0 } });
  metadata = new InstanceMetadata({ world: aws.world, fetch: aws.server.fetch });
});

afterEach(() => aws.close());

async function onInstance(hops: number): Promise<void> {
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
  await aws.ec2('CreateFleet', fleetParams(aws.server));
  aws.server.serveMetadata(aws.server.instances.list()[0]!.id, hops);
}

test('the option wins, and nobody is asked', async () => {
  const region: Sourced<string> = { value: 'eu-west-1', source: 'env', path: 'AWS_REGION' };
  expect(await new RegionSource({ region, metadata }).get(signal)).toBe(region);
});

test('without the option, the instance says it', async () => {
  await onInstance(1);
  const source = new RegionSource({ region: hardcoded(''), metadata });
  expect(await source.get(signal)).toEqual({
    value: 'us-west-2',
    source: 'cluster',
    path: 'instance metadata placement/region',
  });
  await aws.world.clock.advance(24 * 3_600_000);
  await expect(metadata.get('placement/region', signal), 'with a new token').resolves.toBe('us-west-2');
});

describe('the region of a profile', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chandler-region-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function source(profile: string, files: Readonly<Record<'config' | 'credentials', string>>): RegionSource {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const paths = { configFile: join(folder, 'config'), credentialsFile: join(folder, 'credentials') };
    return new RegionSource({ region: hardcoded(''), profile: { profile, ...paths }, metadata });
  }

  const CONFIG =
    '[default]\nregion = eu-west-1\n[profile shop]\nregion=eu-central-1\n[profile bare]\noutput = json\n';

  test.each([
    ['', 'eu-west-1', 'default'],
    ['shop', 'eu-central-1', 'shop'],
  ])('is used without the option: profile "%s"', async (profile, value, name) => {
    const found = await source(profile, { config: CONFIG, credentials: '' }).get(signal);
    const path = `region of the profile ${name} in ${join(folder, 'config')}`;
    expect(found).toEqual({ value, source: 'settings', path });
  });

  test('in the file of credentials counts first', async () => {
    const credentials = '[shop]\naws_access_key_id = AKIAEXAMPLE\nregion = us-east-2\n';
    expect(await source('shop', { config: CONFIG, credentials }).get(signal)).toMatchObject({
      value: 'us-east-2',
      path: `region of the profile shop in ${join(folder, 'credentials')}`,
    });
  });

  test('that has none leaves the question to the instance, and the error says so', async () => {
    await onInstance(1);
    expect(await source('bare', { config: CONFIG, credentials: '' }).get(signal)).toMatchObject({
      value: 'us-west-2',
      source: 'cluster',
    });
    await aws.close();
    aws = await testAws({ latencies: { consistencyMs: 0 } });
    metadata = new InstanceMetadata({ world: aws.world, fetch: aws.server.fetch });
    await onInstance(2);
    await expect(source('bare', { config: CONFIG, credentials: '' }).get(signal)).rejects.toThrow(
      `the profile bare in ${join(folder, 'config')} has no region`,
    );
  });

  test('that does not exist, or whose file cannot be read, is named as such', async () => {
    await onInstance(2);
    await expect(source('typo', { config: CONFIG, credentials: '' }).get(signal)).rejects.toThrow(
      `the profile typo in ${join(folder, 'config')} does not exist`,
    );
    const profile = { profile: '', configFile: join(folder, 'config', 'below'), credentialsFile: '/nowhere' };
    const below = new RegionSource({ region: hardcoded(''), profile, metadata });
    await expect(below.get(signal)).rejects.toThrow('has no region, since there is no such file');
  });

  test('that is none is named, and the instance is not asked', async () => {
    await onInstance(1);
    const config = '[default]\nregion = us-west-2a\n';
    await expect(source('', { config, credentials: '' }).get(signal)).rejects.toThrow(
      /has the region 'us-west-2a', which is not a region such as us-west-2/,
    );
  });
});

test('the error of a pod that cannot reach the metadata service says to set the region', async () => {
  await onInstance(2);
  const source = new RegionSource({ region: hardcoded(''), metadata });
  await expect(source.get(signal)).rejects.toThrow(/set AWS_REGION \(--aws-region\)/);
  const without = new RegionSource({ region: hardcoded(''), metadata: undefined });
  await expect(without.get(signal)).rejects.toThrow(/AWS_EC2_METADATA_DISABLED is true; set AWS_REGION/);
});

test('a metadata service that does not answer is not asked again at once', async () => {
  let asked = 0;
  const cut = async () => {
    asked += 1;
    throw new TypeError('fetch failed', { cause: new Error('connect ETIMEDOUT') });
  };
  const none = new InstanceMetadata({ world: aws.world, fetch: cut });
  const source = new RegionSource({ region: hardcoded(''), metadata: none });
  for (let call = 0; call < 5; call++) await expect(source.get(signal)).rejects.toThrow(/ETIMEDOUT/);
  expect(asked).toBe(1);
  await aws.world.clock.advance(10_000);
  await expect(source.get(signal)).rejects.toThrow(/ETIMEDOUT/);
  expect(asked).toBe(2);
});

test('what is no region is not taken for one', async () => {
  const odd = new InstanceMetadata({ world: aws.world, fetch: async () => new Response('captive portal') });
  await expect(new RegionSource({ region: hardcoded(''), metadata: odd }).get(signal)).rejects.toThrow(
    /says 'captive portal', which is not a region/,
  );
});

test.each([
  ['us-west-2', 'aws'],
  ['cn-north-1', 'aws-cn'],
  ['us-gov-west-1', 'aws-us-gov'],
  ['us-iso-east-1', 'aws-iso'],
  ['us-isob-east-1', 'aws-iso-b'],
  ['eusc-de-east-1', 'aws-eusc'],
])('%s is a region of the partition %s', (region, partition) => {
  expect(regionProblem(region)).toBeUndefined();
  expect(partitionOf(region)).toBe(partition);
});
