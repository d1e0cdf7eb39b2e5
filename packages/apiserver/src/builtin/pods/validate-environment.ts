/** Environment variables of a container, and where their values come from. */
import type {
  V1Container,
  V1EnvVarSource,
  V1ObjectFieldSelector,
  V1ResourceFieldSelector,
} from '@kubernetes/client-node';
import { rowOf } from '../../table-row.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { configKey, environmentName, qualifiedName, subdomainName } from '../validation/names.ts';

export function checkEnvironment(container: V1Container, path: string, errors: FieldErrors): void {
  (container.env ?? []).forEach((variable, index) => {
    const at = `${path}.env[${index}]`;
    if (!variable.name) errors.required(`${at}.name`);
    else errors.invalidFor(`${at}.name`, variable.name, environmentName(variable.name));
    if (variable.valueFrom !== undefined)
      checkSource(variable.valueFrom, variable.value, `${at}.valueFrom`, errors);
  });
  (container.envFrom ?? []).forEach(({ prefix, configMapRef, secretRef }, index) => {
    const at = `${path}.envFrom[${index}]`;
    if (prefix) errors.invalidFor(`${at}.prefix`, prefix, environmentName(prefix));
    for (const [field, reference] of [
      ['configMapRef', configMapRef],
      ['secretRef', secretRef],
    ] as const) {
      if (reference === undefined) continue;
      if (!reference.name) errors.required(`${at}.${field}.name`);
      else errors.invalidFor(`${at}.${field}.name`, reference.name, subdomainName(reference.name, true));
    }
    if (configMapRef === undefined && secretRef === undefined) {
      errors.invalid(`${path}.envFrom`, '', 'must specify one of: `configMapRef` or `secretRef`');
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.invalid(`${path}.envFrom`, '', 'may not have more than one field specified at a time');
    }
  });
}

export function checkFieldSelector(
  selector: V1ObjectFieldSelector,
  supported: readonly string[],
  path: string,
  errors: FieldErrors,
): void {
  if (!selector.apiVersion) {
    errors.required(`${path}.apiVersion`);
    return;
  }
  if (!selector.fieldPath) {
    errors.required(`${path}.fieldPath`);
    return;
  }
  const subscript = /^(.*)\['(.*)'\]$/.exec(selector.fieldPath);
  if (subscript !== null) {
    const [, field, key] = subscript as unknown as [string, string, string];
    if (field === 'metadata.annotations')
      errors.invalidFor(path, key.toLowerCase(), qualifiedName(key.toLowerCase()));
    else if (field === 'metadata.labels') errors.invalidFor(path, key, qualifiedName(key));
    else errors.invalid(`${path}.fieldPath`, selector.fieldPath, conversionError(selector.fieldPath));
    return;
  }
  if (!CONVERTIBLE.has(selector.fieldPath)) {
    errors.invalid(`${path}.fieldPath`, selector.fieldPath, conversionError(selector.fieldPath));
  } else if (!supported.includes(selector.fieldPath)) {
    errors.notSupported(`${path}.fieldPath`, selector.fieldPath, supported);
  }
}

export function checkResourceSelector(
  selector: V1ResourceFieldSelector,
  needsContainer: boolean,
  path: string,
  errors: FieldErrors,
): void {
  const { resource } = selector;
  if (needsContainer && !selector.containerName) errors.required(`${path}.containerName`);
  else if (!resource) errors.required(`${path}.resource`);
  else if (!RESOURCE_PATHS.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource)) {
    errors.notSupported(`${path}.resource`, resource, RESOURCE_PATHS);
  }
  checkDivisor(resource, selector.divisor, path, errors);
}

// ---------------------------------------------------------------------------------------------------

const ENV_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const CONVERTIBLE: ReadonlySet<string> = new Set([
  ...ENV_PATHS,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
]);
const RESOURCE_PATHS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

function conversionError(fieldPath: string): string {
  return `error converting fieldPath: field label not supported: ${fieldPath}`;
}

function checkDivisor(resource: string, divisor: unknown, path: string, errors: FieldErrors): void {
  if (typeof divisor !== 'string' || divisor === '0') return;
  const name = resource.slice(resource.indexOf('.') + 1);
  if (name === 'cpu') {
    if (divisor === '1' || divisor === '1m') return;
    errors.invalid(
      `${path}.divisor`,
      resource,
      "only divisor's values 1m and 1 are supported with the cpu resource",
    );
    return;
  }
  if (SIZES.includes(divisor)) return;
  const shown = rowOf(DIVISOR_NAMES, name) ?? 'hugepages';
  errors.invalid(
    `${path}.divisor`,
    resource,
    `only divisor's values ${SIZES.join(', ')} are supported with the ${shown} resource`,
  );
}

const DIVISOR_NAMES: Readonly<Record<string, string>> = {
  memory: 'memory',
  'ephemeral-storage': 'local ephemeral storage',
};

function checkSource(
  source: V1EnvVarSource,
  value: string | undefined,
  path: string,
  errors: FieldErrors,
): void {
  const given = SOURCES.filter((name) => (source as Record<string, unknown>)[name] !== undefined);
  if (source.fieldRef !== undefined)
    checkFieldSelector(source.fieldRef, ENV_PATHS, `${path}.fieldRef`, errors);
  if (source.resourceFieldRef !== undefined) {
    checkResourceSelector(source.resourceFieldRef, false, `${path}.resourceFieldRef`, errors);
  }
  for (const field of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const reference = source[field];
    if (reference === undefined) continue;
    errors.invalidFor(`${path}.${field}.name`, reference.name ?? '', subdomainName(reference.name ?? ''));
    if (!reference.key) errors.required(`${path}.${field}.key`);
    else errors.invalidFor(`${path}.${field}.key`, reference.key, configKey(reference.key));
  }
  if (given.length === 0) {
    errors.invalid(
      path,
      '',
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    );
  } else if (value) errors.invalid(path, '', 'may not be specified when `value` is not empty');
  else if (given.length > 1) errors.invalid(path, '', 'may not have more than one field specified at a time');
}
