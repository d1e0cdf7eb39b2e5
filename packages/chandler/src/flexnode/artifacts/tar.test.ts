import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readTar, readTarMember, type TarOptions } from './tar.ts';
import { writeTar } from './write-tar.ts';

describe('an archive', () => {
  test('returns only the selected members', async () => {
    const bytes = await packed([
      file('bin/a', 'first'),
      file('./bin/b', 'x'.repeat(3000)),
      file('README', 'no'),
    ]);
    expect(await members(bytes, (path) => path.startsWith('bin/'))).toEqual([
      ['bin/a', 'first'],
      ['bin/b', 'x'.repeat(3000)],
    ]);
  });

  test('can be read in chunks of any size, compressed or not', async () => {
    const bytes = await packed([file('a', '12345'), file('b', '6789')]);
    for (const size of [1, 7, 511, 513]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const member = await readTarMember(pieces, 'b', { gzip: true, what: 'x' });
      expect(Buffer.from(member!.content).toString()).toBe('6789');
    }
  });

  test('can contain long names and directories', async () => {
    const long = `${'d'.repeat(90)}/${'n'.repeat(80)}`;
    expect(await members(await packed([header('dir/', '5'), file(long, 'deep')]))).toEqual([[long, 'deep']]);
    const gnu = [...header('././@LongLink', 'L', long.length), ...block(long), ...file('cut', 'deep')];
    expect(await members(await packed([gnu]))).toEqual([[long, 'deep']]);
    const record = ` path=${long}\n`;
    const pax = `${record.length + 3}${record}`;
    const posix = [...header('pax', 'x', pax.length), ...block(pax), ...file('cut', 'deep')];
    expect(await members(await packed([posix]))).toEqual([[long, 'deep']]);
  });
});

describe('[004-SEC-4] an archive is rejected', () => {
  test.each([
    ['an absolute path', () => file('/etc/passwd', 'x')],
    ['a path outside the archive', () => file('bin/../../etc/passwd', 'x')],
    ['a symbolic link', () => header('bin/runc', '2')],
    ['a hard link', () => header('bin/runc', '1')],
    ['a device', () => header('bin/sda', '4')],
    ['a pipe', () => header('bin/pipe', '6')],
  ])('with %s in it, selected or not', async (_, entry) => {
    const bytes = await packed([file('bin/a', 'fine'), entry()]);
    await expect(members(bytes, () => false)).rejects.toMatchObject({ facts: { code: 'archive.refused' } });
  });

  test('with a member that exceeds the size limit', async () => {
    const bytes = await packed([file('a', 'x'.repeat(5000))]);
    await expect(members(bytes, () => true, { maxMemberBytes: 4999 })).rejects.toThrow(
      'exceeds the size limit',
    );
  });

  test('that exceeds the size limit when decompressed', async () => {
    const bytes = await packed([file('a', '\0'.repeat(1_000_000))]);
    expect(bytes.length).toBeLessThan(10_000);
    await expect(members(bytes, () => false, { maxTotalBytes: 100_000 })).rejects.toThrow(
      'when decompressed',
    );
  });

  test('that is truncated, compressed or not', async () => {
    const bytes = await packed([file('a', 'x'.repeat(100_000))]);
    await expect(members(bytes.subarray(0, bytes.length - 20))).rejects.toMatchObject({ name: 'FlexError' });
    const plain = Buffer.concat([file('a', 'x'.repeat(5000))]).subarray(0, 2048);
    await expect(members(plain, () => true, { gzip: false })).rejects.toThrow('truncated');
  });

  test('that is not an archive', async () => {
    await expect(members(Buffer.from('<html>404</html>'))).rejects.toThrow('damaged');
    const text = Buffer.from('<html>404</html>'.padEnd(512, ' '));
    await expect(members(text, () => true, { gzip: false })).rejects.toThrow('damaged');
  });
});

test('a written archive can be read, and the same files result in the same bytes', async () => {
  const entries = [{ path: 'k/v1/x', bytes: 3, content: () => [Buffer.from('abc')] }];
  const once = await collected(writeTar(entries));
  expect(await collected(writeTar(entries))).toEqual(once);
  expect(await members(once, () => true, { gzip: false })).toEqual([['k/v1/x', 'abc']]);
});

// ---------------------------------------------------------------------------------------------------

async function members(
  bytes: Uint8Array,
  wants: TarOptions['wants'] = () => true,
  over: Partial<TarOptions> = {},
): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const member of readTar([bytes], { gzip: true, what: 'x.tar.gz', wants, ...over })) {
    found.push([member.path, Buffer.from(member.content).toString()]);
  }
  return found;
}

async function collected(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function packed(entries: readonly Uint8Array[] | readonly (readonly number[])[]): Promise<Buffer> {
  return gzipSync(Buffer.concat([...entries.map((entry) => Buffer.from(entry)), Buffer.alloc(1024)]));
}

function block(text: string): Buffer {
  return Buffer.concat([Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)]);
}

function file(path: string, text: string): Buffer {
  return Buffer.concat([header(path, '0', text.length), block(text)]);
}

function header(path: string, type: string, size = 0): Buffer {
  const bytes = Buffer.alloc(512);
  const [prefix, name] = path.length > 100 ? [path.slice(0, 90), path.slice(91)] : ['', path];
  bytes.write(name, 0);
  bytes.write('0000755\0', 100);
  bytes.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  bytes.write('        ', 148);
  bytes.write(type, 156);
  bytes.write('target', 157);
  bytes.write('ustar\x0000', 257);
  bytes.write(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}
