/** Requests and limits of a pod as a whole: they must be sufficient for those of its containers. */
import { Quantity } from '@chandler/kube';
import type { V1PodSpec } from '@kubernetes/client-node';
import type { FieldErrors } from '../validation/field-errors.ts';
import { labelName, qualifiedName, subdomainName } from '../validation/names.ts';
import { checkResources, isHugePages, quantityOf } from './validate-resources.ts';

export function checkPodResources(
  spec: V1PodSpec,
  claims: ReadonlySet<string>,
  path: string,
  errors: FieldErrors,
): void {
  const resources = spec.resources!;
  if ((resources.claims ?? []).length > 0)
    errors.forbidden(`${path}.claims`, 'claims may not be set for Resources at pod-level');
  checkResources(resources, claims, path, errors, checkPodResourceName);
  for (const name in resources.requests) {
    const sum = total(spec, name);
    const given = resources.requests[name]!;
    if (sum.compare(quantityOf(given)) > 0) {
      errors.invalid(
        `${path}.requests[${name}]`,
        given,
        `must be greater than or equal to aggregate container requests of ${sum}`,
      );
    }
  }
}

/** The claims that a pod's containers may refer to, by name. */
export function checkPodClaims(spec: V1PodSpec, path: string, errors: FieldErrors): ReadonlySet<string> {
  const names = new Set<string>();
  (spec.resourceClaims ?? []).forEach((claim, index) => {
    const at = `${path}[${index}]`;
    if (!claim.name) errors.required(`${at}.name`);
    else if (names.has(claim.name)) errors.duplicate(`${at}.name`, claim.name);
    else errors.invalidFor(`${at}.name`, claim.name, labelName(claim.name));
    if (claim.name) names.add(claim.name);
    const { resourceClaimName: direct, resourceClaimTemplateName: template } = claim;
    const shown = {
      Name: claim.name,
      ResourceClaimName: direct ?? null,
      ResourceClaimTemplateName: template ?? null,
    };
    if (direct !== undefined && template !== undefined) {
      errors.invalid(
        at,
        shown,
        'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
      );
    } else if (direct === undefined && template === undefined) {
      errors.invalid(at, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    }
    if (direct !== undefined) errors.invalidFor(`${at}.resourceClaimName`, direct, subdomainName(direct));
    if (template !== undefined)
      errors.invalidFor(`${at}.resourceClaimTemplateName`, template, subdomainName(template));
  });
  return names;
}

// ---------------------------------------------------------------------------------------------------

const SUPPORTED = ['cpu', 'hugepages-', 'memory'];

function checkPodResourceName(name: string, path: string, errors: FieldErrors): void {
  const messages = qualifiedName(name);
  if (messages.length > 0) errors.invalidFor(path, name, messages);
  else if (name !== 'cpu' && name !== 'memory' && !isHugePages(name))
    errors.notSupported(path, name, SUPPORTED);
}

function total(spec: V1PodSpec, name: string): Quantity {
  let sum = Quantity.zero;
  for (const container of spec.containers ?? []) {
    const request = container.resources?.requests?.[name];
    if (request !== undefined) sum = sum.isZero() ? quantityOf(request) : sum.add(quantityOf(request));
  }
  return sum;
}
