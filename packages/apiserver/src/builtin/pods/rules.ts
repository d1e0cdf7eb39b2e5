/** Pods and pod templates as kinds of their own. */
import type { KubeObject } from '@chandler/kube';
import type { V1Container, V1Pod, V1PodTemplate } from '@kubernetes/client-node';
import type { RequestContext } from '../../resource.ts';
import type { KindRules } from '../rules.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { subdomainName } from '../validation/names.ts';
import { defaultPod, defaultPodTemplate } from './defaults.ts';
import { checkEphemeralContainers } from './ephemeral.ts';
import { applyMatchLabelKeys } from './match-label-keys.ts';
import { qosClassOf } from './qos.ts';
import { checkPodAnnotations, checkPodSpec, checkPodTemplate } from './validate-spec.ts';
import { checkPodUpdate } from './validate-update.ts';
import { warnAboutName, warnAboutPod } from './warnings.ts';

export const podRules: KindRules = {
  revalidatesMetadata: true,
  defaults: (object) => defaultPod(object as unknown as V1Pod),
  keepsStatusOnCreate: true,
  prepareForCreate: (object, context) => {
    const pod = object as unknown as V1Pod;
    const spec = pod.spec!;
    applyMatchLabelKeys(pod);
    object['status'] = { phase: 'Pending', ...gatedCondition(pod, context.now), qosClass: qosClassOf(spec) };
  },
  warnings: (object, current, warn) => {
    if (current !== undefined) return;
    warnAboutName(object.metadata.name, "the Pod's hostname", warn);
    warnAboutPod(object as unknown as V1Pod, '', warn);
  },
  validate: (object, errors) => checkWholePod(object as unknown as V1Pod, errors),
  validateNew: (object, errors) => {
    const { spec } = object as unknown as V1Pod;
    if ((spec!.ephemeralContainers ?? []).length > 0) {
      errors.forbidden('spec.ephemeralContainers', 'cannot be set on create');
    }
    if (spec!.nodeName && (spec!.schedulingGates ?? []).length > 0) {
      errors.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared');
    }
  },
  prepareForUpdate: (next, current, context) => preparePodUpdate(next, current, context),
  validateUpdate: (next, current, errors, context) => {
    const pod = next as unknown as V1Pod;
    const before = current as unknown as V1Pod;
    if (context.subresource === 'ephemeralcontainers') checkEphemeralContainers(pod, before, errors);
    else if (context.subresource === undefined) checkPodUpdate(pod, before, errors);
  },
  validateStatus: (next, current, errors) =>
    checkPodStatus(next as unknown as V1Pod, current as unknown as V1Pod, errors),
  gracePeriodSeconds: (object, requested) => {
    const { spec, status } = object as unknown as V1Pod;
    const period = requested ?? spec?.terminationGracePeriodSeconds ?? 0;
    if (!spec?.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
    return period < 0 ? 1 : period;
  },
};

export const podTemplateRules: KindRules = {
  defaults: (object) => defaultPodTemplate((object as unknown as V1PodTemplate).template),
  generation: true,
  validate: (object, errors) =>
    checkPodTemplate((object as unknown as V1PodTemplate).template!, 'template', errors),
};

// ---------------------------------------------------------------------------------------------------

function checkWholePod(pod: V1Pod, errors: FieldErrors): void {
  const spec = pod.spec!;
  checkPodAnnotations(pod.metadata?.annotations, spec, 'metadata.annotations', errors);
  checkPodSpec(spec, pod.metadata?.name ?? '', true, 'spec', errors);
  checkTokenVolumes(pod, errors);
  checkImages(spec.containers, 'spec.containers', errors);
  checkImages(spec.initContainers, 'spec.initContainers', errors);
}

function checkTokenVolumes(pod: V1Pod, errors: FieldErrors): void {
  if (pod.spec!.serviceAccountName || pod.spec!.volumes === undefined) return;
  pod.spec!.volumes.forEach((volume, index) => {
    (volume.projected?.sources ?? []).forEach((source, position) => {
      if (source.serviceAccountToken === undefined) return;
      errors.forbidden(
        `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
        'must not be specified when serviceAccountName is not set',
      );
    });
  });
}

function checkImages(
  containers: readonly V1Container[] | undefined | null,
  path: string,
  errors: FieldErrors,
): void {
  (containers ?? []).forEach(({ image = '' }, index) => {
    if (image.trim() !== image) {
      errors.invalid(`${path}[${index}].image`, image, 'must not have leading or trailing whitespace');
    }
  });
}

/** A gated pod reports from its creation why it is not scheduled. */
function gatedCondition(pod: V1Pod, now: string): { conditions?: unknown[] } {
  if ((pod.spec!.schedulingGates ?? []).length === 0) return {};
  return {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: now,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ],
  };
}

/** Each subresource changes its own part of a pod and keeps the rest. */
function preparePodUpdate(next: KubeObject, current: KubeObject, context: RequestContext): void {
  const pod = next as unknown as V1Pod;
  const before = current as unknown as V1Pod;
  if (context.subresource === 'status') {
    if (current.metadata.ownerReferences === undefined) delete next.metadata.ownerReferences;
    else next.metadata.ownerReferences = current.metadata.ownerReferences;
    if (current.metadata.deletionTimestamp === undefined) delete next.metadata.deletionTimestamp;
    const status = pod.status as { qosClass?: string };
    if (status.qosClass === undefined && before.status?.qosClass !== undefined)
      status.qosClass = before.status.qosClass;
    return;
  }
  if (context.subresource === 'ephemeralcontainers') {
    const given = pod.spec!.ephemeralContainers;
    next.metadata = { ...current.metadata };
    next['spec'] = {
      ...(current['spec'] as object),
      ...(given === undefined ? {} : { ephemeralContainers: given }),
    };
    next['status'] = current['status'];
    return;
  }
  if (context.subresource === 'resize') {
    keepAllButResources(pod, before);
    next['status'] = current['status'];
  }
}

function keepAllButResources(pod: V1Pod, before: V1Pod): void {
  const spec = structuredClone(before.spec!);
  for (const list of ['containers', 'initContainers'] as const) {
    (spec[list] ?? []).forEach((container, index) => {
      const wanted = pod.spec![list]?.[index];
      if (wanted?.resources !== undefined) container.resources = wanted.resources;
      if (wanted?.resizePolicy !== undefined) container.resizePolicy = wanted.resizePolicy;
    });
  }
  pod.spec = spec;
}

function checkPodStatus(next: V1Pod, current: V1Pod, errors: FieldErrors): void {
  const nominated = next.status?.nominatedNodeName;
  if (nominated && nominated !== current.status?.nominatedNodeName) {
    errors.invalidFor('status.nominatedNodeName', nominated, subdomainName(nominated));
    if (current.spec?.nodeName) {
      errors.forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node');
    }
  }
  if (!sameValue(next.spec?.nodeName, current.spec?.nodeName)) {
    errors.forbidden('status.nodeName', 'may not be changed directly');
  }
}
