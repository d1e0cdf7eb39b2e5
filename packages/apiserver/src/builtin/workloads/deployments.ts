/** Deployments, ReplicaSets and ReplicationControllers. */
import type {
  V1Deployment,
  V1DeploymentStrategy,
  V1LabelSelector,
  V1PodTemplateSpec,
  V1ReplicaSet,
  V1ReplicationController,
} from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import { defaultPodTemplate } from '../pods/defaults.ts';
import type { KindRules } from '../rules.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { shownLabels, shownSelector } from '../validation/labels.ts';
import {
  amountOf,
  canSelect,
  checkAtMostAll,
  checkIntOrPercent,
  checkLastingTemplate,
  checkOwnSelector,
  checkReplicaCounts,
  checkTemplateLabels,
  warnAboutTemplate,
} from './templates.ts';

export const deploymentRules: KindRules = {
  warnings: warnAboutTemplate,
  statusKeepsLabels: true,
  defaults: (object) => {
    const { spec } = object as unknown as V1Deployment;
    spec!.replicas ??= 1;
    spec!.strategy ??= {};
    const strategy = spec!.strategy;
    strategy.type ??= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= '25%';
      strategy.rollingUpdate.maxSurge ??= '25%';
    }
    spec!.revisionHistoryLimit ??= 10;
    spec!.progressDeadlineSeconds ??= 600;
    defaultPodTemplate(spec!.template);
  },
  validate: (object, errors) => {
    const spec = (object as unknown as V1Deployment).spec!;
    errors.notNegative('spec.replicas', spec.replicas);
    checkOwnSelector(spec.selector, 'deployment', errors);
    checkSelectedTemplate(spec.template, spec.selector, errors);
    checkStrategy(spec.strategy!, errors);
    errors.notNegative('spec.minReadySeconds', spec.minReadySeconds);
    errors.notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit);
    const deadline = spec.progressDeadlineSeconds;
    errors.notNegative('spec.progressDeadlineSeconds', deadline);
    if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) {
      errors.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds');
    }
  },
  validateUpdate: (next, current, errors) => {
    const spec = (next as unknown as V1Deployment).spec!;
    errors.immutable(
      'spec.selector',
      shownSelector(spec.selector),
      shownSelector((current as unknown as V1Deployment).spec!.selector),
    );
  },
  validateStatus: (next, _current, errors) => {
    checkReplicaCounts(
      next['status'] as Record<string, unknown>,
      ['observedGeneration', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'],
      'cannot be greater than readyReplicas',
      errors,
    );
  },
};

export const replicaSetRules: KindRules = {
  warnings: warnAboutTemplate,
  defaults: (object) => {
    const { spec } = object as unknown as V1ReplicaSet;
    spec!.replicas ??= 1;
    defaultPodTemplate(spec!.template);
  },
  validate: (object, errors) => {
    const spec = (object as unknown as V1ReplicaSet).spec!;
    errors.notNegative('spec.replicas', spec.replicas);
    errors.notNegative('spec.minReadySeconds', spec.minReadySeconds);
    checkOwnSelector(spec.selector, 'deployment', errors);
    checkSelectedTemplate(spec.template!, spec.selector, errors);
  },
  validateUpdate: (next, current, errors) => {
    const spec = (next as unknown as V1ReplicaSet).spec!;
    errors.immutable(
      'spec.selector',
      shownSelector(spec.selector),
      shownSelector((current as unknown as V1ReplicaSet).spec!.selector),
    );
  },
  validateStatus: (next, _current, errors) => {
    checkReplicaCounts(
      next['status'] as Record<string, unknown>,
      ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
      'cannot be greater than readyReplicas',
      errors,
    );
  },
};

export const replicationControllerRules: KindRules = {
  defaults: (object) => {
    const { spec, metadata } = object as unknown as V1ReplicationController;
    const labels = spec!.template?.metadata?.labels;
    if (labels !== undefined) {
      spec!.selector ??= { ...labels };
      if (metadata!.labels === undefined) metadata!.labels = { ...labels };
    }
    spec!.replicas ??= 1;
    defaultPodTemplate(spec!.template);
  },
  validate: (object, errors) => {
    const spec = (object as unknown as V1ReplicationController).spec!;
    errors.notNegative('spec.minReadySeconds', spec.minReadySeconds);
    if (Object.keys(spec.selector ?? {}).length === 0) errors.required('spec.selector');
    errors.notNegative('spec.replicas', spec.replicas);
    if (!spec.template) {
      errors.required('spec.template');
      return;
    }
    const labels = spec.template.metadata?.labels ?? {};
    const matches = Object.entries(spec.selector ?? {}).every(([key, value]) => labels[key] === value);
    if (!matches) {
      errors.invalid(
        'spec.template.metadata.labels',
        shownLabels(spec.template.metadata?.labels),
        '`selector` does not match template `labels`',
      );
    }
    checkLastingTemplate(spec.template, 'ReplicationController', errors);
  },
};

// ---------------------------------------------------------------------------------------------------

function checkSelectedTemplate(
  template: V1PodTemplateSpec,
  selector: V1LabelSelector | null | undefined,
  errors: FieldErrors,
): void {
  if (!canSelect(selector)) {
    errors.invalid('spec.selector', shownSelector(selector), 'invalid label selector');
    return;
  }
  checkTemplateLabels(template, selector, errors);
  checkLastingTemplate(template, 'ReplicaSet', errors);
}

function checkStrategy(strategy: V1DeploymentStrategy, errors: FieldErrors): void {
  const path = 'spec.strategy';
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    if (rollingUpdate !== undefined) {
      errors.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
    }
    return;
  }
  if (type !== 'RollingUpdate') {
    errors.notSupported(path, internalValue('apps.DeploymentStrategy', strategy), [
      'Recreate',
      'RollingUpdate',
    ]);
    return;
  }
  const { maxUnavailable, maxSurge } = rollingUpdate!;
  checkIntOrPercent(maxUnavailable, `${path}.rollingUpdate.maxUnavailable`, errors);
  checkIntOrPercent(maxSurge, `${path}.rollingUpdate.maxSurge`, errors);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    errors.invalid(
      `${path}.rollingUpdate.maxUnavailable`,
      maxUnavailable,
      'may not be 0 when `maxSurge` is 0',
    );
  }
  checkAtMostAll(maxUnavailable, `${path}.rollingUpdate.maxUnavailable`, errors);
}
