import { describe, expect, test } from 'vitest';
import { compareVersions, kubeletSkew, parseVersion, printedVersion } from './version.ts';

const version = (text: string) => parseVersion(text)!;

describe('versions', () => {
  test('1.1.1 is not 1.1.12, and a pre-release comes before its release', () => {
    const order = [
      '1.1.1',
      '1.1.12',
      '1.2.0-alpha.1',
      '1.2.0-rc.2',
      '1.2.0-rc.10',
      '1.2.0',
      '1.10.0',
      '2.0.0',
    ];
    const shuffled = [...order].reverse();
    expect(shuffled.sort((one, other) => compareVersions(version(one), version(other)))).toEqual(order);
  });

  test('a build makes no difference', () => {
    expect(compareVersions(version('v1.32.7+k3s1'), version('1.32.7'))).toBe(0);
  });

  test.each([
    ['Kubernetes v1.32.7', '1.32.7'],
    [
      'containerd github.com/containerd/containerd v1.7.20 8fc6bcff51318944179630522a095cc9dbf9f353',
      '1.7.20',
    ],
    ['runc version 1.1.12\ncommit: v1.1.12-0-g51d5e946\nspec: 1.0.2-dev', '1.1.12'],
    ['v1.36.0-beta.1', '1.36.0-beta.1'],
  ])('a program that prints "%s" is %s', (printed, wanted) => {
    expect(printedVersion(printed)).toBe(wanted);
  });

  test.each(['', 'latest', '1', '1.2.3.4', 'v'])('"%s" is no version', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  test.each([
    ['1.33.1', '1.33.0', true],
    ['1.30.0', '1.33.0', true],
    ['1.29.9', '1.33.0', false],
    ['1.34.0', '1.33.9', false],
    ['1.24.0', '1.27.0', false],
  ])('a kubelet %s with an API server %s: %s', (kubelet, server, fits) => {
    expect(kubeletSkew(version(kubelet), version(server)).ok).toBe(fits);
  });
});
