/**
 * The AWS of the playground: one account in one region with a cluster of EKS that has no nodes, served over HTTP on loopback
 * and as a `fetch` in this process. It wires the parts; each service is in its own file.
 */
import { createHash } from 'node:crypto';
import type { Fetch, World } from '@chandler/kube';
import { Schedule } from '../schedule.ts';
import { Catalogue, type CatalogueOptions } from './catalogue/catalogue.ts';
import { publishImages } from './catalogue/images.ts';
import type { AwsContext, AwsSettings, Zone } from './context.ts';
import { networkOperations } from './ec2/describe-network.ts';
import { typeOperations } from './ec2/describe-types.ts';
import { encryptionOperation } from './ec2/encryption.ts';
import { EVENT_RULES, Events } from './ec2/events.ts';
import { createFleetOperation } from './ec2/fleet.ts';
import { Idempotency } from './ec2/idempotency.ts';
import { type InstanceControl, type InstanceHooks, InstanceStates } from './ec2/instance-states.ts';
import { instanceOperations } from './ec2/instances.ts';
import { templateOperations } from './ec2/launch-templates.ts';
import { Launching } from './ec2/launching.ts';
import { type QuotaLimits, Quotas } from './ec2/quotas.ts';
import { addReservation } from './ec2/reservation-ends.ts';
import { runInstancesOperation } from './ec2/run-instances.ts';
import { tagOperations } from './ec2/tags.ts';
import type { FaultRegister, FaultSpec } from './faults/fault.ts';
import { faultPath } from './faults/fault-routes.ts';
import { Faults } from './faults/faults.ts';
import { Access } from './iam/access.ts';
import type { PolicyDocument } from './iam/policy.ts';
import { clusterOperations } from './services/eks.ts';
import { eventBridgeOperations } from './services/event-bridge.ts';
import { iamOperations } from './services/iam.ts';
import { iamPolicyOperations } from './services/iam-policies.ts';
import { roleOperations } from './services/iam-roles.ts';
import { MetadataService, NoAnswer } from './services/imds.ts';
import { keyOperations } from './services/kms.ts';
import { oidcProviderOperations } from './services/oidc-providers.ts';
import { parameterOperations } from './services/parameter-store.ts';
import { podIdentityPath } from './services/pod-identity.ts';
import { pricingOperations } from './services/pricing.ts';
import { quotaOperations } from './services/service-quotas.ts';
import { queueOperations } from './services/sqs.ts';
import { queueChanges } from './services/sqs-queues.ts';
import { sessionOf, stsOperations } from './services/sts.ts';
import { Account } from './store/account.ts';
import type { ClusterRecord } from './store/cluster-record.ts';
import { addRole, type FurnishOptions, furnish, trustOf } from './store/furnish.ts';
import type { Queue } from './store/queue.ts';
import type { CapacityReservation } from './store/records.ts';
import { type AccessKey, Authentication } from './wire/authentication.ts';
import type { Operation } from './wire/aws-request.ts';
import { type Call, CallLog } from './wire/call-log.ts';
import { CUT, Gateway } from './wire/gateway.ts';
import { type HttpServer, startHttpServer } from './wire/http-server.ts';
import { inProcessFetch } from './wire/in-process.ts';
import { type Latencies, QUICK_LATENCIES, REALISTIC_LATENCIES } from './wire/latencies.ts';
import { type ThrottleLimits, Throttles } from './wire/throttle.ts';

export interface AwsServerOptions extends Partial<Omit<AwsSettings, 'zones'>>, FurnishOptions {
  readonly world: World;
  /** Default three zones of the region. */
  readonly zones?: readonly Zone[];
  /** False: only `fetch` in this process. A number is the port. Default true: any free port. */
  readonly listen?: boolean | number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Realistic latencies and throttling. Default false. */
  readonly realistic?: boolean;
  /** Individual latencies; they override those selected by `realistic`. */
  readonly latencies?: Partial<Latencies>;
  /** Written as `capacity@zone=us-west-2a,rate=0.1`, or as an object. */
  readonly faults?: readonly (FaultSpec | string)[];
  /** EC2's limits (true), none (false), or some of them changed. Default: only when realistic. */
  readonly throttle?: boolean | Partial<ThrottleLimits>;
  readonly catalogue?: CatalogueOptions;
  /** Quotas of vCPUs. Default: no limits. */
  readonly quotas?: QuotaLimits;
  /** Policies of the controller's role, or of the operator when nothing is configured. Default: everything is allowed. */
  readonly policies?: readonly PolicyDocument[];
  /** How many calls are retained for `calls()`. Default 20,000. */
  readonly callLogLimit?: number;
}

