/** Jobs and CronJobs. */
import type { V1CronJob, V1Job, V1JobSpec } from '@kubernetes/client-node';
import { internalTemplate } from '../internal/layout.ts';
import { defaultPodTemplate } from '../pods/defaults.ts';
import { checkPodTemplate } from '../pods/validate-spec.ts';
import { warnAboutName, warnAboutPod } from '../pods/warnings.ts';
import type { KindRules } from '../rules.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkSelector, selects, shownLabels, shownSelector } from '../validation/labels.ts';
import { labelName } from '../validation/names.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { canSelect, NO_MATCH, warnAboutTemplate } from './templates.ts';

export const jobRules: KindRules = {
  warnings: warnAboutTemplate,
  defaults: (object) => {
    const job = object as unknown as V1Job;
    const spec = job.spec!;
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
    const labels = spec.template.metadata?.labels;
    if (labels !== undefined && job.metadata!.labels === undefined) job.metadata!.labels = { ...labels };
    spec.completionMode ??= 'NonIndexed';
    spec.suspend ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
    spec.manualSelector ??= false;
    defaultFailureRules(spec);
    defaultPodTemplate(spec.template);
  },
  settle: (object) => {
    // A job without labels gets those of its pods, including the generated ones.
    const labels = (object as unknown as V1Job).spec!.template.metadata?.labels;
    if (object.metadata.labels === undefined && labels !== undefined) object.metadata.labels = { ...labels };
  },
  prepareForCreate: (object) => {
    const job = object as unknown as V1Job;
    if (!job.spec!.manualSelector) selectOwnPods(job);
  },
  validate: (object, errors) => {
    const job = object as unknown as V1Job;
    const spec = job.spec!;
    checkJobSpec(spec, 'spec', errors);
    if (!spec.selector) errors.required('spec.selector');
    else checkSelector(spec.selector, 'spec.selector', errors);
    const labels = spec.template.metadata?.labels;
    const matches = Boolean(spec.selector) && selects(spec.selector!, labels);
    if (!matches && canSelect(spec.selector))
      errors.invalid('spec.template.metadata.labels', shownLabels(labels), NO_MATCH);
    checkIndexedName(job, errors);
  },
  validateUpdate: (next, current, errors) =>
    checkJobUpdate((next as unknown as V1Job).spec!, (current as unknown as V1Job).spec!, errors),
};

export const cronJobRules: KindRules = {
  warnings: (object, current, warn) => {
    if (current === undefined) warnAboutName(object.metadata.name, 'Pod names and hostnames', warn);
    if (current !== undefined && current.metadata.generation === object.metadata.generation) return;
    const { template } = (object as unknown as V1CronJob).spec!.jobTemplate.spec!;
    warnAboutPod(template, 'spec.jobTemplate.spec.template', warn);
  },
  defaults: (object) => {
    const { spec } = object as unknown as V1CronJob;
    spec!.concurrencyPolicy ??= 'Allow';
    spec!.suspend ??= false;
    spec!.successfulJobsHistoryLimit ??= 3;
    spec!.failedJobsHistoryLimit ??= 1;
    defaultFailureRules(spec!.jobTemplate.spec!);
    defaultPodTemplate(spec!.jobTemplate.spec!.template);
  },
  validate: (object, errors) => {
    const job = object as unknown as V1CronJob;
    checkCronJob(job, errors);
    const name = job.metadata?.name ?? '';
    if (name.length > 52) errors.invalid('metadata.name', name, 'must be no more than 52 characters');
  },
};

// ---------------------------------------------------------------------------------------------------

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
] as const;
const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'];
const JOB_NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];
const OWNER_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'];

function defaultFailureRules(spec: V1JobSpec): void {
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ??= 'True';
  }
}

function selectOwnPods(job: V1Job): void {
  const spec = job.spec!;
  // Labels that were copied from the template follow the template.
  const given = job.metadata!.labels;
  const shared = given !== undefined && sameValue(given, spec.template.metadata?.labels);
  spec.template.metadata ??= {};
  spec.template.metadata.labels ??= {};
  const labels = spec.template.metadata.labels;
  for (const key of JOB_NAME_LABELS) labels[key] ??= job.metadata!.name ?? '';
  for (const key of OWNER_LABELS) labels[key] ??= job.metadata!.uid ?? '';
  if (shared) job.metadata!.labels = { ...labels };
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  spec.selector.matchLabels['batch.kubernetes.io/controller-uid'] ??= job.metadata!.uid ?? '';
}

function checkJobSpec(spec: V1JobSpec, path: string, errors: FieldErrors): void {
  for (const field of COUNTS) errors.notNegative(`${path}.${field}`, spec[field]);
  if (spec.maxFailedIndexes !== undefined) {
    errors.notNegative(`${path}.maxFailedIndexes`, spec.maxFailedIndexes);
    if (spec.backoffLimitPerIndex === undefined) {
      errors.required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified');
    }
  }
  checkCompletionMode(spec, path, errors);
  checkPolicies(spec, path, errors);
  checkPodTemplate(spec.template, `${path}.template`, errors);
  const policy = spec.template.spec!.restartPolicy;
  const at = `${path}.template.spec.restartPolicy`;
  if (!policy || policy === 'Always') errors.required(at, 'valid values: "OnFailure", "Never"');
  else if (policy !== 'OnFailure' && policy !== 'Never')
    errors.notSupported(at, policy, ['OnFailure', 'Never']);
  else if (spec.podFailurePolicy !== undefined && policy !== 'Never') {
    errors.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}

function checkCompletionMode(spec: V1JobSpec, path: string, errors: FieldErrors): void {
  const mode = spec.completionMode;
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.notSupported(`${path}.completionMode`, mode, ['NonIndexed', 'Indexed']);
  }
  if (mode === 'Indexed') {
    if (spec.completions === undefined)
      errors.required(`${path}.completions`, 'when completion mode is Indexed');
    if ((spec.parallelism ?? 0) > 100_000) {
      errors.invalid(
        `${path}.parallelism`,
        spec.parallelism,
        'must be less than or equal to 100000 when completion mode is Indexed',
      );
    }
    if (
      spec.completions !== undefined &&
      spec.maxFailedIndexes !== undefined &&
      spec.maxFailedIndexes > spec.completions
    ) {
      errors.invalid(
        `${path}.maxFailedIndexes`,
        spec.maxFailedIndexes,
        'must be less than or equal to completions',
      );
    }
    return;
  }
  for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
    if (spec[field] !== undefined && (mode === undefined || mode === 'NonIndexed')) {
      errors.invalid(`${path}.${field}`, spec[field], 'requires indexed completion mode');
    }
  }
}

