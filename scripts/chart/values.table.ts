/**
 * The values of charts/chandler that are not options of the controller: path, default, meaning and schema. Names are those of
 * Karpenter's charts where they mean the same, so that a values file carries over.
 */
import { CLOUD_NAMES, DEFAULT_CLOUD } from '../../packages/chandler/src/cloud/registry.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ValueRow {
  readonly path: string;
  /** Absent: the key is listed in a comment, and is not set. */
  readonly default?: unknown;
  readonly schema: JsonSchema;
  readonly doc: string;
}

const TEXT: JsonSchema = { type: 'string' };
const BOOLEAN: JsonSchema = { type: 'boolean' };
const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const PORT: JsonSchema = { type: 'integer', minimum: 1, maximum: 65_535 };
const OBJECT: JsonSchema = { type: 'object' };
const OBJECTS: JsonSchema = { type: 'array', items: { type: 'object' } };
const TEXTS: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };
const NAMES: JsonSchema = {
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name: TEXT } },
};
const COUNT_OR_PERCENT: JsonSchema = { type: ['integer', 'string'] };

export const SECRET_REF: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'key'],
  properties: {
    name: { type: 'string', minLength: 1, description: 'The name of the Secret' },
    key: { type: 'string', minLength: 1, description: 'The key in the Secret' },
  },
};