export interface AwsServer {
  /** The endpoint of all services, without a trailing slash. A placeholder name when the server does not listen. */
  readonly url: string;
  readonly port: number | undefined;
  /** In process, with the same answers as over HTTP. The host of the URL only counts for signatures. */
  readonly fetch: Fetch;
  /** Of the controller's role, or of the operator when nothing is configured: long-lived, for static configuration. */
  readonly credentials: AccessKey;
  /** What calls to `/playground/faults` must send as a bearer token. */
  readonly faultSecret: string;
  readonly settings: AwsSettings;
  readonly context: AwsContext;
  readonly account: Account;
  readonly cluster: ClusterRecord;
  readonly faults: FaultRegister;
  readonly instances: InstanceControl;
  readonly events: Events;
  readonly quotas: Quotas;
  readonly metadata: MetadataService;
  /** The queue that receives the events. It throws while there is none. */
  readonly queue: Queue;
  /** The last calls, oldest first. */
  calls(): readonly Call[];
  readonly totalCalls: number;
  /**
   * From now on no policy of a user or role (ARN; default: whose credentials the server has) allows this action; the returned
   * function ends that.
   */
  withhold(action: string, identityArn?: string): () => void;
  /** Temporary credentials of a role. */
  assume(roleName: string, lifetimeMs?: number): AccessKey;
  /**
   * Serves the metadata of this instance under `/latest/`, for a process that stands for something on it: 1 hop away on the
   * instance itself, 2 in a pod.
   */
  serveMetadata(instanceId: string, hops?: number): void;
  /** Adds a capacity reservation or block; one with an end takes its instances with it. */
  addCapacityReservation(reservation: CapacityReservation & { readonly CapacityReservationId: string }): void;
  /** AWS publishes new images, and the parameters of the latest name them. */
  releaseImages(): void;
  /** Calls the hooks for everything that happens to instances; the returned function removes them. */
  addHooks(hooks: InstanceHooks): () => void;
  close(): Promise<void>;
}

export async function startAwsServer(options: AwsServerOptions): Promise<AwsServer> {
  const server = new Server(options);
  await server.listen();
  return server;
}

export const CONTROLLER_ROLE = 'KarpenterControllerRole';

// ---------------------------------------------------------------------------------------------------

const OFFLINE_URL = 'http://aws.playground.internal';
const ALLOW_ALL: PolicyDocument = { Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };

class Server implements AwsServer {
  readonly settings: AwsSettings;
  readonly context: AwsContext;
  readonly cluster: ClusterRecord;
  readonly credentials: AccessKey;
  readonly faultSecret: string;
  readonly events: Events;
  readonly quotas: Quotas;
  readonly metadata: MetadataService;
  readonly fetch: Fetch;
  readonly #options: AwsServerOptions;
  readonly #states: InstanceStates;
  readonly #gateway: Gateway;
  readonly #queueName: string;
  #http: HttpServer | undefined;

