/** Writes a reproducible tar archive of regular files: without times and owners. */

export interface TarEntry {
  /** At most 100 bytes, or splittable into the prefix and name of a ustar header. */
  readonly path: string;
  readonly bytes: number;
  readonly content: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Promise<Iterable<Uint8Array>>;
}

export async function* writeTar(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    yield header(entry.path, entry.bytes);
    let written = 0;
    for await (const chunk of await entry.content()) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== entry.bytes)
      throw new RangeError(`${entry.path} has ${written} bytes, not ${entry.bytes}`);
    const rest = (BLOCK - (entry.bytes % BLOCK)) % BLOCK;
    if (rest > 0) yield new Uint8Array(rest);
  }
  yield new Uint8Array(2 * BLOCK);
}

// ---------------------------------------------------------------------------------------------------

const BLOCK = 512;

function header(path: string, size: number): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  const { prefix, name } = split(path);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(octal(0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function split(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const prefix = path.slice(0, at);
    const name = path.slice(at + 1);
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { prefix, name };
  }
  throw new RangeError(`the path ${path} does not fit into a tar archive`);
}
