/** StatefulSets, DaemonSets and the revisions both keep. */
import type {
  V1ControllerRevision,
  V1DaemonSet,
  V1StatefulSet,
  V1StatefulSetSpec,
  V1Volume,
} from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import { defaultPodTemplate } from '../pods/defaults.ts';
import { checkPodTemplate } from '../pods/validate-spec.ts';
import { warnAboutPod } from '../pods/warnings.ts';
import type { KindRules } from '../rules.ts';
import { checkClaimSpec, defaultClaim } from '../storage/claims.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkSelector, isEmptySelector, selects, shownLabels, shownSelector } from '../validation/labels.ts';
import { dotlessName, labelName } from '../validation/names.ts';
import {
  amountOf,
  canSelect,
  checkAtMostAll,
  checkIntOrPercent,
  checkLasting,
  checkOwnSelector,
  checkReplicaCounts,
  checkTemplateLabels,
  NO_MATCH,
} from './templates.ts';

export const statefulSetRules: KindRules = {
  warnings: (object, current, warn) => {
    if (current !== undefined && current.metadata.generation === object.metadata.generation) return;
    warnAboutPod((object as unknown as V1StatefulSet).spec!.template, 'spec.template', warn);
  },
  name: dotlessName,
  defaults: (object) => defaultStatefulSet((object as unknown as V1StatefulSet).spec!),
  revalidates: false,
  validate: (object, errors) => checkStatefulSet((object as unknown as V1StatefulSet).spec!, true, errors),
  validateUpdate: (next, current, errors) => {
    checkStatefulSet((next as unknown as V1StatefulSet).spec!, false, errors);
    const rest = (spec: V1StatefulSetSpec): unknown => {
      const fixed: Record<string, unknown> = { ...spec };
      for (const field of CHANGEABLE) delete fixed[field];
      return fixed;
    };
    const same = sameValue(
      rest((next as unknown as V1StatefulSet).spec!),
      rest((current as unknown as V1StatefulSet).spec!),
    );
    if (same) return;
    errors.forbidden(
      'spec',
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
  },
  validateStatus: (next, _current, errors) => {
    checkReplicaCounts(
      next['status'] as Record<string, unknown>,
      ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      'cannot be greater than status.readyReplicas',
      errors,
    );
  },
};

export const daemonSetRules: KindRules = {
  warnings: (object, current, warn) => {
    if (current !== undefined && current.metadata.generation === object.metadata.generation) return;
    warnAboutPod((object as unknown as V1DaemonSet).spec!.template, 'spec.template', warn);
  },
  defaults: (object) => {
    const { spec, metadata } = object as unknown as V1DaemonSet;
    spec!.updateStrategy ??= {};
    const strategy = spec!.updateStrategy;
    strategy.type ??= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= 1;
      strategy.rollingUpdate.maxSurge ??= 0;
    }
    spec!.revisionHistoryLimit ??= 10;
    defaultPodTemplate(spec!.template);
    // A number of the v1beta1 API, kept as an annotation.
    metadata!.annotations ??= {};
    metadata!.annotations[TEMPLATE_GENERATION] ??= '0';
  },
  prepareForCreate: (object) => {
    object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: '1' };
  },
  prepareForUpdate: (next, current) => {
    const before = Number(current.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const changed = !sameValue(
      (next as unknown as V1DaemonSet).spec!.template,
      (current as unknown as V1DaemonSet).spec!.template,
    );
    const generation = String(changed ? before + 1 : before);
    next.metadata.annotations = { ...next.metadata.annotations, [TEMPLATE_GENERATION]: generation };
  },
  validate: (object, errors) => checkDaemonSet((object as unknown as V1DaemonSet).spec!, errors),
  validateUpdate: (next, current, errors) => {
    const spec = (next as unknown as V1DaemonSet).spec!;
    errors.immutable(
      'spec.selector',
      shownSelector(spec.selector),
      shownSelector((current as unknown as V1DaemonSet).spec!.selector),
    );
  },
  validateStatus: (next, _current, errors) => {
    for (const field of DAEMON_COUNTS)
      errors.notNegative(`status.${field}`, (next['status'] as Record<string, number>)?.[field]);
  },
};

export const controllerRevisionRules: KindRules = {
  validate: (object, errors) => {
    const { data, revision } = object as unknown as V1ControllerRevision;
    if (data === undefined || data === null) errors.required('data', 'data is mandatory');
    errors.notNegative('revision', revision);
  },
  validateUpdate: (next, current, errors) => {
    if (!sameValue(next['data'], current['data'])) errors.invalid('data', next['data'], 'field is immutable');
  },
};

// ---------------------------------------------------------------------------------------------------

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const CHANGEABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];
const DAEMON_COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
];

function defaultStatefulSet(spec: V1StatefulSetSpec): void {
  spec.podManagementPolicy ??= 'OrderedReady';
  spec.updateStrategy ??= {};
  const strategy = spec.updateStrategy;
  if (strategy.type === undefined) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) {
    strategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  retention.whenDeleted ??= 'Retain';
  retention.whenScaled ??= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    defaultClaim(claim);
  }
}

