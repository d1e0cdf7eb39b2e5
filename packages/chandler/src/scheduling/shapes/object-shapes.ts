/**
 * The expected shape of each kind of input object, derived from `model.ts`. A field is listed when the engine
 * cannot handle another type in its place.
 */
import { flag, listOf, mapOf, number, object, quantity, type Shape, text } from './shape.ts';

const labels = mapOf(text);
const amounts = mapOf(quantity);

/** One of the given strings. */
const oneOf =
  (...words: readonly string[]): Shape =>
  (value) =>
    words.includes(value as string)
      ? undefined
      : { field: '', problem: `must be one of ${words.join(', ')}` };

const atLeast =
  (least: number): Shape =>
  (value) =>
    typeof value === 'number' && value >= least && Number.isFinite(value)
      ? undefined
      : { field: '', problem: `must be a number of at least ${least}` };

const metadata = object({
  name: text,
  namespace: text,
  uid: text,
  labels,
  annotations: labels,
  creationTimestamp: text,
  deletionTimestamp: text,
  ownerReferences: listOf(object({ kind: text, name: text, uid: text })),
});

export const LABELS = labels;
export const OWNERS = listOf(object({ kind: text, name: text, uid: text }));

/** Operators and values are checked where they are used. */
const requirement = object({ key: text, operator: text, values: listOf(text), minValues: number }, 'key');
const taints = listOf(object({ key: text, value: text, effect: text }, 'key', 'effect'));
const term = object({ matchExpressions: listOf(requirement), matchFields: listOf(requirement) });
const selector = object({
  matchLabels: labels,
  matchExpressions: listOf(object({ key: text, operator: text, values: listOf(text) }, 'key')),
});

const affinityTerm = object({
  topologyKey: text,
  labelSelector: selector,
  namespaces: listOf(text),
  namespaceSelector: selector,
});

