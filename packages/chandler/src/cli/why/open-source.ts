/** Where answers come from: a cluster and perhaps its cloud, or a file. Opened once for a question, closed after it. */
import type { World } from '@chandler/kube';
import type { ObjectReader } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';
import { DumpError, dumpReader, openDump } from '../../diagnose/index.ts';
import type { Environment } from '../../settings/index.ts';

import { Failure } from '../verb.ts';
import { CLOUD } from './clouds.ts';
import { readDumpFile } from './dump-file.ts';

export interface LiveChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

export interface DumpChoice {
  /** The file. */
  readonly dump: string;
  /** What is in it, where it is being read already. */
  readonly text?: Promise<Buffer>;
}

export type SourceChoice = LiveChoice | DumpChoice;

export interface OpenRequest {
  readonly source: SourceChoice;
  /** Whether the cloud is read too; auto: where there are credentials. */
  readonly cloud: 'auto' | 'on' | 'off';
  readonly env: Environment;
  /** Made when it is needed: log, metrics and network take a moment to load, and a file needs none of them. */
  readonly world: () => Promise<World>;
  readonly interrupted: AbortSignal;
}

export interface OpenSource {
  /** A fresh look: the same objects may have changed. */
  reader(): ObjectReader;
  readonly cloud: CloudDiagnosis;
  /** Of the context; for pods whose namespace nobody named. */
  readonly namespace: string | undefined;
  close(): Promise<void>;
}

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
    return {
      reader: () => reader,
      cloud: await CLOUD.diagnosis(),
      namespace: undefined,
      close: async () => undefined,
    };
  } catch (error) {
    if (error instanceof DumpError) throw new Failure(`--dump: ${dump}: ${error.message}`);
    throw error;
  }
}
