/**
 * EC2NodeClasses and their controllers: an API server and AWS in this process, in virtual time, the official SDK in between.
 * `start` again is a restart of the controller: its memory is gone.
 */
import { ADMIN, type ApiServer, startApiServer } from '@chandler/apiserver';
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import {
  type Controller,
  EVENTS,
  EventRecorder,
  fetchTransport,
  KubeClient,
  type KubeObject,
  type Stored,
  type Transport,
} from '@chandler/kube';
import { neverAborted, type VirtualWorld } from '@chandler/kube/testing';
import {
  builtinCrds,
  EC2_NODE_CLASSES,
  type EC2NodeClass,
  type EC2NodeClassSpec,
  NODE_CLAIMS,
  type NodeClaim,
} from '../../packages/chandler/src/api/index.ts';
import { AwsNodeClassStatus, nodeClassControllers } from '../../packages/chandler/src/cloud/aws/index.ts';
import { Scene } from '../../packages/chandler/src/cloud/aws/testing.ts';
import type { CloudControllerContext, NodeClassReference } from '../../packages/chandler/src/cloud/index.ts';
import { BY_CLASS, classKey, Stores } from '../../packages/chandler/src/state/index.ts';

export class NodeClassStage {
  readonly aws: TestAws;
  readonly world: VirtualWorld;
  readonly admin: KubeClient;
  /** Of the last start. */
  scene: Scene;
  /** What the controllers ask the API server fails while it returns an error. */
  refuse: (request: { readonly method: string; readonly path: string }) => Error | undefined = () =>
    undefined;
  /** Classes whose launch templates were removed. */
  readonly removedTemplates: string[] = [];
  /** What somebody else does while launch templates are removed. */
  whileRemoving: () => Promise<unknown> = async () => undefined;
  /** Profiles that launch templates name. */
  templateProfiles: ReadonlySet<string> = new Set();
  readonly #server: ApiServer;
  #stores: Stores | undefined;
  #running: readonly Controller[] = [];

  constructor(aws: TestAws, server: ApiServer) {
    this.aws = aws;
    this.world = aws.world;
    this.scene = new Scene(aws, {});
    this.#server = server;
    this.admin = new KubeClient({ transport: fetchTransport(server.fetchAs(ADMIN)) });
  }