export const GENERAL: readonly ValueRow[] = [
  row('cloud', DEFAULT_CLOUD, { enum: CLOUD_NAMES }, 'The cloud in which nodes are provisioned'),
  row('nameOverride', '', TEXT, 'Replaces the name of the chart in names of objects'),
  row('fullnameOverride', '', TEXT, 'Replaces the names of objects'),
  row('additionalLabels', {}, TEXTS, 'Labels of all objects'),
  row('additionalAnnotations', {}, TEXTS, 'Annotations of all objects'),
  row(
    'image.repository',
    '',
    { type: 'string', minLength: 1 },
    'The repository of the image, such as REGISTRY/chandler. **Required**',
  ),
  row('image.tag', '', TEXT, 'The tag of the image; empty means the version of the chart'),
  row(
    'image.digest',
    '',
    { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
    'The digest of the image; it takes precedence over the tag',
  ),
  row(
    'imagePullPolicy',
    'IfNotPresent',
    { enum: ['Always', 'IfNotPresent', 'Never'] },
    'When the image is pulled',
  ),
  row('imagePullSecrets', [], NAMES, 'Secrets with which the image is pulled'),
];

export const IDENTITY: readonly ValueRow[] = [
  row(
    'identity.azureClientId',
    '',
    TEXT,
    'On Azure: the client ID of the managed identity, for workload identity. Its federated credential names the namespace and the ServiceAccount',
  ),
  row(
    'identity.azureTenantId',
    '',
    TEXT,
    'On Azure: the tenant of this identity; empty means that of the webhook',
  ),
  row(
    'identity.awsRoleArn',
    '',
    TEXT,
    'On AWS: the ARN of the role, for IAM roles for service accounts (IRSA). Leave it empty with EKS Pod Identity: the association names the ServiceAccount',
  ),
  row('serviceAccount.create', true, BOOLEAN, 'Create the ServiceAccount'),
  row(
    'serviceAccount.name',
    '',
    TEXT,
    'The name of the ServiceAccount; empty means the name of the release; required if none is created',
  ),
  row('serviceAccount.annotations', {}, TEXTS, 'Annotations of the ServiceAccount'),
  row('rbac.create', true, BOOLEAN, 'Create the roles and their bindings'),
  row(
    'rbac.bootstrapTokenId',
    '',
    { type: 'string', pattern: '^([a-z0-9]{6})?$' },
    'On Azure: the ID of the bootstrap token, the part before the dot. With it the controller may read when the token expires',
  ),
  row('additionalClusterRoleRules', [], OBJECTS, 'Rules that are added to the ClusterRole'),
];

export const PODS: readonly ValueRow[] = [
  row('replicas', 2, COUNT, 'The number of replicas; one leads, the others are on standby'),
  row('revisionHistoryLimit', 10, COUNT, 'The number of old ReplicaSets to keep'),
  row(
    'strategy',
    { rollingUpdate: { maxUnavailable: 1 } },
    OBJECT,
    'How pods are replaced: one replica always stays, and leads',
  ),
  row('podLabels', {}, TEXTS, 'Labels of pods'),
  row('podAnnotations', {}, TEXTS, 'Annotations of pods'),
  row(
    'podDisruptionBudget.name',
    '',
    TEXT,
    'The name of the PodDisruptionBudget; empty means the name of the release',
  ),
  row(
    'podDisruptionBudget.maxUnavailable',
    1,
    COUNT_OR_PERCENT,
    'How many pods may be evicted at the same time',
  ),
  row('priorityClassName', 'system-cluster-critical', TEXT, 'The PriorityClass of pods'),
  row(
    'priorityClass.create',
    false,
    BOOLEAN,
    'Create a PriorityClass and use it instead of priorityClassName',
  ),
  row('priorityClass.value', 1_000_000_000, { type: 'integer', maximum: 1_000_000_000 }, 'Its value'),
  row(
    'terminationGracePeriodSeconds',
    30,
    COUNT,
    'The time that a pod has to stop; the controller needs at most 25 seconds',
  ),
  row(
    'podSecurityContext.fsGroup',
    65_532,
    COUNT,
    'The group of mounted files; other fields are allowed, too',
  ),
  row('hostNetwork', false, BOOLEAN, 'Use the network of the host, for custom CNIs'),
  row('schedulerName', 'default-scheduler', TEXT, 'The scheduler of pods'),
  row(
    'dnsPolicy',
    'ClusterFirst',
    { enum: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'] },
    'The DNS policy of pods; with Default the controller also works while the cluster DNS has no node',
  ),
  row('dnsConfig', {}, OBJECT, 'The DNS configuration of pods'),
  row('nodeSelector', { 'kubernetes.io/os': 'linux' }, TEXTS, 'Labels of the nodes on which pods run'),
  row(
    'affinity',
    {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' }] },
          ],
        },
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }],
      },
    },
    OBJECT,
    'The affinity of pods: not on nodes that the controller manages, and each on its own host. A term without a label selector gets that of the pods',
  ),
  row(
    'topologySpreadConstraints',
    [{ maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' }],
    OBJECTS,
    'Spread over zones. A constraint without a label selector gets that of the pods',
  ),
  row(
    'tolerations',
    [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
    OBJECTS,
    'Taints that pods tolerate',
  ),
  row('extraVolumes', [], OBJECTS, 'Volumes of pods'),
];

export const CONTROLLER: readonly ValueRow[] = [
  row(
    'controller.containerName',
    'controller',
    { type: 'string', minLength: 1 },
    'The name of the container',
  ),
  row(
    'controller.observe',
    false,
    BOOLEAN,
    'Only log and measure what the controller would do, next to Karpenter; take no lease, write nothing',
  ),
  row(
    'controller.readinessCheckInterval',
    '0s',
    TEXT,
    'Check the cluster at this interval, at least 1m, as `chandler check --live-cluster` does; 0s is off',
  ),
  row(
    'controller.resources',
    { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '1Gi' } },
    OBJECT,
    'Requests and limits of the container (sizing: docs/operations.md). The controller uses at most nine tenths of the memory limit',
  ),
  row(
    'controller.env',
    [],
    NAMES,
    'Environment variables of the container. They take precedence over settings. Those that roles, probes and other objects of the chart depend on are rejected, with the key to set instead',
  ),
  row(
    'controller.envFrom',
    [],
    OBJECTS,
    'ConfigMaps and Secrets with environment variables of the container',
  ),
  row('controller.extraVolumeMounts', [], OBJECTS, 'Volume mounts of the container'),
  row('controller.sidecarContainer', [], NAMES, 'More containers of the pods'),
  row('controller.sidecarVolumeMounts', [], OBJECTS, 'Volume mounts of these containers'),
  row('controller.metrics.port', 8080, PORT, 'The port of the metrics endpoint'),
  row('controller.healthProbe.port', 8081, PORT, 'The port of the health endpoints'),
];

export const PAGE: readonly ValueRow[] = [
  row(
    'page.enabled',
    false,
    BOOLEAN,
    'Serve the page of the cluster (docs/page.md), with a Service and the permissions to ask the API server who may see what',
  ),
  row('page.port', 8420, PORT, 'The port of the page, of the container and of the Service'),
  row(
    'page.hosts',
    [],
    { type: 'array', items: { type: 'string', minLength: 1 } },
    'Names under which browsers reach the page through an ingress or the Service, such as page.example.com. Without any, it is reached by kubectl port-forward alone',
  ),
  row(
    'page.bindAddress',
    '',
    TEXT,
    'The IP address on which the page listens; empty means 127.0.0.1 without page.hosts, which kubectl port-forward reaches, and 0.0.0.0 with them. For IPv6: "::"',
  ),
  row('page.service.annotations', {}, TEXTS, 'Annotations of the Service of the page'),
];

export const MONITORING: readonly ValueRow[] = [
  row('service.annotations', {}, TEXTS, 'Annotations of the Service of the metrics endpoint'),
  row('serviceMonitor.enabled', false, BOOLEAN, 'Create a ServiceMonitor; needs the Prometheus operator'),
  row('serviceMonitor.additionalLabels', {}, TEXTS, 'Labels of the ServiceMonitor'),
  row('serviceMonitor.endpointConfig', {}, OBJECT, 'Fields of its endpoint, such as interval'),
  row('serviceMonitor.metricRelabelings', [], OBJECTS, 'Relabelings of its metrics'),
  row('prometheusRule.enabled', false, BOOLEAN, 'Create a PrometheusRule with the alerts of docs/alerts.md'),
  row('prometheusRule.additionalLabels', {}, TEXTS, 'Labels of the PrometheusRule'),
  row('dashboards.enabled', false, BOOLEAN, 'Create ConfigMaps with Grafana dashboards'),
  row('dashboards.namespace', '', TEXT, 'The namespace of these ConfigMaps; empty means that of the release'),
  row(
    'dashboards.labels',
    { grafana_dashboard: '1' },
    TEXTS,
    'Labels of these ConfigMaps, by which Grafana finds them',
  ),
  row('dashboards.annotations', {}, TEXTS, 'Annotations of these ConfigMaps, such as a folder'),
  row(
    'networkPolicy.enabled',
    false,
    BOOLEAN,
    'Create a NetworkPolicy: metrics and probes may be reached; DNS, and TCP on networkPolicy.egressPorts, may be called',
  ),
  row('networkPolicy.metricsFrom', [], OBJECTS, 'Who may reach the metrics; empty means everyone'),
  row(
    'networkPolicy.pageFrom',
    [],
    OBJECTS,
    'Who may reach the page, with page.hosts, such as the ingress controller; empty means everyone',
  ),
  row(
    'networkPolicy.egressPorts',
    [443, 6443],
    { type: 'array', items: PORT, minItems: 1 },
    'Ports of the API server, of the cloud and of a proxy',
  ),
];

// ---------------------------------------------------------------------------------------------------

function row(path: string, value: unknown, schema: JsonSchema, doc: string): ValueRow {
  return { path, default: value, schema, doc };
}
