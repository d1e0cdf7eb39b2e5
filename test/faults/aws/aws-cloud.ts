/** The servers of AWS: all services in this process and on the clock of the run, with instances that become nodes. */
import { type AwsServer, controllerPolicy, startAwsServer } from '@chandler/cloudsim/aws';
import { addRole, startMachines } from '@chandler/cloudsim/aws/testing';
import { clearCredentialCache } from '@smithy/signature-v4';
import { PriceList } from '../../../packages/chandler/src/cloud/aws/index.ts';
import { standinNodeHost } from '../../../packages/chandler/src/playground/index.ts';
import type { Environment } from '../../../packages/chandler/src/settings/index.ts';
import type { Servers } from '../servers.ts';
import type { CloudStart, SimulatedCloud } from '../simulated-cloud.ts';
import { AccountFaults } from './account-faults.ts';
import type { AwsBody } from './aws-call.ts';
import { AwsState } from './aws-state.ts';
import { CLUSTER_NAME, NODE_ROLE } from './aws-story.ts';
import { RESERVATION, THROTTLED, ZONAL_SHIFT } from './aws-swarm.ts';
import { IDENTITY_PROVIDER, ROLE_NAME, serviceAccountToken, TOKEN_FILE, trustPolicy } from './identity.ts';

export interface SimulatedAws extends SimulatedCloud {
  readonly server: AwsServer;
  /** Credentials that processes have are refused from now on. */
  revokeSessions(): void;
}

/** Of a run on AWS. */
export function awsOf({ cloud }: Pick<Servers, 'cloud'>): AwsServer {
  return (cloud as SimulatedAws).server;
}

export async function startAwsCloud(parts: CloudStart): Promise<SimulatedAws> {
  const { world, playground, transport, times, features } = parts;
  // The SDK keeps signing keys for the whole thread; the first request with a new one takes more turns than later ones.
  clearCredentialCache();
  const server = await startAwsServer({
    world,
    listen: false,
    clusterName: CLUSTER_NAME,
    nodeRoleName: NODE_ROLE,
    kubernetesMinor: KUBERNETES_VERSION.replace(/\.\d+$/, ''),
    catalogue: { types: TYPES },
    latencies: {
      consistencyMs: times.listLagMs,
      pendingMs: times.createMs,
      shuttingDownMs: times.deleteMs,
      eventMs: 1_000,
    },
    throttle: features.includes(THROTTLED),
    identityProviders: [IDENTITY_PROVIDER],
    callLogLimit: 10,
  });
  const { settings, cluster, context } = server;
  const roleArn = addController(server);
  if (features.includes(RESERVATION)) addReservation(server);
  if (features.includes(ZONAL_SHIFT)) shiftZone(server, world.clock.now());
  Object.defineProperty(cluster, 'certificateAuthority', {
    get: () => Buffer.from(parts.ca()).toString('base64'),
  });
  const machines = startMachines({
    server,
    nodeHost: standinNodeHost(playground.standins!),
    transport,
    kubernetesVersion: KUBERNETES_VERSION,
    get caPem() {
      return parts.ca();
    },
    bootTimeMs: times.bootMs,
  });
  const token = serviceAccountToken(world.clock.now());
  const sessions = new Sessions(server);
  const faults = new AccountFaults(server);
  return {
    server,
    fetch: server.fetch,
    get secrets() {
      return { 'the service account token': token.split('.')[2]!, ...sessions.secrets };
    },
    environment: () => environmentOf(server, roleArn),
    readFile(path) {
      if (path !== TOKEN_FILE) throw Object.assign(new Error(`no file ${path}`), { code: 'ENOENT' });
      return token;
    },
    observe: (kube) => new AwsState(server, kube),
    revokeSessions: () => sessions.revoke(),
    beginFault: (fault) => faults.begin(fault),
    endFaults: () => faults.end(),
    faults: () => faults.list(),
    takesCapacity: (fault) => UNAVAILABLE.test(fault),
    // A check of a node class needs a launch template, and one that somebody else has deleted may be deleted once more.
    isUpkeep: (path, body) =>
      path === 'ec2:CreateLaunchTemplate' ||
      (path === 'ec2:DeleteLaunchTemplate' &&
        server.account.templateNamed(String((body as AwsBody)['LaunchTemplateName'])) === undefined),
    async deleteInstance({ id }) {
      server.instances.terminate(id);
    },
    publishImage() {
      server.releaseImages();
      return new Date(world.clock.now()).toISOString();
    },
    prices: pricesOf(server),
    types: context.catalogue.all().map(({ name, vCpus: cores }) => ({ name, cores })),
    coresOf: (type) => context.catalogue.find(type)?.vCpus ?? 0,
    async stop() {
      machines.stop();
      await server.close();
    },
  };

  function environmentOf({ url, queue }: AwsServer, role: string): Environment {
    return {
      CLUSTER_NAME,
      AWS_REGION: settings.region,
      AWS_ENDPOINT_URL: url,
      INTERRUPTION_QUEUE: queue.settings.name,
      AWS_ROLE_ARN: role,
      AWS_WEB_IDENTITY_TOKEN_FILE: TOKEN_FILE,
      AWS_EC2_METADATA_DISABLED: 'true',
      ...(features.includes(ZONAL_SHIFT) ? { ENABLE_ZONAL_SHIFT: 'true' } : {}),
    };
  }
}

