/** Reads a dump file. It imports little, so that a large file is decompressed while the rest of `why` is still loading. */
import { readFile, stat } from 'node:fs/promises';
import { DumpError, MAX_DUMP_BYTES, unpackedSoon } from '../../diagnose/index.ts';
import { Failure } from '../verb.ts';

/** Its text, unpacked. @throws {Failure} */
export async function readDumpFile(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > MAX_DUMP_BYTES)
      throw new Failure(`--dump: ${file} is larger than ${MAX_DUMP_BYTES / 1024 / 1024} MiB`);
    return await unpackedSoon(await readFile(file));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof DumpError) throw new Failure(`--dump: ${file}: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`--dump: ${file} cannot be read (${code})`);
  }
}
