/** A source of answers: a cluster or a dump. `open-source.ts` opens it. */
import type { World } from '@chandler/kube';
import type { ObjectReader } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';
import type { CloudName } from '../../cloud/registry.ts';
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

/** Whether a cloud is read too; auto: where there are credentials. */
export type QueryMode = 'auto' | 'on' | 'off';

export interface CloudChoice {
  /** Undefined: that of the objects in the cluster. */
  readonly name: CloudName | undefined;
  query(cloud: string): QueryMode;
}

export interface OpenRequest {
  readonly source: SourceChoice;
  readonly cloud: CloudChoice;
  readonly env: Environment;
  /** Created on first use: log, metrics and network take time to load, and a dump needs none of them. */
  readonly world: () => Promise<World>;
  readonly interrupted: AbortSignal;
  /** For what the user should know about the choice of the cloud. */
  readonly warn: (line: string) => void;
}

export interface OpenSource {
  /** Reads again: objects may have changed. */
  reader(): ObjectReader;
  readonly cloud: CloudDiagnosis;
  /** The namespace of the context, for pods without a namespace in the question. */
  readonly namespace: string | undefined;
  close(): Promise<void>;
}
