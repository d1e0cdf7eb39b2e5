import { expect, test } from 'vitest';
import { DEBIAN_PACKAGES, EMULATOR, PINNED_AT } from './debian.table.ts';
import { addressesOf, debianMirror, notFetchedText } from './debian.ts';

test('a package that Debian has removed from its mirrors is looked for in the archive of snapshots', () => {
  expect(addressesOf('debian/pool/main/g/glibc/libc6_2.41_amd64.deb')).toEqual([
    'http://deb.debian.org/debian/pool/main/g/glibc/libc6_2.41_amd64.deb',
    `http://snapshot.debian.org/archive/debian/${PINNED_AT}/pool/main/g/glibc/libc6_2.41_amd64.deb`,
  ]);
  expect(addressesOf('debian-security/pool/updates/main/x.deb')[1]).toBe(
    `http://snapshot.debian.org/archive/debian-security/${PINNED_AT}/pool/updates/main/x.deb`,
  );
});

test('a mirror that is named is the only address', () => {
  const mirror = debianMirror({ CHANDLER_DEBIAN_MIRROR: 'http://mirror.example/' });
  expect(addressesOf('debian/pool/x.deb', mirror)).toEqual(['http://mirror.example/debian/pool/x.deb']);
});

test('a package that cannot be fetched is named with each address, and what to do', () => {
  const text = notFetchedText('libc6 2.41', ['http://a: 404  Not Found', 'http://b: Could not resolve b']);
  for (const part of [
    'libc6 2.41',
    'http://a: 404',
    'http://b: Could not',
    'debian-pins.ts',
    'CHANDLER_DEBIAN_MIRROR',
  ])
    expect(text).toContain(part);
});

test('every row of the table has a folder of the mirror, a hash and a time', () => {
  expect(PINNED_AT).toMatch(/^20\d{6}T\d{6}Z$/);
  for (const { file, sha256 } of [...DEBIAN_PACKAGES.amd64, ...DEBIAN_PACKAGES.arm64, EMULATOR]) {
    expect(file).toMatch(/^debian(-security)?\/pool\//);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
});