function checkPolicies(spec: V1JobSpec, path: string, errors: FieldErrors): void {
  if (spec.successPolicy !== undefined && spec.completionMode !== 'Indexed') {
    errors.invalid(`${path}.successPolicy`, spec.successPolicy, 'requires indexed completion mode');
  }
  const replacement = spec.podReplacementPolicy;
  if (replacement === undefined) return;
  const supported = spec.podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  if (!supported.includes(replacement))
    errors.notSupported(`${path}.podReplacementPolicy`, replacement, supported);
}

function checkIndexedName(job: V1Job, errors: FieldErrors): void {
  const { completionMode, completions = 0 } = job.spec!;
  if (completionMode !== 'Indexed' || completions <= 0) return;
  const name = job.metadata?.name ?? '';
  const longest = `${name}-${completions - 1}`;
  if (labelName(longest).length > 0) {
    errors.invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`);
  }
}

function checkJobUpdate(next: V1JobSpec, current: V1JobSpec, errors: FieldErrors): void {
  const changesCompletions = !sameValue(next.completions, current.completions);
  // An indexed job may be scaled as long as both numbers stay the same.
  const scales =
    next.completionMode === 'Indexed' &&
    next.completions === next.parallelism &&
    current.completions === current.parallelism;
  if (changesCompletions && !scales) {
    const indexed = next.completionMode === 'Indexed';
    const detail = indexed ? 'can only be modified in tandem with spec.parallelism' : 'field is immutable';
    errors.invalid('spec.completions', next.completions, detail);
  }
  errors.immutable('spec.selector', shownSelector(next.selector), shownSelector(current.selector));
  const expected = current.suspend ? withDirectivesOf(current.template, next.template) : current.template;
  if (!sameValue(next.template, expected)) {
    const shown = internalTemplate(next.template as unknown as Record<string, unknown>);
    errors.invalid('spec.template', shown, 'field is immutable');
  }
  errors.immutable('spec.completionMode', next.completionMode, current.completionMode);
  errors.immutable('spec.podFailurePolicy', next.podFailurePolicy, current.podFailurePolicy);
  errors.immutable('spec.backoffLimitPerIndex', next.backoffLimitPerIndex, current.backoffLimitPerIndex);
  errors.immutable('spec.managedBy', next.managedBy, current.managedBy);
  errors.immutable('spec.successPolicy', next.successPolicy, current.successPolicy);
}

/** The first template with what decides about scheduling taken from the second: changeable while a job is suspended. */
function withDirectivesOf(
  template: V1JobSpec['template'],
  other: V1JobSpec['template'],
): V1JobSpec['template'] {
  const spec = { ...template.spec! };
  for (const field of ['nodeSelector', 'tolerations', 'affinity', 'schedulingGates'] as const) {
    if (other.spec?.[field] === undefined) delete spec[field];
    else Object.assign(spec, { [field]: other.spec[field] });
  }
  return { ...template, spec, metadata: { ...template.metadata, ...other.metadata } };
}

function checkCronJob(job: V1CronJob, errors: FieldErrors): void {
  const spec = job.spec!;
  if (!spec.schedule) errors.required('spec.schedule');
  else checkSchedule(spec.schedule, errors);
  errors.notNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds);
  const { concurrencyPolicy, timeZone } = spec;
  if (timeZone === '') errors.invalid('spec.timeZone', timeZone, 'timeZone must be nil or non-empty string');
  else if (timeZone?.toLowerCase() === 'local') {
    errors.invalid(
      'spec.timeZone',
      timeZone,
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    );
  }
  if (!CONCURRENCY_POLICIES.includes(concurrencyPolicy ?? '')) {
    errors.notSupported('spec.concurrencyPolicy', concurrencyPolicy, CONCURRENCY_POLICIES);
  }
  const template = spec.jobTemplate.spec!;
  checkJobSpec(template, 'spec.jobTemplate.spec', errors);
  if (template.manualSelector)
    errors.notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']);
  errors.notNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit);
  errors.notNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit);
}

function checkSchedule(schedule: string, errors: FieldErrors): void {
  const zoned = schedule.includes('TZ');
  // A time zone in front of the five fields is parsed, and then rejected: it has a separate field.
  const problem = scheduleProblem(schedule.replace(/^(?:CRON_)?TZ=\S+\s+/, ''));
  if (problem !== undefined) errors.invalid('spec.schedule', schedule, problem);
  if (zoned) {
    errors.invalid(
      'spec.schedule',
      schedule,
      'cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    );
  }
}
