/** LimitRange: defaults for containers that say nothing, bounds for those that do. */
import { type KubeObject, parseQuantity } from '@chandler/kube';
import { type AdmissionPlugin, type Attributes, isKind, refused } from './admission.ts';
import { podLimits, podRequests, type ResourceList } from './pod-resources.ts';

export const LIMIT_RANGER: AdmissionPlugin = {
  name: 'LimitRanger',
  mutate(attributes) {
    if (!isPodCreation(attributes)) return;
    for (const range of rangesOf(attributes)) setDefaults(attributes.object!, range);
  },
  validate(attributes) {
    const { call, operation, object } = attributes;
    if (call.subresource !== undefined || operation === 'DELETE') return;
    const claim = isKind(call, '', 'persistentvolumeclaims');
    if (!claim && !isPodCreation(attributes)) return;
    for (const range of rangesOf(attributes)) {
      const errors = claim ? claimErrors(object!, range) : podErrors(object!, range);
      if (errors.length > 0)
        throw refused(attributes, errors.length === 1 ? errors[0]! : `[${unique(errors).join(', ')}]`);
    }
  },
};

// ---------------------------------------------------------------------------------------------------

const ANNOTATION = 'kubernetes.io/limit-ranger';

interface Limit {
  readonly type: 'Container' | 'Pod' | 'PersistentVolumeClaim';
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}

interface Container {
  readonly name: string;
  resources?: { requests?: ResourceList; limits?: ResourceList };
}

interface Demand {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function isPodCreation({ call, operation }: Attributes): boolean {
  return isKind(call, '', 'pods') && call.subresource === undefined && operation === 'CREATE';
}

function* rangesOf({ call }: Attributes): Generator<readonly Limit[]> {
  for (const range of call.list('limitranges', call.namespace)) {
    yield (range['spec'] as { limits?: Limit[] } | undefined)?.limits ?? [];
  }
}

function setDefaults(pod: KubeObject, limits: readonly Limit[]): void {
  const requests: ResourceList = {};
  const maxima: ResourceList = {};
  for (const limit of limits) {
    if (limit.type !== 'Container') continue;
    Object.assign(requests, limit.defaultRequest);
    Object.assign(maxima, limit.default);
  }
  if (Object.keys(requests).length + Object.keys(maxima).length === 0) return;
  const notes: string[] = [];
  const spec = pod['spec'] as { containers?: Container[]; initContainers?: Container[] };
  for (const container of spec.containers ?? [])
    fillContainer(container, requests, maxima, 'container', notes);
  for (const container of spec.initContainers ?? [])
    fillContainer(container, requests, maxima, 'init container', notes);
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
}

function fillContainer(
  container: Container,
  requests: ResourceList,
  limits: ResourceList,
  label: string,
  notes: string[],
): void {
  const resources = container.resources ?? {};
  container.resources = resources;
  for (const [field, defaults, word] of [
    ['requests', requests, 'request'],
    ['limits', limits, 'limit'],
  ] as const) {
    const missing = Object.keys(defaults)
      .filter((name) => resources[field]?.[name] === undefined)
      .sort();
    if (missing.length === 0) continue;
    resources[field] = {
      ...resources[field],
      ...Object.fromEntries(missing.map((name) => [name, defaults[name]!])),
    };
    notes.push(`${missing.join(', ')} ${word} for ${label} ${container.name}`);
  }
}

function podErrors(pod: KubeObject, limits: readonly Limit[]): string[] {
  const spec = pod['spec'] as { containers?: Container[]; initContainers?: Container[] };
  const errors: string[] = [];
  for (const limit of limits) {
    if (limit.type === 'Container') {
      for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
        errors.push(
          ...demandErrors(limit, { requests: resources?.requests ?? {}, limits: resources?.limits ?? {} }),
        );
      }
    } else if (limit.type === 'Pod') {
      errors.push(...demandErrors(limit, { requests: podRequests(pod), limits: podLimits(pod) }));
    }
  }
  return errors;
}

function demandErrors(limit: Limit, { requests, limits }: Demand): string[] {
  const errors: (string | undefined)[] = [];
  for (const [name, bound] of Object.entries(limit.min ?? {})) {
    errors.push(belowMin(limit.type, name, bound, requests[name], limits[name]));
  }
  for (const [name, bound] of Object.entries(limit.max ?? {})) {
    errors.push(aboveMax(limit.type, name, bound, requests[name], limits[name]));
  }
  for (const [name, bound] of Object.entries(limit.maxLimitRequestRatio ?? {})) {
    errors.push(aboveRatio(limit.type, name, bound, requests[name], limits[name]));
  }
  return errors.filter((error) => error !== undefined);
}

function claimErrors(claim: KubeObject, limits: readonly Limit[]): string[] {
  const spec = claim['spec'] as { resources?: { requests?: ResourceList } } | undefined;
  const requests = spec?.resources?.requests ?? {};
  const errors: (string | undefined)[] = [];
  for (const limit of limits) {
    if (limit.type !== 'PersistentVolumeClaim') continue;
    for (const [name, bound] of Object.entries(limit.min ?? {})) {
      errors.push(belowMin(limit.type, name, bound, requests[name], undefined));
    }
    for (const [name, bound] of Object.entries(limit.max ?? {})) {
      errors.push(requestAboveMax(limit.type, name, bound, requests[name]));
    }
  }
  return errors.filter((error) => error !== undefined);
}

function belowMin(
  type: string,
  name: string,
  bound: string,
  request?: string,
  limit?: string,
): string | undefined {
  const head = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  if (less(request, bound)) return `${head}, but request is ${request}`;
  return limit !== undefined && less(limit, bound) ? `${head}, but limit is ${limit}` : undefined;
}

function aboveMax(
  type: string,
  name: string,
  bound: string,
  request?: string,
  limit?: string,
): string | undefined {
  const head = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${head}.  No limit is specified`;
  if (less(bound, limit)) return `${head}, but limit is ${limit}`;
  return request !== undefined && less(bound, request) ? `${head}, but request is ${request}` : undefined;
}

function requestAboveMax(type: string, name: string, bound: string, request?: string): string | undefined {
  const head = `maximum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  return less(bound, request) ? `${head}, but request is ${request}` : undefined;
}

function aboveRatio(
  type: string,
  name: string,
  bound: string,
  request?: string,
  limit?: string,
): string | undefined {
  const head = `${name} max limit to request ratio per ${type} is ${bound}`;
  if (request === undefined || parseQuantity(request).isZero())
    return `${head}, but no request is specified or request is 0`;
  if (limit === undefined || parseQuantity(limit).isZero())
    return `${head}, but no limit is specified or limit is 0`;
  const ratio = parseQuantity(limit).toNumber() / parseQuantity(request).toNumber();
  return ratio > parseQuantity(bound).toNumber()
    ? `${head}, but provided ratio is ${ratio.toFixed(6)}`
    : undefined;
}

function less(left: string, right: string): boolean {
  return parseQuantity(left).compare(parseQuantity(right)) < 0;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