const podAffinity = object({
  requiredDuringSchedulingIgnoredDuringExecution: listOf(affinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: listOf(
    object({ weight: number, podAffinityTerm: affinityTerm }, 'podAffinityTerm'),
  ),
});

const nodeAffinity = object({
  requiredDuringSchedulingIgnoredDuringExecution: object({ nodeSelectorTerms: listOf(term) }),
  preferredDuringSchedulingIgnoredDuringExecution: listOf(object({ weight: number, preference: term })),
});

const SPREAD_FIELDS = {
  topologyKey: text,
  maxSkew: number,
  whenUnsatisfiable: text,
  labelSelector: selector,
  minDomains: number,
  nodeAffinityPolicy: text,
  nodeTaintsPolicy: text,
  matchLabelKeys: listOf(text),
};

const resources = object({
  requests: amounts,
  limits: amounts,
  claims: listOf(object({ name: text }, 'name')),
});

const containers = listOf(
  object({
    name: text,
    resources,
    restartPolicy: text,
    ports: listOf(object({ hostPort: number, hostIP: text, protocol: text })),
  }),
);

const claimSpec = object({ storageClassName: text, volumeName: text });

export const VOLUMES = listOf(
  object({
    name: text,
    persistentVolumeClaim: object({ claimName: text }, 'claimName'),
    ephemeral: object({ volumeClaimTemplate: object({ spec: claimSpec }) }),
  }),
);

export const RESOURCE_CLAIMS = listOf(
  object({ name: text, resourceClaimName: text, resourceClaimTemplateName: text }, 'name'),
);

export const POD_SPEC = object({
  containers,
  initContainers: containers,
  nodeSelector: labels,
  affinity: object({ nodeAffinity, podAffinity, podAntiAffinity: podAffinity }),
  tolerations: listOf(object({ key: text, operator: text, value: text, effect: text })),
  topologySpreadConstraints: listOf(object(SPREAD_FIELDS)),
  overhead: amounts,
  resources,
  volumes: VOLUMES,
  resourceClaims: RESOURCE_CLAIMS,
});

export const POD_STATUS = object({
  phase: text,
  containerStatuses: listOf(object({ name: text, allocatedResources: amounts, resources })),
});

const overhead = object({ kubeReserved: amounts, systemReserved: amounts, evictionThreshold: amounts });

export const INSTANCE_TYPE = object(
  {
    name: text,
    requirements: listOf(requirement),
    offerings: listOf(
      object({
        requirements: listOf(requirement),
        available: flag,
        launchable: flag,
        regional: flag,
        reservation: object({ id: text, capacity: number }, 'id', 'capacity'),
        capacityOverride: amounts,
        overheadOverride: overhead,
      }),
    ),
    capacity: amounts,
    overhead,
    volumeAttachmentLimits: mapOf(number),
  },
  'name',
  'capacity',
);

export const POOL = object(
  {
    nodePool: object(
      {
        metadata,
        spec: object(
          {
            weight: number,
            limits: amounts,
            template: object(
              {
                metadata: object({ labels, annotations: labels }),
                spec: object({
                  nodeClassRef: object({ group: text, kind: text, name: text }, 'group', 'kind', 'name'),
                  requirements: listOf(requirement),
                  taints,
                  startupTaints: taints,
                }),
              },
              'spec',
            ),
          },
          'template',
        ),
      },
      'metadata',
      'spec',
    ),
    used: amounts,
  },
  'nodePool',
);

export const NODE = object(
  {
    name: text,
    labels,
    taints,
    allocatable: amounts,
    capacity: amounts,
    managed: flag,
    initialized: flag,
    startupTaints: taints,
  },
  'name',
);

export const DAEMON_SET = object(
  {
    metadata,
    spec: object({ template: object({ spec: POD_SPEC }, 'spec') }, 'template'),
    pod: object({ metadata, spec: POD_SPEC }, 'spec'),
  },
  'metadata',
  'spec',
);

export const NAMESPACE = object({ name: text, labels }, 'name');

export const OVERLAY = object(
  {
    metadata,
    spec: object({
      requirements: listOf(requirement),
      price: text,
      priceAdjustment: text,
      weight: number,
      capacity: amounts,
    }),
  },
  'metadata',
  'spec',
);

export const VOLUME_CLAIM = object({ metadata, spec: claimSpec }, 'metadata', 'spec');

export const PERSISTENT_VOLUME = object(
  {
    metadata,
    spec: object({
      nodeAffinity: object({ required: object({ nodeSelectorTerms: listOf(term) }) }),
      csi: object({ driver: text }, 'driver'),
    }),
  },
  'metadata',
  'spec',
);

export const STORAGE_CLASS = object(
  {
    metadata,
    provisioner: text,
    allowedTopologies: listOf(
      object({ matchLabelExpressions: listOf(object({ key: text, values: listOf(text) }, 'key', 'values')) }),
    ),
  },
  'metadata',
  'provisioner',
);

export const CSI_NODE = object(
  {
    metadata,
    spec: object({
      drivers: listOf(object({ name: text, allocatable: object({ count: number }) }, 'name')),
    }),
  },
  'metadata',
  'spec',
);

export const NEW_NODE_LIMITS = mapOf(mapOf(number));

/** From the cluster configuration: its values are validated only here. */
export const DEFAULT_SPREAD = object(
  { ...SPREAD_FIELDS, maxSkew: atLeast(1), whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway') },
  'topologyKey',
  'maxSkew',
);
export const SERVICE = object({ metadata, selector: labels }, 'metadata', 'selector');
export const CONTROLLER = object({ metadata, kind: text, selector }, 'metadata', 'kind', 'selector');
export const TEXT = text;

/** By option; an invalid option keeps its default. */
export const OPTIONS: Readonly<Record<string, Shape>> = {
  preferencePolicy: oneOf('Respect', 'Ignore'),
  maxPreferenceCost: number,
  statePreferenceCost: flag,
  minValuesPolicy: oneOf('Strict', 'BestEffort'),
  reservedMode: oneOf('strict', 'fallback'),
  priorityOrder: flag,
  maxInstanceTypes: atLeast(1),
  improveEffort: atLeast(0),
  explain: flag,
};
