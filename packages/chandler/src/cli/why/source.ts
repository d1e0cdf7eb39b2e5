/** What a question may be answered from, and what is known of it once it is open. `open-source.ts` opens it. */
import type { World } from '@chandler/kube';
import type { ObjectReader } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';
import type { Environment } from '../../settings/index.ts';

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
