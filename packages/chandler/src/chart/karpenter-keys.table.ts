/**
 * Keys of the values of Karpenter's charts for Azure and AWS (up to 1.14) that are not options: kept where they mean the same in our
 * chart, dropped with a reason where not. Options below `settings` and in `controller.env` are found in the tables of options.
 */

/** With everything below them. */
export const KEPT_KEYS: readonly string[] = [
  'nameOverride',
  'additionalLabels',
  'additionalAnnotations',
  'imagePullPolicy',
  'imagePullSecrets',
  'service.annotations',
  'serviceAccount.create',
  'serviceAccount.annotations',
  'additionalClusterRoleRules',
  'serviceMonitor.enabled',
  'serviceMonitor.additionalLabels',
  'serviceMonitor.endpointConfig',
  'serviceMonitor.metricRelabelings',
  'replicas',
  'revisionHistoryLimit',
  'strategy',
  'podLabels',
  'podAnnotations',
  'podDisruptionBudget.maxUnavailable',
  'podSecurityContext',
  'priorityClassName',
  'terminationGracePeriodSeconds',
  'hostNetwork',
  'schedulerName',
  'dnsPolicy',
  'dnsConfig',
  'nodeSelector',
  'affinity',
  'topologySpreadConstraints',
  'tolerations',
  'extraVolumes',
  'controller.containerName',
  'controller.envFrom',
  'controller.resources',
  'controller.extraVolumeMounts',
  'controller.sidecarContainer',
  'controller.sidecarVolumeMounts',
  'controller.metrics.port',
  'controller.healthProbe.port',
];

const DEAD = 'Karpenter 1.x ignores it';

/** With everything below them; each with its reason. */
export const DROPPED_KEYS: Readonly<Record<string, string>> = {
  'controller.image': "it is Karpenter's image; set image.repository and image.digest to that of Chandler",
  fullnameOverride: "Karpenter's own objects have this name; ours are named after the release",
  'serviceAccount.name':
    "the ServiceAccount of this name belongs to Karpenter's release; let its identity also trust the ServiceAccount of Chandler, which is named after the release",
  'podDisruptionBudget.name':
    "Karpenter's own PodDisruptionBudget has this name; ours is named after the release",
  webhook: 'Chandler has no webhook',
  logConfig: `${DEAD}; use logLevel`,
  logEncoding: `${DEAD}; the log is JSON`,
  'controller.logLevel': `${DEAD}; use logLevel`,
  'controller.outputPaths': `${DEAD}; use logOutputPaths`,
  'controller.errorOutputPaths': `${DEAD}; use logErrorOutputPaths`,
  'controller.batchMaxDuration': `${DEAD}; use settings.batchMaxDuration`,
  'controller.batchIdleDuration': `${DEAD}; use settings.batchIdleDuration`,
  clusterName: `${DEAD}; use settings.clusterName`,
  clusterEndpoint: `${DEAD}; use settings.clusterEndpoint`,
  aws: `${DEAD}; use settings`,
  defaultProvisioner: DEAD,
  'settings.aws': `${DEAD}; use the keys below settings`,
  'settings.azure': `${DEAD}; use the keys below settings`,
  'settings.defaultInstanceProfile': `${DEAD}; set role or instanceProfile of the EC2NodeClass`,
  'settings.interruptionQueueName': `${DEAD}; use settings.interruptionQueue`,
  'settings.tags':
    'Karpenter does not use it; on Azure use settings.additionalTags, on AWS tags of the EC2NodeClass',
  'settings.featureGates.drift': 'drift is always detected, as in Karpenter 1.x',
};

/** Keys that have an effect in Karpenter for which there is nothing here; empty ones are dropped. */
export const UNSUPPORTED_KEYS: Readonly<Record<string, string>> = {
  'settings.assumeRoleARN':
    'Chandler assumes no role by an option; let the identity of the pod be that role, or use settings.awsProfile with a role_arn',
  'settings.assumeRoleDuration': 'Chandler assumes no role by an option',
  initContainers: 'the chart has no init containers',
};

/** Variables that mean something only for Karpenter's process, or that our chart sets itself. */
export const DROPPED_VARIABLES: Readonly<Record<string, string>> = {
  SYSTEM_NAMESPACE: 'the chart sets it',
  MEMORY_LIMIT: 'the chart sets it from controller.resources',
  CPU_REQUESTS: 'the chart sets it from controller.resources',
  CHANDLER_CLOUD: 'the chart sets it from cloud',
  KUBERNETES_MIN_VERSION: "only Karpenter's process reads it",
  WEBHOOK_PORT: 'Chandler has no webhook',
  WEBHOOK_METRICS_PORT: 'Chandler has no webhook',
  DISABLE_WEBHOOK: 'Chandler has no webhook',
  GOMAXPROCS: 'only Go programs read it',
  GOMEMLIMIT: 'only Go programs read it; controller.resources.limits.memory is observed',
  GOGC: 'only Go programs read it',
};

/** What tells the cloud of a values file: a path that exists, or a variable of `controller.env`, or a part of the image's name. */
export const SIGNS: readonly {
  readonly cloud: 'azure' | 'aws';
  readonly paths: readonly (readonly string[])[];
  readonly variables: RegExp;
  readonly image: RegExp;
}[] = [
  {
    cloud: 'azure',
    paths: [
      ['serviceAccount', 'annotations', 'azure.workload.identity/client-id'],
      ['podLabels', 'azure.workload.identity/use'],
    ],
    variables: /^(AZURE_|ARM_|VNET_|KUBELET_BOOTSTRAP_TOKEN|LINUX_ADMIN_USERNAME)/,
    image: /azurecr\.io|mcr\.microsoft\.com/,
  },
  {
    cloud: 'aws',
    paths: [
      ['serviceAccount', 'annotations', 'eks.amazonaws.com/role-arn'],
      ['settings', 'interruptionQueue'],
      ['settings', 'isolatedVPC'],
      ['settings', 'reservedENIs'],
      ['settings', 'eksControlPlane'],
      ['settings', 'awsFeatureGates'],
      ['settings', 'aws'],
    ],
    variables: /^AWS_/,
    image: /public\.ecr\.aws|amazonaws\.com/,
  },
];
