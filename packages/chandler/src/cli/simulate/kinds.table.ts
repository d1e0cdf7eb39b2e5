/**
 * The kinds that a simulation reads, by group and kind, each with the schema of the fields that it reads; and the
 * kinds that manifests often contain and that do not affect scheduling.
 */
import {
  type JsonSchema,
  nodeClaimKind,
  nodeOverlayKind,
  nodePoolKind,
  TAINT_EFFECTS,
} from '../../api/index.ts';
import { NODE_CLASS_KINDS } from '../../cloud/index.ts';

export interface KindRow {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The list of the inventory. Default: the kind, which two groups may share. */
  readonly list?: string;
  /** Of the whole object, metadata apart. */
  readonly shape: JsonSchema;
}

const TEXT: JsonSchema = { type: 'string' };
const NAME: JsonSchema = { type: 'string', minLength: 1 };
/** An int32 in the API. */
const COUNT: JsonSchema = { type: 'integer', minimum: 0, maximum: 2_147_483_647 };
const FLAG: JsonSchema = { type: 'boolean' };
const QUANTITY: JsonSchema = { 'x-kubernetes-int-or-string': true, pattern: 'quantity' };
const TEXTS: JsonSchema = { type: 'object', additionalProperties: TEXT };
const AMOUNTS: JsonSchema = { type: 'object', additionalProperties: QUANTITY };

function fields(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required, 'x-kubernetes-preserve-unknown-fields': true };
}

function listOf(items: JsonSchema, minItems = 0): JsonSchema {
  return { type: 'array', items, minItems };
}

const RESOURCES = fields({ requests: AMOUNTS, limits: AMOUNTS });
const EXPRESSION = fields({ key: NAME, operator: NAME, values: listOf(TEXT) }, ['key', 'operator']);
const SELECTOR = fields({ matchLabels: TEXTS, matchExpressions: listOf(EXPRESSION) });
const NODE_TERM = fields({ matchExpressions: listOf(EXPRESSION), matchFields: listOf(EXPRESSION) });
const POD_TERM = fields(
  {
    topologyKey: NAME,
    labelSelector: SELECTOR,
    namespaces: listOf(TEXT),
    namespaceSelector: SELECTOR,
    matchLabelKeys: listOf(TEXT),
    mismatchLabelKeys: listOf(TEXT),
  },
  ['topologyKey'],
);
const WEIGHT: JsonSchema = { type: 'integer', minimum: 1, maximum: 100 };
const POD_AFFINITY = fields({
  requiredDuringSchedulingIgnoredDuringExecution: listOf(POD_TERM),
  preferredDuringSchedulingIgnoredDuringExecution: listOf(
    fields({ weight: WEIGHT, podAffinityTerm: POD_TERM }, ['weight', 'podAffinityTerm']),
  ),
});
const NODE_SELECTOR = fields({ nodeSelectorTerms: listOf(NODE_TERM, 1) }, ['nodeSelectorTerms']);
const NODE_AFFINITY = fields({
  requiredDuringSchedulingIgnoredDuringExecution: NODE_SELECTOR,
  preferredDuringSchedulingIgnoredDuringExecution: listOf(
    fields({ weight: WEIGHT, preference: NODE_TERM }, ['weight', 'preference']),
  ),
});
const PORT: JsonSchema = { type: 'integer', minimum: 0, maximum: 65_535 };
const CONTAINER = fields({
  name: TEXT,
  resources: RESOURCES,
  restartPolicy: TEXT,
  ports: listOf(fields({ containerPort: PORT, hostPort: PORT, hostIP: TEXT, protocol: TEXT })),
});
const TAINT = fields({ key: NAME, value: TEXT, effect: { type: 'string', enum: TAINT_EFFECTS } }, [
  'key',
  'effect',
]);
const POD_SPEC = fields(
  {
    nodeName: TEXT,
    nodeSelector: TEXTS,
    affinity: fields({
      nodeAffinity: NODE_AFFINITY,
      podAffinity: POD_AFFINITY,
      podAntiAffinity: POD_AFFINITY,
    }),
    tolerations: listOf(fields({ key: TEXT, operator: TEXT, value: TEXT, effect: TEXT })),
    topologySpreadConstraints: listOf(
      fields(
        {
          maxSkew: { type: 'integer', minimum: 1 },
          topologyKey: NAME,
          whenUnsatisfiable: { type: 'string', enum: ['DoNotSchedule', 'ScheduleAnyway'] },
          labelSelector: SELECTOR,
          minDomains: COUNT,
          nodeAffinityPolicy: { type: 'string', enum: ['Honor', 'Ignore'] },
          nodeTaintsPolicy: { type: 'string', enum: ['Honor', 'Ignore'] },
          matchLabelKeys: listOf(TEXT),
        },
        ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
      ),
    ),
    containers: listOf(CONTAINER, 1),
    initContainers: listOf(CONTAINER),
    overhead: AMOUNTS,
    resources: RESOURCES,
    volumes: listOf(
      fields({ name: NAME, persistentVolumeClaim: fields({ claimName: NAME }, ['claimName']) }, ['name']),
    ),
    priority: { type: 'integer' },
    priorityClassName: TEXT,
  },
  ['containers'],
);
const TEMPLATE = fields({ metadata: fields({ labels: TEXTS, annotations: TEXTS }), spec: POD_SPEC }, [
  'spec',
]);
const CLAIM_SPEC = fields({ storageClassName: TEXT, volumeName: TEXT });
const JOB_SPEC = fields({ parallelism: COUNT, completions: COUNT, suspend: FLAG, template: TEMPLATE }, [
  'template',
]);
const ANYTHING: JsonSchema = {};
const REFERENCE = fields({ apiVersion: TEXT, kind: NAME, name: NAME }, ['kind', 'name']);
const REPLICATED_JOB = fields({ name: NAME, replicas: COUNT, template: withSpec(JOB_SPEC) }, [
  'name',
  'template',
]);
const RAY_CLUSTER = fields(
  {
    suspend: FLAG,
    headGroupSpec: fields({ template: TEMPLATE }, ['template']),
    workerGroupSpecs: listOf(
      fields({ groupName: NAME, replicas: COUNT, numOfHosts: COUNT, template: TEMPLATE }, [
        'groupName',
        'template',
      ]),
    ),
  },
  ['headGroupSpec'],
);

