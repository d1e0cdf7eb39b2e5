/**
 * Claims whose instances run in a simulated AWS, and controllers of AWS over them: an API server and AWS in this process, in
 * virtual time, the official SDK in between. `start` again is a restart of the controller.
 */
import { ADMIN, type ApiServer, startApiServer } from '@chandler/apiserver';
import type { AwsServerOptions } from '@chandler/cloudsim/aws';
import { fleetParams, type TestAws, templateParams, testAws } from '@chandler/cloudsim/aws/testing';
import {
  type Controller,
  EVENTS,
  EventRecorder,
  fetchTransport,
  KubeClient,
  type KubeObject,
  NODES,
  type Stored,
  type Transport,
} from '@chandler/kube';
import { neverAborted, type VirtualWorld } from '@chandler/kube/testing';
import {
  builtinCrds,
  EC2_NODE_CLASSES,
  NODE_CLAIMS,
  type NodeClaim,
} from '../../packages/chandler/src/api/index.ts';
import {
  type AwsCalls,
  AwsMarket,
  type GarbageFunctions,
  type MarketParts,
  marketControllers,
  ObservedMemory,
  PriceList,
  PriceRefresh,
} from '../../packages/chandler/src/cloud/aws/index.ts';
import { awsCallsOf } from '../../packages/chandler/src/cloud/aws/testing.ts';
import {
  type CloudControllerContext,
  UnavailableOfferings,
} from '../../packages/chandler/src/cloud/index.ts';
import { hardcoded } from '../../packages/chandler/src/settings/index.ts';
import { BY_CLASS, BY_PROVIDER_ID, classKey, Stores } from '../../packages/chandler/src/state/index.ts';

export interface ClaimsOptions {
  readonly aws?: Partial<AwsServerOptions>;
  readonly nodeClassStatus?: Record<string, unknown>;
}

export interface LaunchOptions {
  readonly capacity?: 'spot' | 'on-demand';
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether the claim knows its instance yet. Default true. */
  readonly known?: boolean;
}

export interface StageSettings {
  readonly replaceOnRebalance?: boolean;
  readonly queueName?: string;
  readonly garbage?: GarbageFunctions;
  /** The controllers that run, by the beginning of their names: each test has those it needs. */
  readonly only: readonly string[];
}

export interface ClaimsStage {
  /** IDs of zones that the cluster is shifted away from. */
  readonly shifted: Set<string>;
  readonly unavailable: UnavailableOfferings;
  /** Reservations that were found full. */
  readonly full: readonly string[];
  /** Of the last start. */
  readonly market: AwsMarket;
  readonly observedMemory: ObservedMemory;
  readonly priceList: PriceList;
  readonly aws: TestAws;
  readonly world: VirtualWorld;
  readonly calls: AwsCalls;
  readonly admin: KubeClient;
  readonly context: CloudControllerContext;
  /** Claims that were counted as disrupted: `name reason`. */
  readonly disrupted: readonly string[];
  /** What the controllers ask the API server fails while it returns an error. */
  refuse: (request: { readonly method: string; readonly path: string }) => Error | undefined;
  /** An instance, its claim and its node, all of this name. @returns the id of the instance. */
  launch(name: string, options?: LaunchOptions): Promise<string>;
  /** Writes the provider id, as a launch does in the end. */
  know(name: string, instanceId: string): Promise<void>;
  /** Starts controllers of the market, after those before were stopped. */
  start(settings: StageSettings): Promise<void>;
  /** As a kill does: nothing is finished. */
  stop(): Promise<void>;
  claim(name: string): Promise<Stored<NodeClaim> | undefined>;
  node(name: string): Promise<Stored | undefined>;
  /** Reasons of the events about a claim, each once, sorted. */
  eventsOf(name: string): Promise<readonly string[]>;
  advance(ms: number): Promise<void>;
  end(): Promise<void>;
}

export async function claimsStage(options: ClaimsOptions = {}): Promise<ClaimsStage> {
  await clientsLoaded();
  const aws = await testAws({ latencies: { consistencyMs: 0 }, ...options.aws });
  const { world } = aws;
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
  const initialObjects = builtinCrds() as unknown as readonly KubeObject[];
  const server = await startApiServer({ world, initialObjects, collector: false });
  const stage = new Stage(aws, server);
  await inTime(world, stage.furnish(options.nodeClassStatus ?? {}));
  return stage;
}

