/**
 * An API server in this process with Karpenter's and Chandler's Deployment, in virtual time. Their pods take part in leader
 * election, and a sampler counts how many of them lead at the same time.
 */
import { ADMIN, type ApiServer, startApiServer } from '@chandler/apiserver';
import {
  DEPLOYMENTS,
  type Deployment,
  Fence,
  fetchTransport,
  KubeClient,
  LeaderElection,
  type Pod,
  SERVICE_ACCOUNTS,
  type Stored,
  type Transport,
} from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { builtinCrds } from '../../../packages/chandler/src/api/kinds/index.ts';
import {
  handBack,
  type SequenceOptions,
  type SequenceResult,
  takeOver,
} from '../../../packages/chandler/src/cli/testing.ts';
import { inTime } from '../../operator/operator-stage.ts';
import { DeploymentPlayer } from './deployment-player.ts';
import {
  CHANDLER,
  chandlerDeployment,
  type DeploymentGiven,
  KARPENTER,
  karpenterDeployment,
  LEASE,
  LeaseHistory,
  NAMESPACE,
} from './two-controllers.ts';

export interface StageOptions {
  readonly karpenter?: DeploymentGiven;
  readonly chandler?: DeploymentGiven;
  /** Pods of these Deployments never start a process. */
  readonly broken?: readonly string[];
}

export type Sequence = (options: SequenceOptions) => Promise<SequenceResult>;

export interface TwoControllers {
  readonly world: VirtualWorld;
  readonly server: ApiServer;
  readonly admin: KubeClient;
  readonly history: LeaseHistory;
  readonly lines: string[];
  /** The most that led at any look. */
  readonly mostLeaders: number;
  /** Names of Deployments whose pods start no process from now on. */
  readonly broken: Set<string>;
  deployment(key: { readonly namespace: string; readonly name: string }): Promise<Stored<Deployment>>;
  run(sequence: Sequence, given?: Partial<SequenceOptions>): Promise<SequenceResult>;
  takeOver(given?: Partial<SequenceOptions>): Promise<SequenceResult>;
  handBack(given?: Partial<SequenceOptions>): Promise<SequenceResult>;
  /** `karpenter`, `chandler` or `` by the identity in the lease. */
  leader(): Promise<string>;
  transport(): Transport;
  inTime<T>(promise: Promise<T>): Promise<T>;
  end(): Promise<void>;
}

const SAMPLE_MS = 100;

export async function twoControllers(options: StageOptions = {}): Promise<TwoControllers> {
  const world = virtualWorld();
  const server = await startApiServer({
    world,
    initialObjects: builtinCrds() as never,
    managedFields: false,
  });
  const transport = () => fetchTransport(server.fetchAs(ADMIN));
  const admin = new KubeClient({ transport: transport() });
  const elections = new Set<LeaderElection>();
  const broken = new Set(options.broken);
  const player = new DeploymentPlayer({
    client: admin,
    clock: world.clock,
    namespace: NAMESPACE,
    status: ({ metadata }) => (broken.has(metadata.name) ? CRASHING : undefined),
    start(deployment, podName) {
      const { name } = deployment.metadata;
      const observes = deployment.spec.template.spec.containers[0]!.args?.includes('--observe');
      if (broken.has(name) || observes) return undefined;
      const identity = `${name === CHANDLER.name ? 'chandler_' : ''}${podName}_${world.random.uuid()}`;
      const election = new LeaderElection({
        client: new KubeClient({ transport: transport() }),
        fence: new Fence(world.clock),
        world,
        ...LEASE,
        identity,
      });
      elections.add(election);
      void election.run();
      return { stop: () => election.stop() };
    },
  });
  const history = new LeaseHistory();
  await inTime(world, history.watch(admin));
  for (const metadata of [KARPENTER, CHANDLER])
    await inTime(
      world,
      admin.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }),
    );
  await inTime(world, admin.create(DEPLOYMENTS, karpenterDeployment(options.karpenter ?? { replicas: 2 })));
  player.run();
  // Karpenter leads before Chandler is installed.
  await world.clock.advance(5_000);
  await inTime(
    world,
    admin.create(
      DEPLOYMENTS,
      chandlerDeployment(options.chandler ?? { replicas: 1, args: ['controller', '--observe'] }),
    ),
  );
  let mostLeaders = 0;
  const sampler = new AbortController();
  void (async () => {
    while (!sampler.signal.aborted) {
      const leading = [...elections].filter(({ isLeading }) => isLeading).length;
      mostLeaders = Math.max(mostLeaders, leading);
      await world.clock.sleep(SAMPLE_MS, sampler.signal).catch(() => undefined);
    }
  })();
  const lines: string[] = [];
  const stage: TwoControllers = {
    world,
    server,
    admin,
    history,
    lines,
    broken,
    transport,
    get mostLeaders() {
      return mostLeaders;
    },
    deployment: (key) => inTime(world, admin.get(DEPLOYMENTS, key)),
    run: (sequence, given = {}) =>
      inTime(
        world,
        sequence({
          client: admin,
          world,
          signal: new AbortController().signal,
          karpenter: KARPENTER,
          chandler: CHANDLER,
          lease: LEASE,
          timeoutMs: 60_000,
          verifyMs: 5_000,
          report: (line) => lines.push(line),
          ...given,
        }),
      ),
    takeOver: (given) => stage.run(takeOver, given),
    handBack: (given) => stage.run(handBack, given),
    async leader() {
      const holder = history.holders.at(-1) ?? '';
      return holder.startsWith('chandler_') ? 'chandler' : holder === '' ? '' : 'karpenter';
    },
    inTime: (promise) => inTime(world, promise),
    async end() {
      sampler.abort();
      await inTime(world, player.stop());
      await inTime(world, history.stop());
      await inTime(world, server.close());
    },
  };
  await world.clock.advance(5_000);
  return stage;
}

const CRASHING: Pod['status'] = {
  phase: 'Running',
  containerStatuses: [{ name: 'controller', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
};