function withSpec(spec: JsonSchema): JsonSchema {
  return fields({ spec }, ['spec']);
}

const CONDITIONS = listOf(fields({ type: TEXT, status: TEXT, reason: TEXT, message: TEXT }));

/** Of a kind whose conditions are read. */
function withConditions(spec: JsonSchema): JsonSchema {
  return fields({ spec, status: fields({ conditions: CONDITIONS }) }, ['spec']);
}

function workload(more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return withSpec(fields({ replicas: COUNT, template: TEMPLATE, ...more }, ['template']));
}

function row(group: string, kind: string, namespaced: boolean, shape: JsonSchema): KindRow {
  return { group, kind, namespaced, shape };
}

export const KINDS_READ: readonly KindRow[] = [
  row('', 'Pod', true, withConditions(POD_SPEC)),
  row('apps', 'Deployment', true, workload()),
  row('apps', 'ReplicaSet', true, workload()),
  row('', 'ReplicationController', true, workload()),
  row(
    'apps',
    'StatefulSet',
    true,
    workload({ volumeClaimTemplates: listOf(withSpec(CLAIM_SPEC)), ordinals: fields({ start: COUNT }) }),
  ),
  row('apps', 'DaemonSet', true, withSpec(fields({ template: TEMPLATE }, ['template']))),
  row('batch', 'Job', true, withConditions(JOB_SPEC)),
  row(
    'batch',
    'CronJob',
    true,
    withSpec(fields({ suspend: FLAG, jobTemplate: withSpec(JOB_SPEC) }, ['jobTemplate'])),
  ),
  // Workloads of well-known operators that have a pod template.
  row(
    'argoproj.io',
    'Rollout',
    true,
    withSpec(fields({ replicas: COUNT, template: TEMPLATE, workloadRef: REFERENCE })),
  ),
  row('apps.kruise.io', 'CloneSet', true, workload()),
  row(
    'apps.kruise.io',
    'StatefulSet',
    true,
    workload({ volumeClaimTemplates: listOf(withSpec(CLAIM_SPEC)) }),
  ),
  row('apps.kruise.io', 'DaemonSet', true, withSpec(fields({ template: TEMPLATE }, ['template']))),
  row('apps.openshift.io', 'DeploymentConfig', true, workload()),
  row('serving.knative.dev', 'Service', true, withSpec(fields({ template: TEMPLATE }, ['template']))),
  row(
    'jobset.x-k8s.io',
    'JobSet',
    true,
    withSpec(fields({ suspend: FLAG, replicatedJobs: listOf(REPLICATED_JOB) })),
  ),
  row('ray.io', 'RayCluster', true, withSpec(RAY_CLUSTER)),
  row('', 'Namespace', false, ANYTHING),
  row(
    '',
    'Node',
    false,
    fields({
      spec: fields({ taints: listOf(TAINT), unschedulable: FLAG }),
      status: fields({ allocatable: AMOUNTS, capacity: AMOUNTS, conditions: CONDITIONS }),
    }),
  ),
  row('', 'PersistentVolumeClaim', true, withSpec(CLAIM_SPEC)),
  row('', 'PersistentVolume', false, withSpec(fields({ nodeAffinity: fields({ required: NODE_SELECTOR }) }))),
  row(
    'storage.k8s.io',
    'StorageClass',
    false,
    fields({ provisioner: NAME, volumeBindingMode: TEXT }, ['provisioner']),
  ),
  row(
    'storage.k8s.io',
    'CSINode',
    false,
    withSpec(fields({ drivers: listOf(fields({ name: NAME }, ['name'])) })),
  ),
  row(
    'scheduling.k8s.io',
    'PriorityClass',
    false,
    fields({ value: { type: 'integer' }, globalDefault: FLAG }, ['value']),
  ),
  row(
    '',
    'LimitRange',
    true,
    withSpec(
      fields(
        {
          limits: listOf(
            fields({ type: NAME, max: AMOUNTS, min: AMOUNTS, default: AMOUNTS, defaultRequest: AMOUNTS }, [
              'type',
            ]),
          ),
        },
        ['limits'],
      ),
    ),
  ),
  row('karpenter.sh', 'NodePool', false, withConditions(nodePoolKind.spec.json)),
  row(
    'karpenter.sh',
    'NodeClaim',
    false,
    withConditions({ ...nodeClaimKind.spec.json, 'x-kubernetes-preserve-unknown-fields': true }),
  ),
  row('karpenter.sh', 'NodeOverlay', false, withSpec(nodeOverlayKind.spec.json)),
  ...NODE_CLASS_KINDS.map(({ group, kind }) => row(group, kind, false, ANYTHING)),
];