/** Advances time until the promise is settled. */
export async function inTime<T>(world: VirtualWorld, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => undefined);
  for (let round = 0; !settled && round < 2_000; round++) await world.clock.advance(round < 20 ? 0 : 50);
  if (!settled) throw new Error('nothing happened for a long virtual time');
  return done;
}

// ---------------------------------------------------------------------------------------------------------------

let loaded: Promise<void> | undefined;

/** Loading the clients takes time that is not virtual, once. */
function clientsLoaded(): Promise<void> {
  loaded ??= (async () => {
    const aws = await testAws();
    const { ec2, sqs, pricing } = awsCallsOf(aws);
    const options = { signal: neverAborted() };
    await ec2.describeSubnets({}, options);
    await pricing.getProducts({ ServiceCode: 'AmazonEC2', MaxResults: 1 }, options);
    await sqs.getQueueUrl({ QueueName: aws.server.settings.clusterName }, options);
    await aws.close();
  })();
  return loaded;
}

const CLASS_REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

class Stage implements ClaimsStage {
  readonly aws: TestAws;
  readonly world: VirtualWorld;
  readonly calls: AwsCalls;
  readonly admin: KubeClient;
  readonly disrupted: string[] = [];
  readonly full: string[] = [];
  readonly shifted = new Set<string>();
  readonly zonalShift = {
    sequence: 0,
    isShifted: (zoneId: string) => this.shifted.has(zoneId),
    zones: () => [...this.shifted],
  };
  unavailable!: UnavailableOfferings;
  market!: AwsMarket;
  observedMemory!: ObservedMemory;
  priceList!: PriceList;
  refuse: ClaimsStage['refuse'] = () => undefined;
  readonly #server: ApiServer;
  #context: CloudControllerContext | undefined;
  #stores: Stores | undefined;
  #running: readonly Controller[] = [];

  constructor(aws: TestAws, server: ApiServer) {
    this.aws = aws;
    this.world = aws.world;
    this.calls = awsCallsOf(aws);
    this.#server = server;
    this.admin = new KubeClient({ transport: fetchTransport(server.fetchAs(ADMIN)) });
  }

  get context(): CloudControllerContext {
    return this.#context!;
  }

  async furnish(status: Record<string, unknown>): Promise<void> {
    await this.admin.create(EC2_NODE_CLASSES, {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: {
        role: 'node',
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        subnetSelectorTerms: [{ tags: { discovery: 'test' } }],
        securityGroupSelectorTerms: [{ tags: { discovery: 'test' } }],
      },
    } as never);
    await this.admin.patchStatus(
      EC2_NODE_CLASSES,
      { name: 'default' },
      { type: 'merge', patch: { status: { amis: [{ id: 'ami-1', requirements: [] }], ...status } } },
    );
  }

