/** Small kinds that configure the cluster: budgets, priorities, leases, runtimes, quotas, limits. */
import type { KubeObject } from '@chandler/kube';
import type {
  V1PodDisruptionBudget,
  V1PriorityClass,
  V1ResourceQuota,
  V1RuntimeClass,
} from '@kubernetes/client-node';
import { rowOf } from '../../table-row.ts';
import { internalValue } from '../internal/layout.ts';
import {
  checkResourceAmount,
  checkResources,
  quantityOf,
  STANDARD_RESOURCES,
} from '../pods/validate-resources.ts';
import { checkTolerations } from '../pods/validate-scheduling.ts';
import type { KindRules } from '../rules.ts';
import { type FieldErrors, NOT_NEGATIVE } from '../validation/field-errors.ts';
import { checkLabels, checkSelector } from '../validation/labels.ts';
import { labelName, pathSegmentName, qualifiedName } from '../validation/names.ts';
import { checkAtMostAll, checkIntOrPercent } from '../workloads/templates.ts';

export const disruptionBudgetRules: KindRules = {
  name: pathSegmentName,
  validate: (object, errors) => {
    const spec = (object as unknown as V1PodDisruptionBudget).spec!;
    const { minAvailable, maxUnavailable } = spec;
    if (minAvailable !== undefined && maxUnavailable !== undefined) {
      errors.invalid(
        'spec',
        internalValue('policy.PodDisruptionBudgetSpec', spec),
        'minAvailable and maxUnavailable cannot be both set',
      );
    }
    checkIntOrPercent(minAvailable, 'spec.minAvailable', errors);
    checkAtMostAll(minAvailable, 'spec.minAvailable', errors);
    checkIntOrPercent(maxUnavailable, 'spec.maxUnavailable', errors);
    checkAtMostAll(maxUnavailable, 'spec.maxUnavailable', errors);
    checkSelector(spec.selector, 'spec.selector', errors);
    const policy = spec.unhealthyPodEvictionPolicy;
    if (policy !== undefined && !EVICTION_POLICIES.includes(policy)) {
      errors.notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES);
    }
  },
  validateStatus: (next, _current, errors) => {
    const status = next['status'] as Record<string, number> | undefined;
    for (const field of BUDGET_COUNTS) errors.notNegative(`status.${field}`, status?.[field]);
  },
};

export const priorityClassRules: KindRules = {
  generation: 'fixed',
  revalidates: false,
  defaults: (object) => {
    const priority = object as unknown as V1PriorityClass;
    priority.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validate: (object, errors) => {
    const { metadata, value = 0, preemptionPolicy } = object as unknown as V1PriorityClass;
    const name = metadata?.name ?? '';
    if (name.startsWith('system-'))
      checkSystemPriority(name, value, object['globalDefault'] === true, errors);
    else if (value > 1_000_000_000) {
      errors.forbidden('value', 'maximum allowed value of a user defined priority is 1000000000');
    }
    errors.oneOf('preemptionPolicy', preemptionPolicy, ['PreemptLowerPriority', 'Never']);
  },
  validateUpdate: (next, current, errors) => {
    if (next['value'] !== current['value']) errors.forbidden('value', 'may not be changed in an update.');
    errors.immutable('preemptionPolicy', next['preemptionPolicy'], current['preemptionPolicy']);
  },
};

export const leaseRules: KindRules = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: (object, errors) => {
    const spec = object['spec'] as
      | {
          leaseDurationSeconds?: number;
          leaseTransitions?: number;
          strategy?: string;
          preferredHolder?: string;
        }
      | undefined;
    if (spec?.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0) {
      errors.invalid('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0');
    }
    if (spec?.leaseTransitions !== undefined && spec.leaseTransitions < 0) {
      errors.invalid('spec.leaseTransitions', spec.leaseTransitions, NOT_NEGATIVE);
    }
  },
};