/** And those that default topology spread constraints need. */
export const KINDS_OF_DEFAULT_SPREAD: readonly KindRow[] = [
  {
    ...row('', 'Service', true, fields({ spec: fields({ selector: TEXTS }) })),
    list: 'selecting/Service',
  },
];

/** And those that a plan of disruption reads besides. */
export const KINDS_OF_DISRUPTION: readonly KindRow[] = [
  row(
    'policy',
    'PodDisruptionBudget',
    true,
    fields({
      spec: fields({ selector: SELECTOR, unhealthyPodEvictionPolicy: TEXT }),
      status: fields({ disruptionsAllowed: { type: 'integer' } }),
    }),
  ),
  // One of them stops disruption.
  row('', 'ConfigMap', true, fields({ data: TEXTS })),
];

/** Groups without any kind that affects scheduling. */
export const IGNORED_GROUPS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'autoscaling',
  'autoscaling.x-k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'gateway.networking.k8s.io',
  'kustomize.config.k8s.io',
  'metrics.k8s.io',
  'monitoring.coreos.com',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
]);

/** Kinds that do not affect scheduling, in groups with kinds that do. */
export const IGNORED_KINDS: ReadonlySet<string> = new Set([
  '/ConfigMap',
  '/Endpoints',
  '/Event',
  '/PodTemplate',
  '/ResourceQuota',
  '/Secret',
  '/Service',
  '/ServiceAccount',
  'apps/ControllerRevision',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/CSIStorageCapacity',
  'storage.k8s.io/VolumeAttachment',
]);
