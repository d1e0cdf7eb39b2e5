/**
 * Devices that a pod requests through dynamic resource allocation: the claims and templates of the pod, and the claims that
 * its containers use. They are recognised so that such pods are refused by name; devices are not allocated.
 */
import type { Container, PodSpec } from '../model.ts';

/** `gpu from ResourceClaimTemplate one-gpu`, one for each claim, in the order of the spec. */
export function resourceClaimsOf(spec: PodSpec | undefined): readonly string[] {
  if (spec === undefined || !hasClaims(spec)) return NONE;
  const texts = new Map<string, string>();
  for (const claim of spec.resourceClaims ?? []) texts.set(claim.name, `${claim.name}${sourceText(claim)}`);
  for (const container of [...listOf(spec.initContainers), ...listOf(spec.containers)]) {
    for (const claim of listOf(container?.resources?.claims)) {
      const name = String(claim?.name);
      if (!texts.has(name)) texts.set(name, name);
    }
  }
  return [...texts.values()];
}

// ---------------------------------------------------------------------------------------------------------------

type PodResourceClaim = NonNullable<PodSpec['resourceClaims']>[number];

const NONE: readonly never[] = [];

/** Almost no pod has any. */
function hasClaims({ resourceClaims, containers, initContainers }: PodSpec): boolean {
  if (resourceClaims !== undefined && resourceClaims !== null && resourceClaims.length > 0) return true;
  return usesClaims(containers) || usesClaims(initContainers);
}

function usesClaims(containers: readonly Container[] | undefined): boolean {
  for (const container of listOf(containers)) {
    const claims = container?.resources?.claims;
    if (claims !== undefined && claims !== null && claims.length > 0) return true;
  }
  return false;
}

/** The shape of containers is validated elsewhere. */
function listOf<T>(list: readonly T[] | undefined | null): readonly T[] {
  return Array.isArray(list) ? list : NONE;
}

function sourceText({ resourceClaimName, resourceClaimTemplateName }: PodResourceClaim): string {
  if (resourceClaimName) return ` from ResourceClaim ${resourceClaimName}`;
  return resourceClaimTemplateName ? ` from ResourceClaimTemplate ${resourceClaimTemplateName}` : '';
}
