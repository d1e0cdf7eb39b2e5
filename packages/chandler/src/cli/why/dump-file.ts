/**
 * Reads a dump file. It imports little and reads at once, so that another thread decompresses a large file while the rest of
 * `why` is loading: modules are loaded without a pause, and a read that has to wait would end only after them.
 */
import { readFileSync, statSync } from 'node:fs';
import { DumpError, MAX_DUMP_BYTES, unpackedSoon } from '../../diagnose/index.ts';
import { Failure } from '../verb.ts';

/** Its text, unpacked. @throws {Failure} */
export async function readDumpFile(file: string): Promise<Buffer> {
  try {
    const { size } = statSync(file);
    if (size > MAX_DUMP_BYTES)
      throw new Failure(`--dump: ${file} is larger than ${MAX_DUMP_BYTES / 1024 / 1024} MiB`);
    return await unpackedSoon(readFileSync(file));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof DumpError) throw new Failure(`--dump: ${file}: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`--dump: ${file} cannot be read (${code})`);
  }
}
