/** Which image family a node class means, and which of its images are for the VMs it makes. */
import type { AKSNodeClassSpec } from '../../../api/index.ts';
import { atLeast, parseKubernetesVersion } from '../../../bootstrap/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import {
  FAMILIES,
  type FamilyName,
  type ImageDefinition,
  type ImageFamily,
  type ImageVariant,
} from './families.table.ts';

export interface ResolvedFamily {
  readonly family: ImageFamily;
  readonly variant: ImageVariant;
  /** In order of preference; none where AKS builds no such image. */
  readonly definitions: readonly ImageDefinition[];
}

/** As a node class names them. A newer version of the kind may let others through; `resolveFamily` wants one of these. */
export function knownFamilies(): readonly string[] {
  return [...new Set(RESOLUTION.map(({ wanted }) => wanted))];
}

/** @throws {BootstrapError} `malformedVersion`. */
export function resolveFamily(spec: AKSNodeClassSpec, kubernetesVersion: Sourced<string>): ResolvedFamily {
  const version = parseKubernetesVersion(kubernetesVersion);
  const fips = spec.fipsMode === 'FIPS';
  const trusted = hasTrustedLaunch(spec);
  const facts = { fips, trusted, from: (minor: number) => atLeast(version, minor) };
  const wanted = spec.imageFamily ?? 'Ubuntu';
  const family = FAMILIES[RESOLUTION.find((row) => row.wanted === wanted && row.when(facts))!.resolved];
  const variant = variantOf(fips, trusted);
  return { family, variant, definitions: family.definitions[variant] };
}

/** Either part of it turns it on. */
export function hasTrustedLaunch(spec: AKSNodeClassSpec): boolean {
  const { vtpm, secureBoot } = spec.security?.trustedLaunch ?? {};
  return vtpm === true || secureBoot === true;
}

// ---------------------------------------------------------------------------------------------------

interface Facts {
  readonly fips: boolean;
  readonly trusted: boolean;
  /** Whether the cluster has this minor or a later one. */
  from(minor: number): boolean;
}

interface ResolutionRow {
  readonly wanted: NonNullable<AKSNodeClassSpec['imageFamily']>;
  when(facts: Facts): boolean;
  readonly resolved: FamilyName;
}

const always = () => true;

/** The first row that fits. */
const RESOLUTION: readonly ResolutionRow[] = [
  { wanted: 'Ubuntu', when: ({ trusted }) => trusted, resolved: 'Ubuntu2204' },
  { wanted: 'Ubuntu', when: ({ fips }) => fips, resolved: 'Ubuntu2004' },
  { wanted: 'Ubuntu', when: ({ from }) => from(34), resolved: 'Ubuntu2404' },
  { wanted: 'Ubuntu', when: always, resolved: 'Ubuntu2204' },
  { wanted: 'Ubuntu2204', when: always, resolved: 'Ubuntu2204' },
  { wanted: 'Ubuntu2404', when: always, resolved: 'Ubuntu2404' },
  { wanted: 'AzureLinux', when: ({ from }) => from(32), resolved: 'AzureLinux3' },
  { wanted: 'AzureLinux', when: always, resolved: 'AzureLinux2' },
];

function variantOf(fips: boolean, trusted: boolean): ImageVariant {
  if (fips) return trusted ? 'fipsTrustedLaunch' : 'fips';
  return trusted ? 'trustedLaunch' : 'plain';
}
