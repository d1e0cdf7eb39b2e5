/** Opens the source of answers: a cluster with or without its cloud, or a dump. Opened once for a question, closed after it. */

import { DumpError, dumpReader, openDump, type Subject } from '../../diagnose/index.ts';
import { Failure } from '../verb.ts';
import { chooseCloud } from './choose-cloud.ts';
import { readDumpFile } from './dump-file.ts';
import type { DumpChoice, OpenRequest, OpenSource } from './source.ts';

/** @param subject absent: the whole cluster. @throws {Failure} */
export async function openSource(request: OpenRequest, subject?: Subject): Promise<OpenSource> {
  const { source } = request;
  if ('dump' in source) return fromDump(request, source, subject);
  const { openLive } = await import('./open-live.ts');
  return openLive(request, source, subject);
}

// ---------------------------------------------------------------------------------------------------

async function fromDump(
  request: OpenRequest,
  { dump, text }: DumpChoice,
  subject: Subject | undefined,
): Promise<OpenSource> {
  const bytes = await (text ?? readDumpFile(dump));
  try {
    const reader = dumpReader(openDump(bytes));
    const cloud = await (await chooseCloud(request, reader, subject)).diagnosis();
    return { reader: () => reader, cloud, namespace: undefined, close: async () => undefined };
  } catch (error) {
    if (error instanceof DumpError) throw new Failure(`--dump: ${dump}: ${error.message}`);
    throw error;
  }
}