/** Claim templates and the service name cannot change, so only a new set is held to them. */
function checkStatefulSet(spec: V1StatefulSetSpec, isNew: boolean, errors: FieldErrors): void {
  if (spec.podManagementPolicy !== 'OrderedReady' && spec.podManagementPolicy !== 'Parallel') {
    errors.invalid(
      'spec.podManagementPolicy',
      spec.podManagementPolicy,
      "must be 'OrderedReady' or 'Parallel'",
    );
  }
  checkStatefulStrategy(spec, errors);
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const value = spec.persistentVolumeClaimRetentionPolicy?.[field];
    if (value === 'Retain' || value === 'Delete') continue;
    errors.notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, ['Retain', 'Delete']);
  }
  if (isNew) {
    (spec.volumeClaimTemplates ?? []).forEach((claim, index) => {
      checkClaimSpec(claim.spec!, `spec.volumeClaimTemplates[${index}].spec`, errors);
    });
  }
  errors.notNegative('spec.replicas', spec.replicas);
  errors.notNegative('spec.minReadySeconds', spec.minReadySeconds);
  errors.notNegative('spec.ordinals.start', spec.ordinals?.start);
  if (isNew && spec.serviceName)
    errors.invalidFor('spec.serviceName', spec.serviceName, labelName(spec.serviceName));
  checkOwnSelector(spec.selector, 'statefulset', errors);
  if (canSelect(spec.selector)) checkStatefulTemplate(spec, errors);
  else errors.invalid('spec.selector', shownSelector(spec.selector), '');
  checkLasting(spec.template, 'StatefulSet', errors);
}

function checkStatefulTemplate(spec: V1StatefulSetSpec, errors: FieldErrors): void {
  checkTemplateLabels(spec.template, spec.selector, errors);
  const { subdomain: _, hostname: __, ...podSpec } = spec.template.spec!;
  const volumes = [...claimVolumes(spec), ...otherVolumes(spec)];
  checkPodTemplate(
    { ...spec.template, spec: volumes.length === 0 ? podSpec : { ...podSpec, volumes } },
    'spec.template',
    errors,
  );
}

/** Pods of the set can mount what its claim templates will give them. */
function claimVolumes(spec: V1StatefulSetSpec): V1Volume[] {
  return (spec.volumeClaimTemplates ?? []).map((claim) => {
    const name = claim.metadata?.name ?? '';
    return { name, persistentVolumeClaim: { claimName: name } };
  });
}

function otherVolumes(spec: V1StatefulSetSpec): V1Volume[] {
  const claimed = new Set((spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata?.name));
  return (spec.template.spec!.volumes ?? []).filter(({ name }) => !claimed.has(name));
}

function checkStatefulStrategy(spec: V1StatefulSetSpec, errors: FieldErrors): void {
  const path = 'spec.updateStrategy';
  const { type, rollingUpdate } = spec.updateStrategy!;
  if (type === 'OnDelete') {
    if (rollingUpdate !== undefined) {
      errors.invalid(
        `${path}.rollingUpdate`,
        internalValue('apps.RollingUpdateStatefulSetStrategy', rollingUpdate),
        "only allowed for updateStrategy 'RollingUpdate'",
      );
    }
  } else if (type !== 'RollingUpdate') {
    errors.invalid(
      path,
      internalValue('apps.StatefulSetUpdateStrategy', spec.updateStrategy),
      "must be 'RollingUpdate' or 'OnDelete'",
    );
  } else if (rollingUpdate !== undefined) {
    errors.notNegative(`${path}.rollingUpdate.partition`, rollingUpdate.partition);
  }
}

function checkDaemonSet(spec: NonNullable<V1DaemonSet['spec']>, errors: FieldErrors): void {
  checkSelector(spec.selector, 'spec.selector', errors);
  const matches = Boolean(spec.selector) && selects(spec.selector, spec.template.metadata?.labels);
  if (!matches && canSelect(spec.selector))
    errors.invalid('spec.template.metadata.labels', shownLabels(spec.template.metadata?.labels), NO_MATCH);
  if (spec.selector && isEmptySelector(spec.selector)) {
    errors.invalid('spec.selector', shownSelector(spec.selector), 'empty selector is invalid for daemonset');
  }
  checkPodTemplate(spec.template, 'spec.template', errors);
  checkLasting(spec.template, 'DaemonSet', errors);
  errors.notNegative('spec.minReadySeconds', spec.minReadySeconds);
  checkDaemonStrategy(spec.updateStrategy!, errors);
  errors.notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit);
}

function checkDaemonStrategy(
  strategy: NonNullable<NonNullable<V1DaemonSet['spec']>['updateStrategy']>,
  errors: FieldErrors,
): void {
  const path = 'spec.updateStrategy';
  if (strategy.type === 'OnDelete') return;
  if (strategy.type !== 'RollingUpdate') {
    errors.notSupported(path, internalValue('apps.DaemonSetUpdateStrategy', strategy), [
      'RollingUpdate',
      'OnDelete',
    ]);
    return;
  }
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate!;
  const at = `${path}.rollingUpdate`;
  checkIntOrPercent(maxUnavailable, `${at}.maxUnavailable`, errors);
  checkIntOrPercent(maxSurge, `${at}.maxSurge`, errors);
  checkAtMostAll(maxUnavailable, `${at}.maxUnavailable`, errors);
  checkAtMostAll(maxSurge, `${at}.maxSurge`, errors);
  const surges = amountOf(maxSurge) !== 0;
  const leaves = amountOf(maxUnavailable) !== 0;
  if (surges && leaves)
    errors.invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero');
  else if (!surges && !leaves) errors.required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0');
}
