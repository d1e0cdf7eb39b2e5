import { describe, expect, test } from 'vitest';
import { AKS_NAMES, LINUX_CODES, SHELL_CODES, WINDOWS_CODES } from './codes.table.ts';
import { renderCseCodesDoc } from './codes-doc.ts';
import { GROUP_HINTS } from './hints.table.ts';
import { imageDateOf } from './image-date.ts';
import { nameCode } from './name-code.ts';

const named = (code: number, date?: string) => {
  const { constant, ambiguous } = nameCode(code, 'linux', date);
  return ambiguous?.map((name) => name.constant) ?? constant;
};

describe('the table', () => {
  test('has the 128 Linux constants of today, the 84 Windows ones, and what went away', () => {
    expect(LINUX_CODES.filter(([, , , until]) => until === '')).toHaveLength(128);
    expect(WINDOWS_CODES).toHaveLength(84);
    expect(LINUX_CODES).toHaveLength(172);
  });

  test('dates are days that exist, in order; numbers are exit codes; every row has a hint', () => {
    const day = /^\d{4}-\d{2}-\d{2}$/;
    for (const [code, constant, from, until, group] of [...LINUX_CODES, ...SHELL_CODES, ...WINDOWS_CODES]) {
      expect(code, constant).toBeGreaterThan(0);
      expect(code, constant).toBeLessThan(256);
      if (constant.startsWith('ERR_')) expect(from, constant).toMatch(day);
      if (until !== '') expect(until > from, constant).toBe(true);
      expect(GROUP_HINTS[group].hint, constant).toMatch(/\.$/);
    }
  });

  test("AKS's own names lead to codes that exist", () => {
    for (const code of Object.values(AKS_NAMES)) expect(nameCode(code, 'linux').constant).toBeDefined();
  });

  test('becomes a page with every constant on it', () => {
    const page = renderCseCodesDoc();
    for (const [, constant] of [...LINUX_CODES, ...WINDOWS_CODES]) expect(page).toContain(constant);
  });
});

describe('the date of an image', () => {
  test.each([
    ['/CommunityGalleries/AKSUbuntu-1/images/2204gen2containerd/versions/202604.13.0', '2026-04-13'],
    [
      '/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/galleries/AKSAzureLinux/images/V3gen2/versions/202601.27.0',
      '2026-01-27',
    ],
    ['AKSUbuntu-2204gen2containerd-202510.3.1', '2025-10-03'],
    ['202604.13.0', '2026-04-13'],
    ['AKSWindows-2022-containerd-20348.4294.260414', '2026-04-14'],
    ['2022.10.03', '2022-10-03'],
  ])('of %s is %s', (image, date) => {
    expect(imageDateOf(image)).toBe(date);
  });

  test.each([
    '',
    'latest',
    '202613.40.0',
    '/subscriptions/s/images/mine',
    '1.1667848200.8216',
    '202602.30.0',
  ])('is not known of "%s"', (image) => {
    expect(imageDateOf(image)).toBeUndefined();
  });
});

describe('[002-AC3] a code gets the name it had when the image was made', () => {
  test('231 was the metadata service, then shared, then the system extension', () => {
    expect(named(231, '2026-01-22')).toBeUndefined();
    expect(named(231, '2026-01-27')).toBe('ERR_IMDS_FETCH_FAILED');
    expect(named(231, '2026-03-01')).toEqual(['ERR_ORAS_PULL_SYSEXT_FAIL', 'ERR_IMDS_FETCH_FAILED']);
    expect(named(231, '2026-04-12')).toEqual(['ERR_ORAS_PULL_SYSEXT_FAIL', 'ERR_IMDS_FETCH_FAILED']);
    expect(named(231, '2026-04-13')).toBe('ERR_ORAS_PULL_SYSEXT_FAIL');
    expect(named(234, '2026-04-13')).toBe('ERR_IMDS_FETCH_FAILED');
  });

  test('124 was a missing image marker, and is a time limit', () => {
    expect(named(124, '2022-01-01')).toEqual(['ERR_VHD_FILE_NOT_FOUND', '']);
    expect(nameCode(124, 'linux', '2026-01-01')).toMatchObject({ constant: undefined, group: 'script' });
  });

  test('without a date, names of images that are no longer in use are ignored', () => {
    expect(named(10)).toBe('ERR_MISSING_CUDA_PACKAGE');
    expect(named(120)).toEqual(['ERR_INVALID_CLI_TOOL', 'ERR_AZURE_STACK_GET_ARM_TOKEN']);
    expect(nameCode(50, 'linux').validity).toContain('unknown');
  });

  test('a retired code is reported with its period, an unknown one as unknown', () => {
    expect(nameCode(171, 'linux', '2026-01-01')).toMatchObject({ constant: undefined, group: 'unknown' });
    expect(nameCode(171, 'linux', '2026-01-01').validity).toContain('ERR_KRUSTLET_DOWNLOAD_TIMEOUT');
    expect(nameCode(199, 'linux', '2026-01-01').validity).toContain('no table');
    expect(nameCode(232, 'linux', '2026-06-01').constant).toBe('ERR_SYSEXT_VERSION_ID_NOT_FOUND');
  });

  test('an image newer than the table is named with that reservation', () => {
    expect(nameCode(50, 'linux', '2027-01-01')).toMatchObject({ constant: 'ERR_OUTBOUND_CONN_FAIL' });
    expect(nameCode(50, 'linux', '2027-01-01').validity).toContain('newer than this table');
  });

  test('Windows has codes of its own', () => {
    expect(nameCode(5, 'windows').constant).toBe('WINDOWS_CSE_ERROR_CHECK_API_SERVER_CONNECTIVITY');
    expect(nameCode(5, 'windows').hint).toContain('API server');
  });
});

test('what will fail again is held apart from what may succeed', () => {
  const again = [50, 51, 52, 65, 131, 161, 212, 217].map(
    (code) => nameCode(code, 'linux', '2026-05-01').deterministic,
  );
  expect(new Set(again)).toEqual(new Set([true]));
  const maybe = [31, 41, 87, 98, 99, 124, 137, 211, 234].map(
    (code) => nameCode(code, 'linux', '2026-05-01').deterministic,
  );
  expect(new Set(maybe)).toEqual(new Set([false]));
});
