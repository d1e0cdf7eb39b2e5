/** Requests and limits of a pod as a whole: they must leave room for those of its containers. */
import type { V1PodSpec } from '@kubernetes/client-node';
import { Quantity } from '../../../../api/values/quantity.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
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
  for (const part of ['limits', 'requests'] as const) {
    for (const name in resources[part]) {
      if (SUPPORTED.includes(name) || isHugePages(name)) continue;
      errors.notSupported(`${path}.${part}[${name}]`, name, [...SUPPORTED, 'hugepages-']);
    }
  }
  checkResources({ ...resources, claims: [] }, claims, path, errors);
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

// ---------------------------------------------------------------------------------------------------

const SUPPORTED = ['cpu', 'memory'];

function total(spec: V1PodSpec, name: string): Quantity {
  let sum = Quantity.zero;
  for (const container of spec.containers ?? []) {
    const request = container.resources?.requests?.[name];
    if (request !== undefined) sum = sum.isZero() ? quantityOf(request) : sum.add(quantityOf(request));
  }
  return sum;
}
