/** The Kubernetes version of a node, as far as bootstrapping asks: which minor it is. */
import type { Sourced } from '../../settings/index.ts';
import { BootstrapError } from '../bootstrapper.ts';

export interface KubernetesVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

/** @throws {BootstrapError} `malformedVersion`. */
export function parseKubernetesVersion(version: Sourced<string>): KubernetesVersion {
  const match = VERSION.exec(version.value);
  if (match === null) {
    throw new BootstrapError(
      'malformedVersion',
      `the Kubernetes version "${version.value}" does not have the format 1.34.2`,
      { path: version.path },
    );
  }
  return { text: version.value, major: Number(match[1]), minor: Number(match[2]) };
}

export function atLeast(version: KubernetesVersion, minor: number): boolean {
  return version.major > 1 || (version.major === 1 && version.minor >= minor);
}

/** Without a leading v; a pre-release or build may follow. */
const VERSION = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,3})(?:[-+][0-9A-Za-z.+-]{1,64})?$/;
