/** HorizontalPodAutoscalers: defaults and validation. Nothing scales by them, because simulated pods have no metrics. */
import type {
  V2CrossVersionObjectReference,
  V2HorizontalPodAutoscaler,
  V2HPAScalingRules,
  V2MetricSpec,
  V2MetricTarget,
} from '@kubernetes/client-node';
import { quantityOf } from '../pods/validate-resources.ts';
import type { KindRules } from '../rules.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { checkSelector } from '../validation/labels.ts';
import { labelName, pathSegmentName } from '../validation/names.ts';

export const autoscalerRules: KindRules = {
  generation: false,
  defaults: (object) => {
    const { spec } = object as unknown as V2HorizontalPodAutoscaler;
    spec!.minReplicas ??= 1;
    if ((spec!.metrics ?? []).length === 0)
      spec!.metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { ...DEFAULT_TARGET } } }];
    const { behavior } = spec!;
    if (!behavior) return;
    behavior.scaleUp = defaultRules(behavior.scaleUp, UP);
    behavior.scaleDown = defaultRules(behavior.scaleDown, DOWN);
  },
  validate: (object, errors) => {
    const { spec } = object as unknown as V2HorizontalPodAutoscaler;
    const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = spec!;
    if (minReplicas !== undefined && minReplicas < 1)
      errors.invalid('spec.minReplicas', minReplicas, AT_LEAST_ONE);
    if (maxReplicas === 0) errors.required('spec.maxReplicas', 'must be set and greater than 0');
    else if (maxReplicas < 0) errors.invalid('spec.maxReplicas', maxReplicas, AT_LEAST_ONE);
    if (minReplicas !== undefined && maxReplicas < minReplicas)
      errors.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`');
    checkReference(scaleTargetRef, 'spec.scaleTargetRef', errors);
    if (!(scaleTargetRef?.apiVersion ?? '').includes('/'))
      errors.invalid(
        'spec.scaleTargetRef.apiVersion',
        scaleTargetRef?.apiVersion ?? '',
        'apiVersion must specify API group',
      );
    for (const [index, metric] of metrics.entries()) checkMetric(metric, `spec.metrics[${index}]`, errors);
    if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External'))
      errors.forbidden('spec.metrics', NO_METRIC_FOR_ZERO);
    if (!behavior) return;
    checkRules(behavior.scaleUp, 'spec.behavior.scaleUp', errors);
    checkRules(behavior.scaleDown, 'spec.behavior.scaleDown', errors);
  },
  validateStatus: (next, _current, errors) => {
    const { status } = next as unknown as V2HorizontalPodAutoscaler;
    errors.notNegative('status.currentReplicas', status?.currentReplicas);
    errors.notNegative('status.desiredReplicas', status?.desiredReplicas);
  },
};

// ---------------------------------------------------------------------------------------------------

const AT_LEAST_ONE = 'must be greater than or equal to 1';
const NO_METRIC_FOR_ZERO =
  'must specify at least one Object or External metric to support scaling to zero replicas';
const MAX_STABILIZATION_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const DEFAULT_TARGET = { type: 'Utilization', averageUtilization: 80 } as const;

const UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

function defaultRules(given: V2HPAScalingRules | undefined, defaults: V2HPAScalingRules): V2HPAScalingRules {
  return { ...structuredClone(defaults), ...given };
}

/** One row for each source of metrics: its type, its field, its own checks. In the order in which a server checks them. */
const SOURCES: readonly {
  readonly type: string;
  readonly field: 'object' | 'external' | 'pods' | 'resource' | 'containerResource';
  readonly check: (metric: V2MetricSpec, path: string, errors: FieldErrors) => void;
}[] = [
  {
    type: 'Object',
    field: 'object',
    check: ({ object }, path, errors) => {
      checkReference(object!.describedObject, `${path}.describedObject`, errors);
      checkMetricName(object!.metric, `${path}.metric`, errors);
      checkTarget(object!.target, `${path}.target`, errors);
      if (!object!.target?.value && !object!.target?.averageValue)
        errors.required(`${path}.target.averageValue`, 'must set either a target value or averageValue');
    },
  },
  {
    type: 'External',
    field: 'external',
    check: ({ external }, path, errors) => {
      checkMetricName(external!.metric, `${path}.metric`, errors);
      checkTarget(external!.target, `${path}.target`, errors);
      const { value, averageValue } = external!.target ?? {};
      if (!value && !averageValue)
        errors.required(
          `${path}.target.averageValue`,
          'must set either a target value for metric or a per-pod target',
        );
      if (value && averageValue)
        errors.forbidden(
          `${path}.target.value`,
          'may not set both a target value for metric and a per-pod target',
        );
    },
  },
  {
    type: 'Pods',
    field: 'pods',
    check: ({ pods }, path, errors) => {
      checkMetricName(pods!.metric, `${path}.metric`, errors);
      checkTarget(pods!.target, `${path}.target`, errors);
      if (!pods!.target?.averageValue)
        errors.required(`${path}.target.averageValue`, 'must specify a positive target averageValue');
    },
  },
  {
    type: 'Resource',
    field: 'resource',
    check: ({ resource }, path, errors) => {
      if (!resource!.name) errors.required(`${path}.name`, 'must specify a resource name');
      checkResourceTarget(resource!.target, `${path}.target`, errors);
    },
  },
  {
    type: 'ContainerResource',
    field: 'containerResource',
    check: ({ containerResource: source }, path, errors) => {
      if (!source!.name) errors.required(`${path}.name`, 'must specify a resource name');
      if (!source!.container) errors.required(`${path}.container`, 'must specify a container');
      else errors.invalidFor(`${path}.container`, source!.container, labelName(source!.container));
      checkResourceTarget(source!.target, `${path}.target`, errors);
    },
  },
];
const SOURCE_TYPES = SOURCES.map(({ type }) => type).sort();

function checkMetric(metric: V2MetricSpec, path: string, errors: FieldErrors): void {
  const unsupported = () => errors.notSupported(`${path}.type`, metric.type ?? '', SOURCE_TYPES);
  const expected = SOURCES.find(({ type }) => type === metric.type);
  if (!metric.type) errors.required(`${path}.type`, 'must specify a metric source type');
  if (!expected) unsupported();
  const present = SOURCES.filter(({ field }) => metric[field]);
  const [first] = present;
  first?.check(metric, `${path}.${first.field}`, errors);
  if (!expected) unsupported();
  else if (!metric[expected.field])
    errors.required(`${path}.${expected.field}`, 'must populate information for the given metric source');
  if (present.length === 1) return;
  for (const source of present)
    if (source !== expected)
      errors.forbidden(`${path}.${source.field}`, 'must populate the given metric source only');
}

function checkReference(
  reference: V2CrossVersionObjectReference | undefined,
  path: string,
  errors: FieldErrors,
): void {
  for (const field of ['kind', 'name'] as const) {
    const value = reference?.[field] ?? '';
    if (value === '') errors.required(`${path}.${field}`);
    else errors.invalidFor(`${path}.${field}`, value, pathSegmentName(value));
  }
}

function checkMetricName(
  metric: { readonly name?: string; readonly selector?: object } | undefined,
  path: string,
  errors: FieldErrors,
): void {
  const name = metric?.name ?? '';
  if (name === '') errors.required(`${path}.name`, 'must specify a metric name');
  else errors.invalidFor(`${path}.name`, name, pathSegmentName(name));
  checkSelector(metric?.selector, `${path}.selector`, errors);
}

function checkResourceTarget(target: V2MetricTarget | undefined, path: string, errors: FieldErrors): void {
  checkTarget(target, path, errors);
  const { averageUtilization, averageValue } = target ?? {};
  if (averageUtilization === undefined && !averageValue)
    errors.required(
      `${path}.averageUtilization`,
      'must set either a target raw value or a target utilization',
    );
  if (averageUtilization !== undefined && averageValue)
    errors.forbidden(`${path}.averageValue`, 'may not set both a target raw value and a target utilization');
}

function checkTarget(target: V2MetricTarget | undefined, path: string, errors: FieldErrors): void {
  const { type = '', averageUtilization } = target ?? {};
  if (type === '') errors.required(`${path}.type`, 'must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue');
  for (const field of ['value', 'averageValue'] as const) {
    const amount = target?.[field];
    if (amount !== undefined && quantityOf(amount).sign() <= 0)
      errors.invalid(`${path}.${field}`, amount, 'must be positive');
  }
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0');
}

function checkRules(rules: V2HPAScalingRules | undefined, path: string, errors: FieldErrors): void {
  if (!rules) return;
  const { stabilizationWindowSeconds: seconds = 0, selectPolicy, policies = [], tolerance } = rules;
  const at = `${path}.stabilizationWindowSeconds`;
  if (seconds < 0) errors.invalid(at, seconds, 'must be greater than or equal to zero');
  if (seconds > MAX_STABILIZATION_SECONDS)
    errors.invalid(at, seconds, `must be less than or equal to ${MAX_STABILIZATION_SECONDS}`);
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy))
    errors.notSupported(`${path}.selectPolicy`, selectPolicy, SELECT_POLICIES);
  if (policies.length === 0) errors.required(`${path}.policies`, 'must specify at least one Policy');
  for (const [index, policy] of policies.entries()) {
    const here = `${path}.policies[${index}]`;
    if (!POLICY_TYPES.includes(policy.type)) errors.notSupported(`${here}.type`, policy.type, POLICY_TYPES);
    errors.positive(`${here}.value`, policy.value);
    errors.positive(`${here}.periodSeconds`, policy.periodSeconds);
    if (policy.periodSeconds > MAX_PERIOD_SECONDS)
      errors.invalid(
        `${here}.periodSeconds`,
        policy.periodSeconds,
        `must be less than or equal to ${MAX_PERIOD_SECONDS}`,
      );
  }
  if (tolerance !== undefined && quantityOf(tolerance).sign() < 0)
    errors.invalid(`${path}.tolerance`, tolerance, 'must be greater than or equal to 0');
}

const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