export const runtimeClassRules: KindRules = {
  revalidates: false,
  defaults: (object) => {
    for (const toleration of (object as unknown as V1RuntimeClass).scheduling?.tolerations ?? []) {
      if (toleration.operator === '') delete toleration.operator;
    }
  },
  validate: (object, errors) => {
    const { handler, overhead, scheduling } = object as unknown as V1RuntimeClass;
    if (handler) errors.invalidFor('handler', handler, labelName(handler));
    if (overhead?.podFixed !== undefined)
      checkResources({ limits: overhead.podFixed }, new Set(), 'overhead', errors);
    checkLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector', errors);
    checkTolerations(scheduling?.tolerations, 'scheduling.tolerations', errors);
    if (!handler) errors.required('handler');
  },
  validateUpdate: (next, current, errors) => errors.immutable('handler', next['handler'], current['handler']),
};

export const resourceQuotaRules: KindRules = {
  generation: false,
  validate: (object, errors) => {
    const { spec } = object as unknown as V1ResourceQuota;
    checkQuotaAmounts(spec?.hard, 'spec.hard', errors);
    const scopes = spec?.scopes ?? [];
    for (const scope of scopes) checkScope(scope, scopes, spec?.hard ?? {}, errors);
    for (const [one, other] of CONFLICTING_SCOPES) {
      if (scopes.includes(one) && scopes.includes(other))
        errors.invalid('spec.scopes', scopes, 'conflicting scopes');
    }
  },
  validateUpdate: (next, current, errors) => {
    const scopes = [...((next as unknown as V1ResourceQuota).spec?.scopes ?? [])];
    const before = [...((current as unknown as V1ResourceQuota).spec?.scopes ?? [])];
    errors.immutable('spec.scopes', scopes.sort(), before.sort());
  },
  validateStatus: (next, _current, errors) => {
    const { status } = next as unknown as V1ResourceQuota;
    checkQuotaAmounts(status?.hard, 'status.hard', errors);
    checkQuotaAmounts(status?.used, 'status.used', errors);
  },
};

export const limitRangeRules: KindRules = {
  prepareForCreate: ({ metadata }) => {
    if (!metadata.name && metadata.uid !== undefined) metadata.name = metadata.uid;
  },
  defaults: (object) => {
    for (const item of limitItems(object)) defaultLimits(item);
  },
  validate: (object, errors) => {
    const types = new Set<string>();
    limitItems(object).forEach((item, index) => {
      const at = `spec.limits[${index}]`;
      checkLimitType(item.type, `${at}.type`, errors);
      if (types.has(item.type)) errors.duplicate(`${at}.type`, item.type);
      types.add(item.type);
      checkLimitItem(item, at, errors);
    });
  },
};

// ---------------------------------------------------------------------------------------------------

/** As on the wire; `default` is a reserved word in JavaScript. */
interface LimitItem {
  readonly type: string;
  readonly max?: Readonly<Record<string, string>>;
  readonly min?: Readonly<Record<string, string>>;
  default?: Readonly<Record<string, string>>;
  defaultRequest?: Readonly<Record<string, string>>;
}

function limitItems(object: KubeObject): LimitItem[] {
  return (object['spec'] as { limits?: LimitItem[] | null } | undefined)?.limits ?? [];
}

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const BUDGET_COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
const LIMIT_TYPES: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const SCOPES: ReadonlySet<string> = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]);
const POD_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);
const CONFLICTING_SCOPES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

function checkSystemPriority(name: string, value: number, globalDefault: boolean, errors: FieldErrors): void {
  const known = rowOf(SYSTEM_PRIORITIES, name);
  if (known === value && !globalDefault) return;
  let why = `${name} is not a known system priority class`;
  if (known !== undefined) {
    why =
      value === known
        ? `globalDefault of ${name} PriorityClass must be false`
        : `value of ${name} PriorityClass must be ${known}`;
  }
  errors.forbidden(
    'metadata.name',
    `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`,
  );
}

