/**
 * Aliases of images: `family@version`, and the image family of a node class. A text that is no alias is a problem with a
 * sentence; nothing here throws.
 */
import { AMI_FAMILIES, type EC2NodeClassSpec } from '../../../api/index.ts';
import type { AmiFamily } from '../../../bootstrap/index.ts';

export const LATEST = 'latest';

export interface ImageAlias {
  readonly family: AmiFamily;
  /** `latest`, `v20260801`, `v1.46.0`: as written. */
  readonly version: string;
}

/** A reason of the condition AMIsReady, and a sentence. */
export interface ImageProblem {
  readonly reason: 'InvalidAlias' | 'UnsupportedAlias' | 'AMINotFound';
  /** The field at fault. */
  readonly path: string;
  readonly message: string;
}

export type ParsedAlias = { readonly alias: ImageAlias } | { readonly message: string };

/** Families are in lower case, as the API server demands. */
export function parseAlias(text: string): ParsedAlias {
  const [name = '', version = '', ...rest] = text.split('@');
  if (rest.length > 0) {
    return { message: `"${text}" has two versions; write ${name}@${version}` };
  }
  if (name === '' || version === '') {
    return { message: `"${text}" is not of the form family@version, such as al2023@latest` };
  }
  const family = FAMILY_OF_ALIAS.get(name);
  if (family === undefined) {
    return { message: `"${name}" is no image family; use one of ${[...FAMILY_OF_ALIAS.keys()].join(', ')}` };
  }
  if (family.startsWith('Windows') && version !== LATEST) {
    return { message: `images of ${family} have one version only; write ${name}@${LATEST}` };
  }
  return { alias: { family, version } };
}

/** The alias of a node class; nothing when it selects its images otherwise. */
export function classAlias(
  spec: EC2NodeClassSpec,
): { readonly alias: ImageAlias; readonly path: string } | { readonly problem: ImageProblem } | undefined {
  const index = spec.amiSelectorTerms.findIndex(({ alias }) => alias !== undefined && alias !== '');
  if (index < 0) return undefined;
  const path = `spec.amiSelectorTerms[${index}].alias`;
  const parsed = parseAlias(spec.amiSelectorTerms[index]!.alias!);
  return 'alias' in parsed
    ? { alias: parsed.alias, path }
    : { problem: { reason: 'InvalidAlias', path, message: parsed.message } };
}

/** The family that the class names, else that of its alias. The API server demands one of them. */
export function imageFamily(
  spec: EC2NodeClassSpec,
): { readonly family: AmiFamily } | { readonly problem: ImageProblem } {
  if (spec.amiFamily !== undefined) return { family: spec.amiFamily };
  const found = classAlias(spec);
  if (found === undefined) return { family: 'Custom' };
  return 'alias' in found ? { family: found.alias.family } : found;
}

/** Why AWS has no images of this family for this version of Kubernetes (`1.33`). */
export function unsupportedAlias(alias: ImageAlias, kubernetesVersion: string): string | undefined {
  const minor = minorOf(kubernetesVersion);
  const limit = FAMILY_LIMITS[alias.family];
  if (minor === undefined || limit === undefined) return undefined;
  if (limit.until !== undefined && minor > limit.until) {
    return `AWS publishes no ${alias.family} images for Kubernetes 1.${limit.until + 1} and later; use ${limit.instead}`;
  }
  if (limit.from !== undefined && minor < limit.from) {
    return `AWS publishes ${alias.family} images for Kubernetes 1.${limit.from} and later; use ${limit.instead}`;
  }
  return undefined;
}

/** `1.33` of `1.33`, `1.33.4` and `v1.33.4-eks-abc`. */
export function majorMinor(kubernetesVersion: string): string {
  return /^v?(\d+\.\d+)/.exec(kubernetesVersion)?.[1] ?? kubernetesVersion;
}

// ---------------------------------------------------------------------------------------------------

const FAMILY_OF_ALIAS: ReadonlyMap<string, AmiFamily> = new Map(
  AMI_FAMILIES.filter((family) => family !== 'Custom').map((family) => [family.toLowerCase(), family]),
);

interface FamilyLimit {
  /** The last minor version that has images. */
  readonly until?: number;
  /** The first one. */
  readonly from?: number;
  readonly instead: string;
}

const FAMILY_LIMITS: Readonly<Partial<Record<AmiFamily, FamilyLimit>>> = {
  AL2: { until: 32, instead: 'al2023@latest' },
  Windows2025: { from: 35, instead: 'windows2022@latest' },
};

function minorOf(kubernetesVersion: string): number | undefined {
  const minor = majorMinor(kubernetesVersion).split('.')[1];
  return minor === undefined ? undefined : Number(minor);
}