  /** @param turn what is different in the new process. */
  async start(turn: (scene: Scene) => void = () => undefined): Promise<void> {
    await this.stop();
    const { world } = this;
    const direct = fetchTransport(this.#server.fetchAs(ADMIN));
    const transport: Transport = async (request) => {
      const error = this.refuse(request);
      if (error !== undefined) throw error;
      return direct(request);
    };
    const stores = new Stores({ world, transport, nodeClasses: [EC2_NODE_CLASSES] });
    this.#stores = stores;
    await inTime(world, stores.start());
    this.scene = new Scene(this.aws, {});
    turn(this.scene);
    const { scene } = this;
    const context = {
      world,
      client: stores.client({ leader: true }),
      events: new EventRecorder({ component: 'karpenter', client: new KubeClient({ transport }), world }),
      stores: {
        claims: stores.claims,
        pools: stores.pools,
        nodeClasses: stores.nodeClasses,
        nodeClass: (reference: NodeClassReference) => stores.nodeClass(reference),
        claimsOfClass: (reference: NodeClassReference) =>
          stores.claims.store.by(BY_CLASS, classKey(reference)),
        nodeOf: () => undefined,
      },
      disrupted: () => undefined,
      onOptionsChange: () => () => undefined,
    } satisfies CloudControllerContext;
    this.#running = nodeClassControllers(context, {
      status: new AwsNodeClassStatus(scene.deps),
      cluster: scene.deps.cluster,
      profiles: scene.profiles,
      images: scene.images,
      ec2: scene.calls.ec2,
      dryRuns: scene.dryRuns,
      isolatedVpc: () => scene.isolatedVpc,
      templateProfiles: () => this.templateProfiles,
      removeLaunchTemplates: async (name) => {
        await this.whileRemoving();
        this.removedTemplates.push(name);
      },
    });
    await inTime(world, Promise.all(this.#running.map((controller) => controller.start())));
  }

  /** As a kill does: nothing is finished. */
  async stop(): Promise<void> {
    await inTime(this.world, Promise.all(this.#running.map((controller) => controller.stop())));
    this.#running = [];
    if (this.#stores !== undefined) await inTime(this.world, this.#stores.stop());
    this.#stores = undefined;
  }

  create(spec: Partial<EC2NodeClassSpec> = {}, name = 'default'): Promise<Stored<EC2NodeClass>> {
    const { apiVersion, kind, spec: whole } = this.scene.nodeClass(spec);
    const object = { apiVersion, kind, metadata: { name }, spec: whole };
    return inTime(this.world, this.admin.create(EC2_NODE_CLASSES, object as EC2NodeClass));
  }

  edit(patch: object, name = 'default'): Promise<unknown> {
    return inTime(this.world, this.admin.patch(EC2_NODE_CLASSES, { name }, { type: 'merge', patch }));
  }

  delete(name = 'default'): Promise<unknown> {
    return inTime(this.world, this.admin.delete(EC2_NODE_CLASSES, { name }));
  }

  async get(name = 'default'): Promise<Stored<EC2NodeClass> | undefined> {
    const { items } = await inTime(this.world, this.admin.listAll(EC2_NODE_CLASSES));
    return items.find(({ metadata }) => metadata.name === name) as Stored<EC2NodeClass> | undefined;
  }

  async condition(type: string, name = 'default') {
    return (await this.get(name))?.status?.conditions?.find((each) => each.type === type);
  }

  aClaim(name: string, annotations: Record<string, string> = {}, className = 'default'): NodeClaim {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: className };
    return {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, annotations },
      spec: { nodeClassRef, requirements: [] },
    } as unknown as NodeClaim;
  }

  createClaim(name: string, annotations: Record<string, string> = {}, className = 'default') {
    return inTime(this.world, this.admin.create(NODE_CLAIMS, this.aClaim(name, annotations, className)));
  }

  claim(name: string): Promise<Stored<NodeClaim>> {
    return inTime(this.world, this.admin.get(NODE_CLAIMS, { name }));
  }

  deleteClaim(name: string): Promise<unknown> {
    return inTime(this.world, this.admin.delete(NODE_CLAIMS, { name }));
  }

  async events(reason: string): Promise<readonly string[]> {
    const { items } = await inTime(this.world, this.admin.listAll(EVENTS));
    return items.filter((event) => event['reason'] === reason).map((event) => String(event['message']));
  }

  profiles(): readonly string[] {
    return [...this.aws.server.account.instanceProfiles.keys()].sort();
  }

  advance(ms: number): Promise<void> {
    return this.world.clock.advance(ms);
  }

  async end(): Promise<void> {
    await this.stop();
    await inTime(this.world, this.#server.close());
    await this.aws.close();
  }
}

export async function nodeClassStage(): Promise<NodeClassStage> {
  await clientsLoaded();
  const aws = await testAws();
  const initialObjects = builtinCrds() as unknown as readonly KubeObject[];
  const server = await startApiServer({ world: aws.world, initialObjects, collector: false });
  return new NodeClassStage(aws, server);
}

// ---------------------------------------------------------------------------------------------------------------

let loaded: Promise<void> | undefined;

/** Loading the clients takes time that is not virtual, once. */
function clientsLoaded(): Promise<void> {
  loaded ??= (async () => {
    const aws = await testAws();
    const { ec2, iam, ssm } = new Scene(aws, {}).calls;
    const options = { signal: neverAborted() };
    await ec2.describeSubnets({}, options);
    await iam.listInstanceProfiles({}, options);
    await ssm.getParameter({ Name: 'none' }, options).catch(() => undefined);
    await aws.close();
  })();
  return loaded;
}

/** Advances time until the promise is settled. */
async function inTime<T>(world: VirtualWorld, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => undefined);
  for (let round = 0; !settled && round < 2_000; round++) await world.clock.advance(round < 20 ? 0 : 50);
  if (!settled) throw new Error('nothing happened for a long virtual time');
  return done;
}
