/** Requests and limits: which resource names a container may use, and how amounts relate. */
import { parseQuantity, type Quantity } from '@chandler/kube';
import type { V1ResourceRequirements } from '@kubernetes/client-node';
import { type FieldErrors, NOT_NEGATIVE } from '../validation/field-errors.ts';
import { labelName, qualifiedName } from '../validation/names.ts';

export function checkResources(
  resources: V1ResourceRequirements | undefined,
  claims: ReadonlySet<string>,
  path: string,
  errors: FieldErrors,
  checkName: ResourceNameCheck = checkContainerResourceName,
): void {
  if (resources === undefined) return;
  const { limits, requests } = resources;
  for (const name in limits) checkAmount(name, limits[name]!, checkName, `${path}.limits[${name}]`, errors);
  for (const name in requests) {
    checkAmount(name, requests[name]!, checkName, `${path}.requests[${name}]`, errors);
    checkAgainstLimit(name, requests[name]!, limits?.[name], path, errors);
  }
  const names = [...Object.keys(limits ?? {}), ...Object.keys(requests ?? {})];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    errors.forbidden(path, 'HugePages require cpu or memory');
  }
  checkClaims(resources, claims, `${path}.claims`, errors);
}

export type ResourceNameCheck = (name: string, path: string, errors: FieldErrors) => void;

/** Countable resources (pods, GPUs) must be whole numbers. */
export function checkResourceAmount(name: string, amount: string, path: string, errors: FieldErrors): void {
  const quantity = quantityOf(amount);
  if (quantity.sign() < 0) errors.invalid(path, amount, NOT_NEGATIVE);
  if (isWhole(name) && quantity.milli() % 1000n !== 0n) errors.invalid(path, amount, 'must be an integer');
}

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Resources of Kubernetes itself: no domain, or one of its own. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.startsWith('kubernetes.io/') || name.includes('.kubernetes.io/');
}

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

export function quantityOf(text: string): Quantity {
  let quantity = parsed.get(text);
  if (quantity === undefined) {
    quantity = parseQuantity(text);
    if (parsed.size > 5_000) parsed.clear();
    parsed.set(text, quantity);
  }
  return quantity;
}

export const STANDARD_RESOURCES: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
]);

// ---------------------------------------------------------------------------------------------------

const parsed = new Map<string, Quantity>();
const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const WHOLE_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

function isWhole(name: string): boolean {
  return WHOLE_RESOURCES.has(name) || isExtendedResource(name);
}

function checkAmount(
  name: string,
  amount: string,
  checkName: ResourceNameCheck,
  path: string,
  errors: FieldErrors,
): void {
  if (!CONTAINER_RESOURCES.has(name) || checkName !== checkContainerResourceName)
    checkName(name, path, errors);
  checkResourceAmount(name, amount, path, errors);
}

function checkContainerResourceName(name: string, path: string, errors: FieldErrors): void {
  const messages = qualifiedName(name);
  errors.invalidFor(path, name, messages);
  if (!name.includes('/')) {
    const standard = STANDARD_RESOURCES.has(name) || isHugePages(name);
    if (messages.length === 0 && !standard) {
      errors.invalid(path, name, 'must be a standard resource type or fully qualified');
    }
    if (!isHugePages(name)) errors.invalid(path, name, 'must be a standard resource for containers');
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

/** CPU and memory may be overcommitted; whole devices and huge pages may not. */
function overcommits(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

function checkAgainstLimit(
  name: string,
  request: string,
  limit: string | undefined,
  path: string,
  errors: FieldErrors,
): void {
  if (limit === undefined) {
    if (!overcommits(name))
      errors.required(`${path}.limits`, 'Limit must be set for non overcommitable resources');
    return;
  }
  if (request === limit) return;
  const order = quantityOf(request).compare(quantityOf(limit));
  if (order !== 0 && !overcommits(name)) {
    errors.invalid(`${path}.requests`, request, `must be equal to ${name} limit of ${limit}`);
  } else if (order > 0) {
    errors.invalid(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`);
  }
}

function checkClaims(
  resources: V1ResourceRequirements,
  known: ReadonlySet<string>,
  path: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  (resources.claims ?? []).forEach(({ name, request }, index) => {
    const at = `${path}[${index}]`;
    if (!name) {
      errors.required(at);
      return;
    }
    const claim = request ? `${name}/${request}` : name;
    if (request) errors.invalidFor(`${at}.request`, request, labelName(request));
    if (seen.has(name) || seen.has(claim)) errors.duplicate(at, seen.has(name) ? name : claim);
    seen.add(claim);
    if (known.has(name)) return;
    const where = known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`;
    errors.notFound(at, name, `must be one of the names in pod.spec.resourceClaims${where}`);
  });
}
