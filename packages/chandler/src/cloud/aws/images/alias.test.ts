import { describe, expect, test } from 'vitest';
import type { EC2NodeClassSpec } from '../../../api/index.ts';
import { classAlias, imageFamily, majorMinor, parseAlias, unsupportedAlias } from './alias.ts';
import { bottlerocketVersion } from './bottlerocket-version.ts';

const classOf = (spec: Partial<EC2NodeClassSpec>): EC2NodeClassSpec => ({
  subnetSelectorTerms: [],
  securityGroupSelectorTerms: [],
  amiSelectorTerms: [],
  ...spec,
});

describe('aliases', () => {
  test.each([
    ['al2@latest', 'AL2', 'latest'],
    ['al2@v20240807', 'AL2', 'v20240807'],
    ['al2023@v20260801', 'AL2023', 'v20260801'],
    ['bottlerocket@v1.46.0', 'Bottlerocket', 'v1.46.0'],
    ['windows2019@latest', 'Windows2019', 'latest'],
    ['windows2022@latest', 'Windows2022', 'latest'],
    ['windows2025@latest', 'Windows2025', 'latest'],
  ])('%s is read', (text, family, version) => {
    expect(parseAlias(text)).toEqual({ alias: { family, version } });
  });

  test.each([
    ['al2023@v1@x', 'has two versions; write al2023@v1'],
    ['al2023', 'family@version'],
    ['al2023@', 'family@version'],
    ['@latest', 'family@version'],
    ['', 'family@version'],
    ['AL2023@latest', 'is no image family'],
    ['custom@latest', 'is no image family'],
    ['ubuntu@latest', 'use one of al2, al2023, bottlerocket, windows2019, windows2022, windows2025'],
    ['windows2022@v1', 'write windows2022@latest'],
  ])('%j is a problem with a sentence, never a crash', (text, expected) => {
    const parsed = parseAlias(text);
    expect('message' in parsed && parsed.message).toContain(expected);
  });

  test('a class with a bad alias names the field', () => {
    expect(classAlias(classOf({ amiSelectorTerms: [{ alias: 'al2023@a@b' }] }))).toMatchObject({
      problem: { reason: 'InvalidAlias', path: 'spec.amiSelectorTerms[0].alias' },
    });
  });

  test.each([
    ['al2@latest', '1.32', undefined],
    ['al2@latest', '1.33', 'AWS publishes no AL2 images for Kubernetes 1.33 and later; use al2023@latest'],
    ['al2@v20240807', '1.35.2', 'no AL2 images'],
    ['windows2025@latest', '1.34', 'for Kubernetes 1.35 and later; use windows2022@latest'],
    ['windows2025@latest', '1.35', undefined],
    ['al2023@latest', '1.36', undefined],
    ['al2@latest', 'unknown', undefined],
  ])('%s on Kubernetes %s: %s', (text, version, expected) => {
    const parsed = parseAlias(text);
    if (!('alias' in parsed)) throw new Error('no alias');
    const problem = unsupportedAlias(parsed.alias, version);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(expected);
  });

  test('a Kubernetes version is cut to its minor version', () => {
    expect(['1.33', '1.33.4', 'v1.33.4-eks-abc'].map(majorMinor)).toEqual(['1.33', '1.33', '1.33']);
  });
});

describe('the image family of a class', () => {
  test('is the one it names, else that of its alias, else Custom', () => {
    const amiSelectorTerms = [{ alias: 'bottlerocket@latest' }];
    expect(imageFamily(classOf({ amiSelectorTerms }))).toEqual({ family: 'Bottlerocket' });
    expect(imageFamily(classOf({ amiFamily: 'Custom', amiSelectorTerms }))).toEqual({ family: 'Custom' });
    expect(imageFamily(classOf({ amiSelectorTerms: [{ id: 'ami-1' }] }))).toEqual({ family: 'Custom' });
    expect(imageFamily(classOf({ amiSelectorTerms: [{ alias: 'x' }] }))).toMatchObject({
      problem: { reason: 'InvalidAlias' },
    });
  });
});

describe('the version of Bottlerocket', () => {
  const NAME = 'bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-431fe75a';
  test.each([
    ['the alias', { alias: 'bottlerocket@v1.20.4' }, [], 'v1.20.4', 'spec.amiSelectorTerms[0].alias'],
    ['the name it selects by', { name: NAME }, [], 'v1.46.0', 'spec.amiSelectorTerms[0].name'],
    ['its images', { id: 'ami-1' }, [{ id: 'ami-1', name: NAME }], 'v1.46.0', 'status.amis[0].name'],
    ['an image of another name', { id: 'ami-1' }, [{ id: 'ami-1', name: 'own-v1.2.3' }], '', 'status.amis'],
    ['a name with a pattern', { name: 'bottlerocket-*' }, [], '', 'status.amis'],
  ] as const)('comes from %s', (_, term, images, value, path) => {
    expect(bottlerocketVersion(classOf({ amiSelectorTerms: [term] }), images)).toMatchObject({ value, path });
  });
});
