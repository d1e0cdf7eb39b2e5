/** The playground on a simulated AWS: instances of EC2 become nodes of an EKS cluster. */
import {
  type AwsOptions,
  type AwsServerOptions,
  controllerEnvironment,
  controllerPolicy,
  FAULTS,
  filesIn,
  type RunningAws,
  removeControllerFiles,
  startAws,
  writeControllerFiles,
} from '@chandler/cloudsim/aws';
import type { KubeObject } from '@chandler/kube';
import { EC2_NODE_CLASSES } from '../../api/index.ts';
import type { CloudName } from '../../cloud/registry.ts';
import { type AwsScenes, awsScenes } from './aws-scenes.ts';
import { type PoolChoice, type PoolOfCloud, poolObject } from './default-pool.ts';
import {
  EBS_DRIVER,
  EBS_VOLUMES_PER_NODE,
  EFS_DRIVER,
  EKS_AGENT_TAINTS,
  EKS_STORAGE_CLASSES,
} from './eks-cluster.table.ts';
import {
  type CloudEnvironment,
  type CloudFiles,
  type CloudInstance,
  type CloudSimulation,
  faultStates,
  type PlaygroundCloud,
  type SystemNode,
} from './playground-cloud.ts';

/** @param started receives the running AWS. */
export function awsSimulation(options: AwsOptions, started: (aws: RunningAws) => void): CloudSimulation {
  return {
    storageClasses: EKS_STORAGE_CLASSES,
    csiDrivers: { [EBS_DRIVER]: EBS_VOLUMES_PER_NODE, [EFS_DRIVER]: undefined },
    sharedDrivers: [EFS_DRIVER],
    agentTaints: EKS_AGENT_TAINTS,
    async start(environment) {
      const region = options.region ?? 'us-west-2';
      const server = { ...accountOf(region), ...options.server };
      const aws = await startAws(environment, { ...options, region, server });
      started(aws);
      return awsCloud(aws, environment);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const POOL: PoolOfCloud = {
  nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
  requirements: [
    { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
    { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['2'] },
  ],
};
const CLUSTER = 'playground';
const DISCOVERY_TAG = 'karpenter.sh/discovery';

/** The controller may do what the policy of Karpenter's getting-started guide allows, and nothing else. */
function accountOf(region: string): Partial<AwsServerOptions> {
  const account = { partition: 'aws', accountId: '111122223333', clusterName: CLUSTER };
  const { partition, accountId } = account;
  const nodeRoleName = `KarpenterNodeRole-${CLUSTER}`;
  const policy = controllerPolicy({
    ...account,
    region,
    nodeRoleArn: `arn:${partition}:iam::${accountId}:role/${nodeRoleName}`,
    queueArn: `arn:${partition}:sqs:${region}:${accountId}:${CLUSTER}`,
  });
  return { ...account, nodeRoleName, policies: [policy] };
}

function awsCloud(aws: RunningAws, { nodeHost, kubernetesVersion }: CloudEnvironment): PlaygroundCloud {
  const { server } = aws;
  const { settings, faults } = server;
  const scenes: AwsScenes = awsScenes(server);
  /** Ids of the faults that take the capacity of a zone. */
  const withoutCapacity = new Map<string, string>();
  return {
    name: 'aws',
    title: 'AWS',
    instanceNoun: 'instance',
    region: settings.region,
    zones: settings.zones.map(({ name }) => name),
    kubernetesVersion,
    endpoint: server.url,
    address: `${server.url}, account ${settings.accountId}, region ${settings.region}`,
    fetch: server.fetch,
    nodeClasses: EC2_NODE_CLASSES,
    defaultNodeClass: nodeClass(settings.nodeRoleName, settings.clusterName),
    defaultPool: (choice?: PoolChoice) => poolObject(POOL, choice),
    async provider() {
      const { loadCloud } = await import('../../cloud/registry.ts');
      return loadCloud('aws' as CloudName);
    },
    controllerRoles: async () => (await import('../roles-aws.gen.ts')).CONTROLLER_ROLES,
    async writeFiles(folder, place) {
      const { envFile } = await writeControllerFiles(folder, { server, ...place });
      return { folder, envFile, remove: () => removeControllerFiles(folder) };
    },
    controllerEnvironment: ({ folder }, place) =>
      controllerEnvironment({ server, ...place }, filesIn(folder)),
    facts: (files) => awsFacts(aws, files),
    systemNode: (number) => systemNode(aws, number),
    instances: () => instancesOf(aws),
    instanceOf: ({ providerID }) =>
      providerID?.startsWith('aws:') === true ? providerID.split('/').at(-1) : undefined,
    // Launch templates and instance profiles belong to the EC2NodeClass, and stay as long as it exists.
    leftovers: () => ({ instances: instancesOf(aws).length }),
    faults: () => faultStates(FAULTS, faults.list()),
    addFault: (fault) => void faults.add(fault),
    removeFaults: (name) => void faults.remove(name),
    stopZone(zone) {
      for (const { id, nodeName, zone: own, state } of server.instances.list()) {
        if (own !== zone || (state !== 'running' && state !== 'pending')) continue;
        server.instances.impair(id, 'system');
        nodeHost.stopKubelet(nodeName);
      }
    },
    setCapacity(zone, available) {
      const fault = withoutCapacity.get(zone);
      if (available && fault !== undefined) faults.remove(fault);
      withoutCapacity.delete(zone);
      if (!available) withoutCapacity.set(zone, faults.add(`capacity@zone=${zone}`).id);
    },
    perform: scenes.perform,
    failureOf: scenes.failureOf,
    stop: () => aws.stop(),
  };
}

function nodeClass(role: string, cluster: string): KubeObject {
  const found = [{ tags: { [DISCOVERY_TAG]: cluster } }];
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      role,
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: found,
      securityGroupSelectorTerms: found,
    },
  };
}

function awsFacts({ server }: RunningAws, { folder }: CloudFiles): Readonly<Record<string, string>> {
  const { url, settings, queue } = server;
  const { envFile, credentialsFile, faultHeaderFile } = filesIn(folder);
  return {
    endpoint: url,
    region: settings.region,
    accountId: settings.accountId,
    clusterName: settings.clusterName,
    nodeRole: settings.nodeRoleName,
    interruptionQueue: queue.settings.name,
    envFile,
    credentialsFile,
    faultHeaderFile,
  };
}

/** System nodes are of a managed node group whose instances EC2 does not show. */
function systemNode({ server: { settings } }: RunningAws, number: number): SystemNode {
  const zone = settings.zones[(number - 1) % settings.zones.length]!;
  return {
    zone: zone.name,
    instanceType: 'm5.xlarge',
    labels: {
      'eks.amazonaws.com/nodegroup': 'system',
      'eks.amazonaws.com/capacityType': 'ON_DEMAND',
      'topology.k8s.aws/zone-id': zone.id,
    },
    providerID: `aws:///${zone.name}/i-0${number.toString(16).padStart(16, '0')}`,
  };
}

/** A terminated instance is shown for an hour, and costs nothing. */
function instancesOf({ server }: RunningAws): readonly CloudInstance[] {
  const { catalogue } = server.context;
  return server.instances
    .list()
    .filter(({ state }) => state !== 'terminated')
    .map(({ id, nodeName, type, zone, spot }) => {
      const offered = catalogue.find(type)!;
      return {
        name: id,
        nodeName,
        pricePerHour: spot ? catalogue.spotPrice(offered, zone) : offered.usdPerHour,
      };
    });
}
