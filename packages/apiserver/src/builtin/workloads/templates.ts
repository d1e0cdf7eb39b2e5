/** What the controllers of pods share: a selector that must match their pod template, and a template that keeps running. */
import type { KubeObject } from '@chandler/kube';
import type { V1LabelSelector, V1PodTemplateSpec } from '@kubernetes/client-node';
import { checkPodTemplate } from '../pods/validate-spec.ts';
import { warnAboutName, warnAboutPod } from '../pods/warnings.ts';
import { FieldErrors as Errors, type FieldErrors } from '../validation/field-errors.ts';
import { checkSelector, isEmptySelector, selects, shownLabels, shownSelector } from '../validation/labels.ts';

export const NO_MATCH = '`selector` does not match template `labels`';

/** A selector that must be there and must select something. */
export function checkOwnSelector(
  selector: V1LabelSelector | null | undefined,
  kind: string,
  errors: FieldErrors,
): void {
  if (!selector) {
    errors.required('spec.selector');
    return;
  }
  checkSelector(selector, 'spec.selector', errors);
  if (isEmptySelector(selector))
    errors.invalid('spec.selector', shownSelector(selector), `empty selector is invalid for ${kind}`);
}

/** An invalid selector is not compared with the labels: only its own error is reported. */
export function canSelect(selector: V1LabelSelector | null | undefined): boolean {
  const errors = new Errors();
  checkSelector(selector, '', errors);
  return errors.list.length === 0;
}

export function checkTemplateLabels(
  template: V1PodTemplateSpec,
  selector: V1LabelSelector | null | undefined,
  errors: FieldErrors,
): void {
  if (selector && isEmptySelector(selector)) return;
  if (selector && selects(selector, template.metadata?.labels)) return;
  errors.invalid('spec.template.metadata.labels', shownLabels(template.metadata?.labels), NO_MATCH);
}

/** Pods that are always replaced: they always restart and have no deadline. */
export function checkLastingTemplate(template: V1PodTemplateSpec, kind: string, errors: FieldErrors): void {
  checkPodTemplate(template, 'spec.template', errors);
  checkLasting(template, kind, errors);
}

export function checkLasting(template: V1PodTemplateSpec, kind: string, errors: FieldErrors): void {
  if (template.spec!.restartPolicy !== 'Always') {
    errors.notSupported('spec.template.spec.restartPolicy', template.spec!.restartPolicy, ['Always']);
  }
  if (template.spec!.activeDeadlineSeconds !== undefined) {
    errors.forbidden(
      'spec.template.spec.activeDeadlineSeconds',
      `activeDeadlineSeconds in ${kind} is not Supported`,
    );
  }
}

/** A count, or a part of the whole: `2`, `25%`. */
export function checkIntOrPercent(
  value: number | string | undefined,
  path: string,
  errors: FieldErrors,
): void {
  if (value === undefined) return;
  if (typeof value === 'number') errors.notNegative(path, value);
  else if (!PERCENT.test(value)) {
    errors.invalid(
      path,
      value,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    );
  }
}

export function checkAtMostAll(value: number | string | undefined, path: string, errors: FieldErrors): void {
  if (typeof value === 'string' && PERCENT.test(value) && amountOf(value) > 100) {
    errors.invalid(path, value, 'must not be greater than 100%');
  }
}

export function amountOf(value: number | string | undefined): number {
  if (typeof value === 'string') return PERCENT.test(value) ? Number(value.slice(0, -1)) : 0;
  return value ?? 0;
}

/** Counts in a status: none below zero, none above the number of replicas. */
export function checkReplicaCounts(
  status: Readonly<Record<string, unknown>> | undefined,
  fields: readonly string[],
  availableWording: string,
  errors: FieldErrors,
): void {
  const count = (field: string): number => (status?.[field] as number | undefined) ?? 0;
  for (const field of ['replicas', ...fields]) errors.notNegative(`status.${field}`, count(field));
  for (const field of fields) {
    if (field === 'observedGeneration' || field === 'unavailableReplicas') continue;
    if (count(field) > count('replicas')) {
      errors.invalid(`status.${field}`, count(field), 'cannot be greater than status.replicas');
    }
  }
  if (count('availableReplicas') > count('readyReplicas')) {
    errors.invalid('status.availableReplicas', count('availableReplicas'), availableWording);
  }
}

/** Repeated only when the desired state changed. */
export function warnAboutTemplate(
  object: KubeObject,
  current: KubeObject | undefined,
  warn: (text: string) => void,
): void {
  if (current === undefined) warnAboutName(object.metadata.name, 'Pod names and hostnames', warn);
  if (current === undefined || current.metadata.generation !== object.metadata.generation) {
    warnAboutPod((object['spec'] as { template: V1PodTemplateSpec }).template, 'spec.template', warn);
  }
}

// ---------------------------------------------------------------------------------------------------

const PERCENT = /^[0-9]+%$/;
