/** What may change in a pod that exists: images, a deadline, more tolerations, fewer gates. Nothing else. */
import type { V1Container, V1Pod, V1PodSpec, V1Toleration } from '@kubernetes/client-node';
import { internalPodSpec } from '../internal/layout.ts';
import { jsonDifference } from '../internal/unified-diff.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkTolerations } from './validate-scheduling.ts';

export function checkPodUpdate(next: V1Pod, current: V1Pod, errors: FieldErrors): void {
  const spec = next.spec!;
  const before = current.spec!;
  if (!checkSameContainers(spec.containers, before.containers, 'spec.containers', errors)) return;
  if (!checkSameContainers(spec.initContainers, before.initContainers, 'spec.initContainers', errors)) return;
  if (!checkDeadline(spec, before, errors)) return;
  checkOnlyAddedTolerations(spec.tolerations ?? [], before.tolerations ?? [], errors);
  checkOnlyRemovedGates(spec, before, errors);
  if (sameValue(spec, before)) return;
  const allowed = withAllowedChangesUndone(spec, before, errors);
  if (sameValue(allowed, before)) return;
  errors.forbidden(
    'spec',
    `pod updates may not change fields other than ${CHANGEABLE.join(',')}\n${difference(before, allowed)}`,
  );
}

// ---------------------------------------------------------------------------------------------------

function difference(before: V1PodSpec, next: V1PodSpec): string {
  const shown = (spec: V1PodSpec): unknown => internalPodSpec(spec as unknown as Record<string, unknown>);
  return jsonDifference(shown(before), shown(next));
}

const MAX_INT32 = 2 ** 31 - 1;
const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

function checkSameContainers(
  next: readonly V1Container[] = [],
  current: readonly V1Container[] = [],
  path: string,
  errors: FieldErrors,
): boolean {
  if (next.length !== current.length) {
    errors.forbidden(path, 'pod updates may not add or remove containers');
    return false;
  }
  next.forEach(({ image }, index) => {
    if (!image) errors.required(`${path}[${index}].image`);
    else if (image.trim() !== image) {
      errors.invalid(`${path}[${index}].image`, image, 'must not have leading or trailing whitespace');
    }
  });
  return true;
}

function checkDeadline(next: V1PodSpec, current: V1PodSpec, errors: FieldErrors): boolean {
  const path = 'spec.activeDeadlineSeconds';
  const deadline = next.activeDeadlineSeconds;
  const before = current.activeDeadlineSeconds;
  if (deadline === undefined) {
    if (before !== undefined)
      errors.invalid(path, null, 'must not update from a positive integer to nil value');
    return true;
  }
  if (deadline < 0 || deadline > MAX_INT32) {
    errors.invalid(path, deadline, `must be between 0 and ${MAX_INT32}, inclusive`);
    return false;
  }
  if (before !== undefined && before < deadline) {
    errors.invalid(path, deadline, 'must be less than or equal to previous value');
    return false;
  }
  return true;
}

function checkOnlyAddedTolerations(
  next: readonly V1Toleration[],
  current: readonly V1Toleration[],
  errors: FieldErrors,
): void {
  const without = ({
    tolerationSeconds: _,
    ...rest
  }: V1Toleration): Omit<V1Toleration, 'tolerationSeconds'> => rest;
  const kept = current.every((old) =>
    next.some((toleration) => sameValue(without(old), without(toleration))),
  );
  if (!kept)
    errors.forbidden(
      'spec.tolerations',
      'existing toleration can not be modified except its tolerationSeconds',
    );
  else checkTolerations(next, 'spec.tolerations', errors);
}

function checkOnlyRemovedGates(next: V1PodSpec, current: V1PodSpec, errors: FieldErrors): void {
  const known = new Set((current.schedulingGates ?? []).map(({ name }) => name));
  (next.schedulingGates ?? []).forEach(({ name }, index) => {
    if (known.has(name)) return;
    errors.forbidden(
      `spec.schedulingGates[${index}].name`,
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    );
  });
}

/** The new spec with everything put back that was allowed to change; a gated pod may also narrow its nodes. */
function withAllowedChangesUndone(next: V1PodSpec, current: V1PodSpec, errors: FieldErrors): V1PodSpec {
  const undone: V1PodSpec = { ...next };
  undone.containers = next.containers.map((container, index) =>
    withImageOf(container, current.containers[index]!),
  );
  if (next.initContainers !== undefined) {
    undone.initContainers = next.initContainers.map((container, index) =>
      withImageOf(container, current.initContainers![index]!),
    );
  }
  putBack(undone, current, 'activeDeadlineSeconds');
  putBack(undone, current, 'schedulingGates');
  putBack(undone, current, 'tolerations');
  if ((current.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1) {
    putBack(undone, current, 'terminationGracePeriodSeconds');
  }
  if ((current.schedulingGates ?? []).length > 0) allowNarrowing(undone, current, errors);
  return undone;
}

function withImageOf(container: V1Container, before: V1Container): V1Container {
  return { ...container, image: before.image! };
}

function putBack(next: V1PodSpec, current: V1PodSpec, field: keyof V1PodSpec): void {
  if (current[field] === undefined) delete next[field];
  else (next as unknown as Record<string, unknown>)[field] = current[field];
}

function allowNarrowing(next: V1PodSpec, current: V1PodSpec, errors: FieldErrors): void {
  if (!sameValue(next.nodeSelector, current.nodeSelector)) {
    for (const key in current.nodeSelector) {
      if (next.nodeSelector?.[key] === current.nodeSelector[key]) continue;
      errors.invalid(
        'spec.nodeSelector',
        next.nodeSelector,
        'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      );
      break;
    }
    putBack(next, current, 'nodeSelector');
  }
  if (sameValue(next.affinity?.nodeAffinity, current.affinity?.nodeAffinity)) return;
  const { nodeAffinity: _, ...others } = next.affinity ?? {};
  const affinity = {
    ...others,
    ...(current.affinity?.nodeAffinity ? { nodeAffinity: current.affinity.nodeAffinity } : {}),
  };
  if (current.affinity === undefined && Object.keys(affinity).length === 0) delete next.affinity;
  else next.affinity = affinity;
}
