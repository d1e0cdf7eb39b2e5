/**
 * Fields that a request cannot change, because the strategy of the resource or subresource puts them back: nobody
 * comes to own them through it. `ignore` and `only` go into the ManagerRequest as they are.
 */

export interface ResetFields {
  readonly ignore?: readonly (readonly string[])[];
  /** Everything outside of these paths is put back. */
  readonly only?: readonly (readonly string[])[];
}

const STATUS: ResetFields = { ignore: [['status']] };
const SPEC: ResetFields = { ignore: [['spec']] };
const SPEC_AND_METADATA: ResetFields = { ignore: [['metadata'], ['spec']] };
const NONE: ResetFields = {};

/** By resource as messages name it (`pods`, `deployments.apps`), then by subresource; `''` is the resource itself. */
export const RESET_FIELDS: Readonly<Record<string, Readonly<Record<string, ResetFields>>>> = {
  'certificatesigningrequests.certificates.k8s.io': {
    '': { ignore: [['spec'], ['status']] },
    status: { ignore: [['spec'], ['status', 'conditions']] },
    approval: { ignore: [['spec'], ['status', 'certificate']] },
  },
  'customresourcedefinitions.apiextensions.k8s.io': { '': STATUS, status: SPEC },
  'ingresses.networking.k8s.io': { '': STATUS, status: SPEC },
  'poddisruptionbudgets.policy': { '': STATUS, status: SPEC },
  'volumeattachments.storage.k8s.io': { '': STATUS, status: SPEC_AND_METADATA },
  'horizontalpodautoscalers.autoscaling': { '': STATUS, status: SPEC },
  'daemonsets.apps': { '': STATUS, status: SPEC },
  'statefulsets.apps': { '': STATUS, status: SPEC },
  'deployments.apps': { '': STATUS, status: { ignore: [['spec'], ['metadata', 'labels']] } },
  'replicasets.apps': { '': STATUS, status: SPEC },
  'jobs.batch': { '': STATUS, status: SPEC },
  'cronjobs.batch': { '': STATUS, status: SPEC },
  nodes: { '': STATUS, status: SPEC },
  resourcequotas: { '': STATUS, status: SPEC },
  persistentvolumes: { '': STATUS, status: SPEC },
  persistentvolumeclaims: { '': STATUS, status: SPEC },
  namespaces: { '': STATUS, status: SPEC, finalize: STATUS },
  services: { '': STATUS, status: SPEC },
  replicationcontrollers: { '': STATUS, status: SPEC },
  pods: {
    '': STATUS,
    status: { ignore: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']] },
    ephemeralcontainers: { only: [['spec', 'ephemeralContainers']] },
    resize: {
      only: [
        ['spec', 'containers', '*', 'resources'],
        ['spec', 'containers', '*', 'resizePolicy'],
        ['spec', 'initContainers', '*', 'resources'],
        ['spec', 'initContainers', '*', 'resizePolicy'],
      ],
    },
  },
};

/** Those of a custom resource, by whether its definition has a status subresource. */
const CUSTOM: Readonly<Record<string, ResetFields>> = { '': STATUS, status: SPEC_AND_METADATA };

/**
 * @param resource as messages name it: `pods`, `deployments.apps`
 * @param custom for a custom resource: whether it has a status subresource; undefined for a built-in kind
 */
export function resetFieldsOf(
  resource: string,
  subresource: string | undefined,
  custom?: { readonly hasStatus: boolean },
): ResetFields {
  if (custom === undefined) return RESET_FIELDS[resource]?.[subresource ?? ''] ?? NONE;
  return custom.hasStatus ? (CUSTOM[subresource ?? ''] ?? NONE) : NONE;
}
