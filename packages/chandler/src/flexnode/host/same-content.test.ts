import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAST_TMPDIR } from '../../../../../test/flexnode/fast-tmpdir.ts';
import { instantWorld } from '../../../../../test/flexnode/instant-world.ts';
import type { Host } from './host.ts';
import { createRealHost } from './real-host.ts';
import { sameContent } from './same-content.ts';

/** More than two pieces. */
const LARGE = 2 * 1024 * 1024 + 4711;

let root = '';
const real = () => createRealHost(instantWorld(), { root });
/** A host that can only read files whole, as those of tests and dry runs. */
const plain = (): Pick<Host, 'readFile'> => ({ readFile: real().readFile });
const put = (name: string, content: Uint8Array | string) => writeFileSync(join(root, name), content);
const large = (change?: number) => {
  const bytes = Buffer.alloc(LARGE, 'program');
  if (change !== undefined) bytes[change]! ^= 1;
  return bytes;
};

beforeEach(() => {
  root = mkdtempSync(join(FAST_TMPDIR, 'flexnode-same-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.each([
  ['the machine', real],
  ['a host that reads files whole', plain],
])('two files on %s', (_, host) => {
  test('are the same when every byte is', async () => {
    put('a', large());
    put('b', large());
    expect(await sameContent(host(), '/a', '/b')).toBe(true);
  });

  test.each([0, 1024 * 1024 - 1, 1024 * 1024, LARGE - 1])(
    'are not when byte %i is another, and all else is equal',
    async (at) => {
      put('a', large());
      put('b', large(at));
      expect(await sameContent(host(), '/a', '/b')).toBe(false);
    },
  );

  test('are not when one goes on where the other ends', async () => {
    put('a', large());
    put('b', large().subarray(0, 2 * 1024 * 1024));
    expect(await sameContent(host(), '/a', '/b')).toBe(false);
    expect(await sameContent(host(), '/b', '/a')).toBe(false);
  });

  test('are the same when both are empty', async () => {
    put('a', '');
    put('b', '');
    expect(await sameContent(host(), '/a', '/b')).toBe(true);
  });

  test('are not when one of them is not there', async () => {
    put('a', 'x');
    expect(await sameContent(host(), '/a', '/b')).toBe(false);
    expect(await sameContent(host(), '/b', '/a')).toBe(false);
  });

  test('are found through links, within the machine', async () => {
    put('a', 'x');
    put('b', 'x');
    symlinkSync('/b', join(root, 'link'));
    expect(await sameContent(host(), '/a', '/link')).toBe(true);
  });
});
