/** The result of reading a config file: the config with warnings, or all problems. */
import type { FlexConfig } from './config.ts';

export type ConfigReading =
  | { readonly ok: true; readonly config: FlexConfig; readonly warnings: readonly ConfigProblem[] }
  | {
      readonly ok: false;
      readonly problems: readonly ConfigProblem[];
      readonly warnings: readonly ConfigProblem[];
    };

export interface ConfigProblem {
  /** `azure.targetCluster.resourceId`; empty when it is about the file as a whole. */
  readonly path: string;
  /** Of the value, or of the object in which it is missing. From 1. */
  readonly line: number;
  readonly message: string;
  /** What to write instead, or what to do. */
  readonly suggestion?: string;
}

export interface ConfigSource {
  readonly text: string;
  /** As the operator named it; for messages. */
  readonly path: string;
  /** Permission bits, where there is a file. */
  readonly mode?: number;
}

export interface Surroundings {
  readonly hostname: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asked when the secret is needed, not before. */
  readSecretFile(path: string): Promise<SecretFile | undefined>;
}

export interface SecretFile {
  readonly text: string;
  /** Permission bits. */
  readonly mode: number;
}