  async launch(name: string, options: LaunchOptions = {}): Promise<string> {
    const { capacity = 'spot', known = true } = options;
    const { text } = await this.aws.ec2('CreateFleet', fleetParams(this.aws.server, { capacity }));
    const id = /<item>(i-[0-9a-f]+)<\/item>/.exec(text)![1]!;
    const labels = {
      'karpenter.sh/nodepool': 'general',
      'karpenter.sh/capacity-type': capacity,
      'node.kubernetes.io/instance-type': 'm5.large',
      'topology.kubernetes.io/zone': 'us-west-2a',
      ...options.labels,
    };
    const meta = { name, labels, finalizers: ['karpenter.sh/termination'] };
    await inTime(
      this.world,
      this.admin.create(NODE_CLAIMS, {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        metadata: meta,
        spec: { nodeClassRef: CLASS_REF, requirements: [] },
      } as never),
    );
    await inTime(
      this.world,
      this.admin.create(NODES, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { ...meta, labels: { ...labels, 'karpenter.sh/registered': 'true' } },
        spec: { providerID: providerID(id) },
      } as never),
    );
    if (known) await this.know(name, id);
    await this.world.clock.advance(2_000);
    this.aws.server.queue.purge();
    return id;
  }

  async know(name: string, id: string): Promise<void> {
    const lastTransitionTime = new Date(this.world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const conditions = [
      { type: 'Registered', status: 'True', reason: 'Registered', message: '', lastTransitionTime },
    ];
    const status = { providerID: providerID(id), nodeName: name, imageID: 'ami-1', conditions };
    await inTime(
      this.world,
      this.admin.patchStatus(NODE_CLAIMS, { name }, { type: 'merge', patch: { status } }),
    );
  }

  async start(settings: StageSettings): Promise<void> {
    await this.stop();
    const direct = fetchTransport(this.#server.fetchAs(ADMIN));
    const transport: Transport = async (request) => {
      const error = this.refuse(request);
      if (error !== undefined) throw error;
      return direct(request);
    };
    const { world } = this;
    const stores = new Stores({ world, transport, nodeClasses: [EC2_NODE_CLASSES] });
    this.#stores = stores;
    await inTime(world, stores.start());
    this.#context = {
      world,
      client: stores.client({ leader: true }),
      events: new EventRecorder({ component: 'karpenter', client: new KubeClient({ transport }), world }),
      stores: {
        claims: stores.claims,
        pools: stores.pools,
        nodeClasses: stores.nodeClasses,
        nodeClass: (reference) => stores.nodeClass(reference),
        claimsOfClass: (reference) => stores.claims.store.by(BY_CLASS, classKey(reference)),
        nodeOf: (id) => stores.nodes.store.by(BY_PROVIDER_ID, id)[0],
      },
      disrupted: ({ metadata }, reason) => void this.disrupted.push(`${metadata.name} ${reason}`),
      onOptionsChange: () => () => undefined,
    };
    this.#running = marketControllers(this.#context, this.#parts(settings)).filter(({ name }) =>
      settings.only.some((part) => name.startsWith(part)),
    );
    await inTime(world, Promise.all(this.#running.map((controller) => controller.start())));
  }

  /** A process of its own has clients and memory of its own. */
  #parts({ replaceOnRebalance = false, queueName, garbage = {} }: StageSettings): MarketParts {
    const { world } = this;
    const { region, clusterName, accountId } = this.aws.server.settings;
    const calls = awsCallsOf(this.aws);
    this.unavailable = new UnavailableOfferings({ clock: world.clock });
    this.observedMemory = new ObservedMemory();
    this.priceList = new PriceList(region);
    this.market = new AwsMarket({
      world,
      region,
      ec2: calls.ec2,
      options: {
        vmMemoryOverheadPercent: hardcoded(0.075),
        reservedEnis: hardcoded(0),
        prefixDelegation: hardcoded(false),
      },
      reservedCapacity: true,
      prices: this.priceList,
      unavailable: this.unavailable,
      observedMemory: this.observedMemory,
      reservations: { sequence: 0, freeInstances: () => 0 },
      zonalShift: this.zonalShift,
      placementGroups: { placementGroupOf: () => undefined },
    });
    return {
      calls,
      market: this.market,
      prices: new PriceRefresh({
        world,
        region,
        isolatedVpc: () => false,
        pricing: calls.pricing,
        ec2: calls.ec2,
        prices: this.priceList,
      }),
      observedMemory: this.observedMemory,
      marks: {
        offerings: this.unavailable,
        reservations: { markFull: (id) => void this.full.push(id) },
      },
      settings: {
        clusterName: () => clusterName,
        interruptionQueue: queueName ?? clusterName,
        replaceOnRebalance: () => replaceOnRebalance,
        place: () => `account ${accountId} in ${region}`,
        zonalShift: this.zonalShift,
      },
      garbage,
    };
  }

  async stop(): Promise<void> {
    await inTime(this.world, Promise.all(this.#running.map((controller) => controller.stop())));
    this.#running = [];
    if (this.#stores !== undefined) await inTime(this.world, this.#stores.stop());
    this.#stores = undefined;
  }

  claim(name: string): Promise<Stored<NodeClaim> | undefined> {
    return inTime(this.world, this.admin.find(NODE_CLAIMS, { name }));
  }

  node(name: string): Promise<Stored | undefined> {
    return inTime(this.world, this.admin.find(NODES, { name })) as Promise<Stored | undefined>;
  }

  async eventsOf(name: string): Promise<readonly string[]> {
    const { items } = await inTime(this.world, this.admin.list(EVENTS));
    const own = items.filter(
      ({ involvedObject: about }) => about?.name === name && about?.kind === 'NodeClaim',
    );
    return [...new Set(own.map((event) => String(event.reason)))].sort();
  }

  advance(ms: number): Promise<void> {
    return this.world.clock.advance(ms);
  }

  async end(): Promise<void> {
    await this.stop();
    await this.#server.close();
    await this.aws.close();
  }
}

function providerID(id: string): string {
  return `aws:///us-west-2a/${id}`;
}