// ---------------------------------------------------------------------------------------------------

const KUBERNETES_VERSION = '1.36.3';
/** Few and small, so that listing them is fast; a price list without bare metal is not complete. */
const TYPES = [
  ...['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.4xlarge', 'm5.metal'],
  ...['c5.large', 'c5.xlarge', 'c5.2xlarge', 'c5.4xlarge'],
  ...['m6i.large', 'm6i.xlarge', 'm6a.large', 'm6a.xlarge', 'r5.large', 'r5.xlarge'],
];
/** Faults after which a type counts as unavailable. */
const UNAVAILABLE = /^(?:capacity|launch-error|quota|spot-quota|subnet-full|spot-interrupt|rebalance)/;

/** Of a zone that has instances by then. The controller has had time to learn of it before EC2 loses sight of them. */
const SHIFT = { fromMs: 60_000, impairedFromMs: 130_000, impairedUntilMs: 290_000, untilMs: 300_000 };

function shiftZone({ account, cluster, settings }: AwsServer, nowMs: number): void {
  const { name, id } = settings.zones[0]!;
  cluster.shiftedZones.set(id, { startMs: nowMs + SHIFT.fromMs, endMs: nowMs + SHIFT.untilMs });
  account.impairedZones.set(name, {
    fromMs: nowMs + SHIFT.impairedFromMs,
    untilMs: nowMs + SHIFT.impairedUntilMs,
  });
}

/** It may do what the documented policy allows, and nothing else. */
function addController({ context, settings, queue }: AwsServer): string {
  const { partition, accountId, region, clusterName, nodeRoleName } = settings;
  const role = addRole(context, ROLE_NAME, trustPolicy(partition, accountId));
  const policy = controllerPolicy({
    partition,
    accountId,
    region,
    clusterName,
    nodeRoleArn: `arn:${partition}:iam::${accountId}:role/${nodeRoleName}`,
    queueArn: queue.settings.arn,
  });
  context.access.attach(role.arn, { policies: [policy] });
  return role.arn;
}

/** Room for two instances. */
function addReservation(server: AwsServer): void {
  server.addCapacityReservation({
    CapacityReservationId: 'cr-0fa01750000000001',
    InstanceType: 'm5.xlarge',
    InstancePlatform: 'Linux/UNIX',
    AvailabilityZone: server.settings.zones[0]!.name,
    AvailabilityZoneId: server.settings.zones[0]!.id,
    OwnerId: server.settings.accountId,
    Tenancy: 'default',
    TotalInstanceCount: 2,
    AvailableInstanceCount: 2,
    InstanceMatchCriteria: 'targeted',
    EndDateType: 'unlimited',
    State: 'active',
    Tags: [{ Key: 'karpenter.sh/discovery', Value: CLUSTER_NAME }],
  });
}

/** Credentials that STS has issued. */
class Sessions {
  /** By number. */
  readonly secrets: Record<string, string> = {};
  readonly #authentication: AwsServer['context']['authentication'];
  #keys: string[] = [];

  constructor({ context: { authentication } }: AwsServer) {
    this.#authentication = authentication;
    const issue = authentication.issue.bind(authentication);
    authentication.issue = (...args) => {
      const key = issue(...args);
      this.secrets[`of session ${Object.keys(this.secrets).length + 1}`] = key.secretAccessKey;
      this.#keys.push(key.accessKeyId);
      return key;
    };
  }

  revoke(): void {
    for (const key of this.#keys) this.#authentication.revoke(key);
    this.#keys = [];
  }
}

function pricesOf({ context: { catalogue }, settings }: AwsServer): SimulatedCloud['prices'] {
  const builtIn = new PriceList(settings.region);
  let changes = 0;
  return {
    get changes() {
      return changes;
    },
    of(name, capacity) {
      const type = catalogue.find(name);
      if (type === undefined) return [];
      // It is paid for in any case.
      if (capacity === 'reserved') return [0];
      const known = builtIn.onDemand(name);
      const own =
        capacity === 'on-demand'
          ? [type.usdPerHour]
          : settings.zones.map((zone) => catalogue.spotPrice(type, zone.name));
      return known === undefined ? own : [...own, known];
    },
    /** On demand; prices of spot instances follow. */
    set(name, price) {
      const type = catalogue.find(name);
      if (type !== undefined) Object.assign(type, { usdPerHour: price });
      changes += 1;
    },
  };
}
