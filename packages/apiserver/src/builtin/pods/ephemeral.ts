/** Ephemeral containers for debugging a running pod: they may be added, never changed or removed. */
import type { V1Container, V1EphemeralContainer, V1Pod } from '@kubernetes/client-node';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkContainer } from './validate-containers.ts';

const PATH = 'spec.ephemeralContainers';

export function checkEphemeralContainers(next: V1Pod, current: V1Pod, errors: FieldErrors): void {
  const containers = next.spec!.ephemeralContainers ?? [];
  checkEach(next, containers, errors);
  const before = new Map(
    (current.spec!.ephemeralContainers ?? []).map((container) => [container.name, container]),
  );
  for (const container of containers) {
    const old = before.get(container.name);
    before.delete(container.name);
    if (old !== undefined && !sameValue(old, container)) {
      errors.forbidden(
        PATH,
        `existing ephemeral containers ${JSON.stringify(container.name)} may not be changed\n`,
      );
    }
  }
  for (const name of before.keys()) {
    errors.forbidden(PATH, `existing ephemeral containers ${JSON.stringify(name)} may not be removed\n`);
  }
}

// ---------------------------------------------------------------------------------------------------

const FORBIDDEN = [
  'ports',
  'resources',
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
] as const;

function checkEach(pod: V1Pod, containers: readonly V1EphemeralContainer[], errors: FieldErrors): void {
  const others = new Set(
    [...pod.spec!.containers, ...(pod.spec!.initContainers ?? [])].map(({ name }) => name),
  );
  const names = new Set(others);
  const around = {
    volumes: new Map(
      (pod.spec!.volumes ?? []).map((volume) => [volume.name, volume as unknown as Record<string, unknown>]),
    ),
    claims: new Set<string>(),
    gracePeriodSeconds: pod.spec!.terminationGracePeriodSeconds,
    restartPolicy: pod.spec!.restartPolicy,
    os: pod.spec!.os?.name,
  };
  containers.forEach((container, index) => {
    const at = `${PATH}[${index}]`;
    checkContainer(container as V1Container, around, at, errors);
    if (names.has(container.name)) errors.duplicate(`${at}.name`, container.name);
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) errors.notFound(`${at}.targetContainerName`, target);
    for (const field of FORBIDDEN) {
      if (!sameValue(container[field] ?? {}, {}))
        errors.forbidden(`${at}.${field}`, 'cannot be set for an Ephemeral Container');
    }
  });
}