/** Scopes about the lifetime or the class of pods are valid only for resources that pods use. */
function checkScope(
  scope: string,
  all: readonly string[],
  hard: Readonly<Record<string, string>>,
  errors: FieldErrors,
): void {
  if (!SCOPES.has(scope)) errors.invalid('spec.scopes', all, 'unsupported scope');
  for (const name of Object.keys(hard).sort()) {
    if (!isStandardQuota(name) || scopeFits(scope, name)) continue;
    errors.invalid('spec.scopes', all, 'unsupported scope applied to resource');
  }
}

function isStandardQuota(name: string): boolean {
  return STANDARD_RESOURCES.has(name) || /^(requests\.)?hugepages-/.test(name);
}

function scopeFits(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return name === 'pods';
  if (!SCOPES.has(scope)) return true;
  if (scope === 'VolumeAttributesClass') return name === 'persistentvolumeclaims' || name.includes('storage');
  return POD_RESOURCES.has(name) || /^(requests\.)?hugepages-/.test(name);
}

function checkQuotaAmounts(
  amounts: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldErrors,
): void {
  for (const name in amounts) {
    const at = `${path}[${name}]`;
    const messages = qualifiedName(name);
    errors.invalidFor(at, name, messages);
    if (!name.includes('/') && !isStandardQuota(name)) {
      if (messages.length === 0)
        errors.invalid(at, name, 'must be a standard resource type or fully qualified');
      errors.invalid(at, name, 'must be a standard resource for quota');
    }
    checkResourceAmount(name, amounts[name]!, at, errors);
  }
}

/** Limits follow from maxima, requests from limits or minima. */
function defaultLimits(item: LimitItem): void {
  if (item.type !== 'Container') return;
  const limits = { ...item.default };
  const requests = { ...item.defaultRequest };
  for (const name in item.max) limits[name] ??= item.max[name]!;
  for (const name in limits) requests[name] ??= limits[name]!;
  for (const name in item.min) requests[name] ??= item.min[name]!;
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

function checkLimitType(type: string, path: string, errors: FieldErrors): void {
  const messages = qualifiedName(type);
  errors.invalidFor(path, type, messages);
  if (messages.length === 0 && !type.includes('/') && !LIMIT_TYPES.has(type)) {
    errors.invalid(path, type, 'must be a standard limit type or fully qualified');
  }
}

function checkLimitItem(item: LimitItem, path: string, errors: FieldErrors): void {
  const { max = {}, min = {}, default: limit = {}, defaultRequest: request = {} } = item;
  if (item.type === 'Pod') {
    for (const [field, amounts] of [
      ['default', limit],
      ['defaultRequest', request],
    ] as const) {
      if (Object.keys(amounts).length > 0)
        errors.forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'");
    }
  }
  if (item.type === 'PersistentVolumeClaim' && min['storage'] === undefined && max['storage'] === undefined) {
    errors.required(
      `${path}.limits`,
      'either minimum or maximum storage value is required, but neither was provided',
    );
  }
  const above = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && other !== undefined && quantityOf(one).compare(quantityOf(other)) > 0;
  for (const name of new Set([
    ...Object.keys(max),
    ...Object.keys(min),
    ...Object.keys(limit),
    ...Object.keys(request),
  ])) {
    const [high, low, given, asked] = [max[name], min[name], limit[name], request[name]];
    if (above(low, high))
      errors.invalid(`${path}.min[${name}]`, low, `min value ${low} is greater than max value ${high}`);
    const requestAt = `${path}.defaultRequest[${name}]`;
    if (above(low, asked))
      errors.invalid(requestAt, asked, `min value ${low} is greater than default request value ${asked}`);
    if (above(asked, high))
      errors.invalid(requestAt, asked, `default request value ${asked} is greater than max value ${high}`);
    if (above(asked, given))
      errors.invalid(
        requestAt,
        asked,
        `default request value ${asked} is greater than default limit value ${given}`,
      );
    if (above(low, given))
      errors.invalid(
        `${path}.default[${name}]`,
        low,
        `min value ${low} is greater than default value ${given}`,
      );
    if (above(given, high))
      errors.invalid(
        `${path}.default[${name}]`,
        high,
        `default value ${given} is greater than max value ${high}`,
      );
  }
}
