/** Where answers come from: a cluster and perhaps Azure, or a file. Opened once for a question, closed after it. */
import { readFileSync, statSync } from 'node:fs';
import {
  type AzureEye,
  DumpError,
  dumpReader,
  LARGEST_DUMP_BYTES,
  type ObjectReader,
  parseDump,
} from '../../diagnose/index.ts';
import type { Environment } from '../../settings/option-table.ts';
import type { World } from '../../world.ts';
import { Failure } from '../verb.ts';

export interface LiveChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

export type SourceChoice = LiveChoice | { readonly dump: string };

export interface OpenRequest {
  readonly source: SourceChoice;
  readonly azure: 'auto' | 'on' | 'off';
  readonly env: Environment;
  /** Made when it is needed: log, metrics and network take a moment to load, and a file needs none of them. */
  readonly world: () => Promise<World>;
  readonly interrupted: AbortSignal;
}

export interface OpenSource {
  /** A fresh look: the same objects may have changed. */
  reader(): ObjectReader;
  readonly azure: AzureEye | undefined;
  /** Of the context; for pods whose namespace nobody named. */
  readonly namespace: string | undefined;
  close(): Promise<void>;
}

/** @throws {Failure} */
export async function openSource(request: OpenRequest): Promise<OpenSource> {
  const { source } = request;
  if ('dump' in source) return fromDump(source.dump);
  const { openLive } = await import('./open-live.ts');
  return openLive(request, source);
}

// ---------------------------------------------------------------------------------------------------

function fromDump(file: string): OpenSource {
  let bytes: Uint8Array;
  try {
    const { size } = statSync(file);
    if (size > LARGEST_DUMP_BYTES)
      throw new Failure(`--dump: ${file} is larger than ${LARGEST_DUMP_BYTES / 1024 / 1024} MiB`);
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`--dump: ${file} cannot be read (${code})`);
  }
  try {
    const reader = dumpReader(parseDump(bytes));
    return { reader: () => reader, azure: undefined, namespace: undefined, close: async () => undefined };
  } catch (error) {
    if (error instanceof DumpError) throw new Failure(`--dump: ${file}: ${error.message}`);
    throw error;
  }
}