  constructor(options: AwsServerOptions) {
    this.#options = options;
    this.settings = settingsOf(options);
    this.context = this.#assemble();
    const { world } = options;
    this.cluster = furnish(this.context, options);
    this.#queueName = options.queueName ?? this.settings.clusterName;
    this.events = new Events(this.context, this.#queueName);
    if (options.configured !== false) this.events.rules = new Set(EVENT_RULES);
    this.#states = new InstanceStates(this.context, this.events);
    this.quotas = new Quotas(this.context, options.quotas);
    this.metadata = new MetadataService(this.context);
    this.credentials = options.configured === false ? this.#operatorKey() : this.#controllerKey();
    // Derived, so that the random sequence of a seed stays the same.
    this.faultSecret = createHash('sha256')
      .update(`faults ${this.credentials.secretAccessKey}`)
      .digest('hex');
    const throttle = options.throttle ?? options.realistic ?? false;
    const throttles =
      throttle === false ? undefined : new Throttles(world.clock, throttle === true ? {} : throttle);
    this.#gateway = new Gateway(this.context, this.#operations(), throttles);
    this.#gateway.serve(faultPath(this.context.faults, this.faultSecret));
    this.#gateway.serve(podIdentityPath(this.context, this.cluster, options.identityProviders ?? []));
    this.fetch = inProcessFetch(this.#gateway);
  }

  get url(): string {
    return this.#http?.url ?? OFFLINE_URL;
  }

  get port(): number | undefined {
    return this.#http?.port;
  }

  get account(): Account {
    return this.context.account;
  }

  get faults(): FaultRegister {
    return this.context.faults;
  }

  get instances(): InstanceControl {
    return this.#states;
  }

  get queue(): Queue {
    const queue = this.account.queues.get(this.#queueName);
    if (queue === undefined) throw new Error(`the account has no queue ${this.#queueName}`);
    return queue;
  }

  get totalCalls(): number {
    return this.context.calls.total;
  }

  calls(): readonly Call[] {
    return this.context.calls.list();
  }

  withhold(action: string, identityArn = this.credentials.principal.identityArn): () => void {
    return this.context.access.withhold(identityArn, action);
  }

  assume(roleName: string, lifetimeMs = 3_600_000): AccessKey {
    const role = this.account.roles.get(roleName);
    if (role === undefined) throw new Error(`no role is named ${roleName}`);
    return this.context.authentication.issue(sessionOf(this.context, role, 'session'), lifetimeMs);
  }

  serveMetadata(instanceId: string, hops = 1): void {
    const { instances, metadata } = this;
    this.#gateway.serve({
      prefix: '/latest/',
      handle(request) {
        const instance = instances.get(instanceId);
        if (instance === undefined) return CUT;
        try {
          return metadata.handle(instance, request, hops);
        } catch (error) {
          if (error instanceof NoAnswer) return CUT;
          throw error;
        }
      },
    });
  }

  addCapacityReservation(
    reservation: CapacityReservation & { readonly CapacityReservationId: string },
  ): void {
    addReservation(this.context, this.#states, reservation);
  }

  releaseImages(): void {
    publishImages(this.context, this.context.world.clock.now());
  }

  addHooks(hooks: InstanceHooks): () => void {
    return this.#states.addHooks(hooks);
  }

  async listen(): Promise<void> {
    const { listen = true, host = '127.0.0.1' } = this.#options;
    if (listen === false) return;
    this.#http = await startHttpServer(this.#gateway, { host, port: listen === true ? 0 : listen });
  }

  async close(): Promise<void> {
    this.context.schedule.close();
    await this.#http?.close();
    this.#http = undefined;
  }

  #assemble(): AwsContext {
    const { world, realistic = false, latencies, callLogLimit, catalogue } = this.#options;
    const faults = new Faults(world.random);
    for (const fault of this.#options.faults ?? []) faults.add(fault);
    return {
      world,
      settings: this.settings,
      latencies: { ...(realistic ? REALISTIC_LATENCIES : QUICK_LATENCIES), ...latencies },
      schedule: new Schedule(world.clock, (error) =>
        world.log.error('a task of the AWS server failed', { error: String(error) }),
      ),
      faults,
      calls: new CallLog(callLogLimit),
      access: new Access(this.settings.region),
      authentication: new Authentication(world),
      account: new Account(world.random),
      catalogue: new Catalogue(this.settings, catalogue),
      baseUrl: () => this.url,
    };
  }

  /** A user of the account, who sets up what a controller needs. */
  #operatorKey(): AccessKey {
    const { access, authentication, account, settings } = this.context;
    const arn = `arn:${settings.partition}:iam::${settings.accountId}:user/operator`;
    access.attach(arn, { policies: this.#options.policies ?? [ALLOW_ALL] });
    const { accountId } = settings;
    return authentication.issue({ identityArn: arn, arn, accountId, userId: account.newUniqueId('AIDA') });
  }

  #controllerKey(): AccessKey {
    const { access, authentication } = this.context;
    const role = addRole(
      this.context,
      CONTROLLER_ROLE,
      trustOf('pods.eks.amazonaws.com', ['sts:AssumeRole', 'sts:TagSession']),
    );
    this.cluster.podIdentityAssociations = [
      {
        id: 'a-0123456789abcdef0',
        namespace: 'kube-system',
        serviceAccount: 'karpenter',
        roleArn: role.arn,
      },
    ];
    access.attach(role.arn, { policies: this.#options.policies ?? [ALLOW_ALL] });
    return authentication.issue(sessionOf(this.context, role, 'controller'));
  }

  #operations(): readonly Operation[] {
    const { context } = this;
    const states = this.#states;
    const tokens = new Idempotency(context.world.clock);
    const launching = new Launching(context, this.quotas, states);
    const parts = { context, tokens, launching, states };
    return [
      ...networkOperations(context),
      ...typeOperations(context),
      ...templateOperations(context, tokens),
      ...instanceOperations(context, states),
      ...tagOperations(context),
      encryptionOperation(context),
      runInstancesOperation(parts),
      createFleetOperation(parts),
      ...parameterOperations(context),
      ...iamOperations(context),
      ...roleOperations(context),
      ...iamPolicyOperations(context),
      ...oidcProviderOperations(context),
      ...keyOperations(context),
      ...quotaOperations(this.quotas),
      ...eventBridgeOperations(context),
      ...stsOperations(context, this.#options.identityProviders ?? []),
      ...queueOperations(context),
      ...queueChanges(context),
      ...clusterOperations(context, this.cluster),
      ...pricingOperations(context),
    ];
  }
}

function settingsOf(options: AwsServerOptions): AwsSettings {
  const region = options.region ?? 'us-west-2';
  const clusterName = options.clusterName ?? 'playground';
  return {
    region,
    clusterName,
    partition: options.partition ?? 'aws',
    accountId: options.accountId ?? '111122223333',
    zones: options.zones ?? zonesOf(region),
    kubernetesMinor: options.kubernetesMinor ?? '1.36',
    nodeRoleName: options.nodeRoleName ?? `KarpenterNodeRole-${clusterName}`,
  };
}

/** The ids of a region's zones are in another order in every account. */
function zonesOf(region: string): readonly Zone[] {
  const short = region.replace(/^([a-z]+)-([a-z])[a-z]*-(\d)$/, '$1$2$3');
  return [
    { name: `${region}a`, id: `${short}-az2` },
    { name: `${region}b`, id: `${short}-az1` },
    { name: `${region}c`, id: `${short}-az3` },
  ];
}
