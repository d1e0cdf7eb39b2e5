import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { hardcoded } from '../../../settings/index.ts';
import type { FindImages } from '../node-class/images.ts';
import { imageFinder } from './find-images.ts';
import { distroOf, imageDrift, selectImage } from './image-selection.ts';
import { imagesStatus, type NodeImage } from './images-status.ts';
import { maintenanceWindow, WINDOW_END, WINDOW_START } from './maintenance-window.ts';

const image = (definition: string, version: string): NodeImage => ({
  id: `/CommunityGalleries/g/images/${definition}/versions/${version}`,
  requirements: [],
});
const input = {
  current: [image('a', '1'), image('gone', '1')],
  goal: [image('a', '2'), image('b', '2')],
  wasReady: true,
  windowOpen: false,
  fips: false,
  useSig: false,
};
const ids = (images: readonly { id: string }[]) => images.map(({ id }) => id.split('/').slice(4).join('/'));

describe('status.images', () => {
  test('keeps recorded versions while the window is closed, adds new kinds, drops old ones', () => {
    const status = imagesStatus(input);
    expect(ids(status.images)).toEqual(['a/versions/1', 'b/versions/2']);
    expect(ids(status.held.map((id) => ({ id })))).toEqual(['a/versions/2']);
  });

  test.each([
    ['in the window', { windowOpen: true }],
    ['when there were none ready', { wasReady: false }],
  ])('takes the newest %s', (_, change) => {
    const status = imagesStatus({ ...input, ...change });
    expect(ids(status.images)).toEqual(['a/versions/2', 'b/versions/2']);
    expect(status.held).toEqual([]);
  });

  test('is empty, with the reason, for FIPS without shared galleries and where nothing fits', () => {
    expect(imagesStatus({ ...input, fips: true })).toMatchObject({
      images: [],
      reason: 'SIGRequiredForFIPS',
    });
    expect(imagesStatus({ ...input, fips: true, useSig: true }).reason).toBe('ImagesReady');
    expect(imagesStatus({ ...input, goal: [] })).toMatchObject({ ready: false, reason: 'ImagesNotFound' });
  });
});

describe('the maintenance window', () => {
  const now = Date.UTC(2026, 0, 10, 12);
  const window = (start?: string, end?: string) => ({
    ...(start === undefined ? {} : { [WINDOW_START]: start }),
    ...(end === undefined ? {} : { [WINDOW_END]: end }),
  });

  test.each([
    ['no ConfigMap', undefined, 'open'],
    ['an empty one', {}, 'open'],
    ['empty keys', window('', ''), 'open'],
    ['now', window('2026-01-10T11:00:00Z', '2026-01-10T13:00:00Z'), 'open'],
    ['now, elsewhere on earth', window('2026-01-10T16:00:00+05:00', '2026-01-10T18:00:00+05:00'), 'open'],
    ['tomorrow', window('2026-01-11T11:00:00Z', '2026-01-11T13:00:00Z'), 'closed'],
    ['over', window('2026-01-09T11:00:00Z', '2026-01-09T13:00:00Z'), 'closed'],
    ['just beginning', window('2026-01-10T12:00:00Z', '2026-01-10T13:00:00Z'), 'closed'],
    ['only a start', window('2026-01-10T11:00:00Z'), 'malformed'],
    ['only an end', window(undefined, '2026-01-10T11:00:00Z'), 'malformed'],
    ['no times', window('soon', 'later'), 'malformed'],
    ['a date', window('2026-01-10', '2026-01-11'), 'malformed'],
  ])('%s', (_, data, state) => {
    expect(maintenanceWindow(data, now).state).toBe(state);
  });
});

describe('the image of a VM', () => {
  const arch = (value: string) => ({ key: 'kubernetes.io/arch', operator: 'In', values: [value] });
  const generation = (...values: string[]) => ({
    key: 'karpenter.azure.com/sku-hyperv-generation',
    operator: 'In',
    values,
  });
  const images = [
    { id: 'gen2', requirements: [arch('amd64'), generation('2')] },
    { id: 'gen1', requirements: [arch('amd64'), generation('1')] },
    { id: 'arm', requirements: [arch('arm64'), generation('2')] },
  ];

  test.each([
    ['the first that fits', [arch('amd64'), generation('1', '2')], 'gen2'],
    ['for the first generation only', [arch('amd64'), generation('1')], 'gen1'],
    ['for arm64', [arch('arm64'), generation('2')], 'arm'],
    ['none for a type of which nothing is known', [], undefined],
    ['none for another architecture', [arch('s390x'), generation('2')], undefined],
  ])('is %s', (_, requirements, id) => {
    expect(selectImage(images, { requirements })?.id).toBe(id);
  });

  test('has a name at AKS', () => {
    const id = '/CommunityGalleries/g/images/2404gen2arm64containerd/versions/1';
    expect(distroOf(id)).toBe('aks-ubuntu-arm64-containerd-24.04-gen2');
    expect(distroOf('/CommunityGalleries/g/images/mine/versions/1')).toBeUndefined();
    expect(distroOf('a:b:c:d')).toBeUndefined();
  });

  test('drifts when the class would take another, and the message has both', () => {
    const wanted = [{ id: '/G/images/a/versions/2' }, { id: '/G/images/b/versions/2' }];
    expect(imageDrift('/G/images/a/versions/1', wanted)).toEqual({
      reason: 'ImageDrift',
      message: 'the VM uses image /G/images/a/versions/1; new VMs use /G/images/a/versions/2',
    });
    expect(imageDrift('/g/IMAGES/a/versions/2', wanted)).toBeUndefined();
    expect(imageDrift(undefined, wanted)).toBeUndefined();
    expect(imageDrift('/G/images/a/versions/1', [])).toBeUndefined();
  });
});

describe('finding the images of a class', () => {
  const finder = (data: Record<string, string> | undefined, useSig = false): FindImages =>
    imageFinder({
      clock: virtualWorld({ startMs: Date.UTC(2026, 0, 10) }).clock,
      catalogue: { newest: async () => input.goal, forget: () => undefined },
      useSig: hardcoded(useSig),
      getMaintenanceConfigMap: async () => data,
    });
  const question = {
    nodeClass: {
      apiVersion: 'karpenter.azure.com/v1beta1' as const,
      kind: 'AKSNodeClass' as const,
      metadata: {},
    },
    kubernetesVersion: '1.33.0',
    current: input.current,
    takeNewest: false,
  };
  const closed = { [WINDOW_START]: '2027-01-01T00:00:00Z', [WINDOW_END]: '2027-01-02T00:00:00Z' };

  test('respects the window, unless the newest ones are requested', async () => {
    const kept = await finder(closed)(question);
    expect(ids('images' in kept ? kept.images : [])).toEqual(['a/versions/1', 'b/versions/2']);
    const newest = await finder(closed)({ ...question, takeNewest: true });
    expect(ids('images' in newest ? newest.images : [])).toEqual(['a/versions/2', 'b/versions/2']);
  });

  test('refuses FIPS without shared galleries', async () => {
    const nodeClass = { ...question.nodeClass, spec: { fipsMode: 'FIPS' as const } };
    expect(await finder(undefined)({ ...question, nodeClass })).toMatchObject({
      refused: { reason: 'SIGRequiredForFIPS' },
    });
  });

  test('fails for a window that cannot be understood, instead of taking it for open', async () => {
    await expect(finder({ [WINDOW_START]: 'soon' })(question)).rejects.toThrow(WINDOW_END);
  });
});
