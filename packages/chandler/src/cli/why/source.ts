/** A source of answers: a cluster or a dump. `open-source.ts` opens it. */
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
  /** Its content, if reading has started already. */
  readonly text?: Promise<Buffer>;
}

export type SourceChoice = LiveChoice | DumpChoice;

export interface OpenRequest {
  readonly source: SourceChoice;
  /** Whether the cloud is read too; auto: where there are credentials. */
  readonly cloud: 'auto' | 'on' | 'off';
  readonly env: Environment;
  /** Created on first use: log, metrics and network take time to load, and a dump needs none of them. */
  readonly world: () => Promise<World>;
  readonly interrupted: AbortSignal;
}

export interface OpenSource {
  /** Reads again: objects may have changed. */
  reader(): ObjectReader;
  readonly cloud: CloudDiagnosis;
  /** The namespace of the context, for pods without a namespace in the question. */
  readonly namespace: string | undefined;
  close(): Promise<void>;
}
