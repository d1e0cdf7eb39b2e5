/** Opens the source of answers: a cluster with or without its cloud, or a dump. Opened once for a question, closed after it. */

import { diagnosisOf } from '../../cloud/registry.ts';
import { DumpError, dumpReader, openDump } from '../../diagnose/index.ts';
import { Failure } from '../verb.ts';
import { readDumpFile } from './dump-file.ts';
import type { DumpChoice, OpenRequest, OpenSource } from './source.ts';

/** @throws {Failure} */
export async function openSource(request: OpenRequest): Promise<OpenSource> {
  const { source } = request;
  if ('dump' in source) return fromDump(source);
  const { openLive } = await import('./open-live.ts');
  return openLive(request, source);
}

// ---------------------------------------------------------------------------------------------------

async function fromDump({ dump, text }: DumpChoice): Promise<OpenSource> {
  const bytes = await (text ?? readDumpFile(dump));
  try {
    const reader = dumpReader(openDump(bytes));
    const cloud = await diagnosisOf().diagnosis();
    return { reader: () => reader, cloud, namespace: undefined, close: async () => undefined };
  } catch (error) {
    if (error instanceof DumpError) throw new Failure(`--dump: ${dump}: ${error.message}`);
    throw error;
  }
}
