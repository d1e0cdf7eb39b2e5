/** Security settings of a pod and of its containers. */
import type { V1PodSecurityContext, V1SeccompProfile, V1SecurityContext } from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { checkDescendingPath } from './validate-mounts.ts';

export function checkSecurityContext(
  context: V1SecurityContext | undefined,
  path: string,
  errors: FieldErrors,
): void {
  if (context === undefined) return;
  checkId(context.runAsUser, `${path}.runAsUser`, errors);
  checkId(context.runAsGroup, `${path}.runAsGroup`, errors);
  if (context.procMount !== undefined && !PROC_MOUNTS.includes(context.procMount)) {
    errors.notSupported(`${path}.procMount`, context.procMount, PROC_MOUNTS);
  }
  checkSeccomp(context.seccompProfile, `${path}.seccompProfile`, errors);
  if (context.allowPrivilegeEscalation !== false) return;
  if (context.privileged) {
    errors.invalid(
      path,
      internalValue('core.SecurityContext', context),
      'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    );
  }
  if (context.capabilities?.add?.includes('CAP_SYS_ADMIN')) {
    errors.invalid(
      path,
      internalValue('core.SecurityContext', context),
      'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
    );
  }
}

export function checkPodSecurityContext(
  context: V1PodSecurityContext | undefined,
  path: string,
  errors: FieldErrors,
): void {
  if (context === undefined) return;
  checkId(context.fsGroup, `${path}.fsGroup`, errors);
  checkId(context.runAsUser, `${path}.runAsUser`, errors);
  checkId(context.runAsGroup, `${path}.runAsGroup`, errors);
  (context.supplementalGroups ?? []).forEach((group, index) => {
    checkId(group, `${path}.supplementalGroups[${index}]`, errors);
  });
  checkSysctls(context, `${path}.sysctls`, errors);
  for (const [field, supported] of POD_CHOICES) {
    const value = context[field];
    if (value !== undefined && !supported.includes(value))
      errors.notSupported(`${path}.${field}`, value, supported);
  }
  checkSeccomp(context.seccompProfile, `${path}.seccompProfile`, errors);
}

// ---------------------------------------------------------------------------------------------------

const MAX_ID = 2 ** 31 - 1;
const PROC_MOUNTS = ['Default', 'Unmasked'];
const SECCOMP_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const POD_CHOICES = [
  ['fsGroupChangePolicy', ['Always', 'OnRootMismatch']],
  ['supplementalGroupsPolicy', ['Merge', 'Strict']],
] as const satisfies readonly (readonly [
  keyof V1PodSecurityContext,
  readonly string[],
])[] as readonly (readonly ['fsGroupChangePolicy' | 'supplementalGroupsPolicy', readonly string[]])[];
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

function checkId(id: number | undefined, path: string, errors: FieldErrors): void {
  if (id !== undefined && (id < 0 || id > MAX_ID)) {
    errors.invalid(path, id, `must be between 0 and ${MAX_ID}, inclusive`);
  }
}

function checkSeccomp(profile: V1SeccompProfile | undefined, path: string, errors: FieldErrors): void {
  if (profile === undefined) return;
  if (!profile.type) errors.required(`${path}.type`, 'type is required when seccompProfile is set');
  else if (!SECCOMP_TYPES.includes(profile.type))
    errors.notSupported(`${path}.type`, profile.type, SECCOMP_TYPES);
  if (profile.type === 'Localhost') {
    if (profile.localhostProfile === undefined) {
      errors.required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost');
    } else checkDescendingPath(profile.localhostProfile, `${path}.localhostProfile`, errors);
  } else if (profile.localhostProfile !== undefined) {
    errors.invalid(`${path}.localhostProfile`, profile, 'can only be set when seccomp type is Localhost');
  }
}

function checkSysctls(context: V1PodSecurityContext, path: string, errors: FieldErrors): void {
  const names = new Set<string>();
  (context.sysctls ?? []).forEach(({ name }, index) => {
    const at = `${path}[${index}].name`;
    if (!name) errors.required(at);
    else if (!SYSCTL.test(name) || name.length > 253) {
      errors.invalid(
        at,
        name,
        `must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`,
      );
    } else if (names.has(name)) errors.duplicate(at, name);
    names.add(name);
  });
}
