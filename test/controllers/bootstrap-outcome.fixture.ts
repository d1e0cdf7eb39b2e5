/** All controllers on a fake cloud; the test decides which bootstrap outcome its instances report. */

import type { KubeObject } from '@chandler/kube';
import { PODS } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import {
  AKS_NODE_CLASSES,
  NODE_CLAIMS,
  NODE_POOLS,
  type NodeClaim,
} from '../../packages/chandler/src/api/index.ts';
import type {
  Aftermath,
  BootstrapFailure,
  BootstrapOutcome,
  BootstrapReader,
  Cloud,
} from '../../packages/chandler/src/cloud/index.ts';

import { allControllers } from './all-controllers.ts';
import { type FakeAzure, fakeAzure } from './fake-azure.ts';
import { NODE_CLASS, pod, pool, type StageOptions, type StageSet, setStage } from './stage.ts';

/** The image of the classes here; the test may publish another. */
export const IMAGE = '/CommunityGalleries/g/images/2204gen2/versions/202608.10.0';

export interface FakeBootstrap extends BootstrapReader {
  /** The outcome of every instance until the test sets another. */
  says: (claim: NodeClaim) => BootstrapOutcome | undefined;
  after: Aftermath;
  /** Names of the claims of each poll. */
  readonly looks: string[][];
}

export interface ClassImage {
  readonly id: string;
  readonly requirements: readonly object[];
}

export interface BootstrapStage {
  readonly stage: StageSet;
  readonly bootstrap: FakeBootstrap;
  /** The image of every class from now on. */
  publish(images: readonly ClassImage[]): Promise<void>;
  restart(): Promise<void>;
  claims(): Promise<readonly KubeObject[]>;
  failed(): Promise<readonly KubeObject[]>;
  /** Existing instances. */
  machines(): readonly string[];
}

export function aFailure(changes: Partial<BootstrapFailure> = {}): BootstrapFailure {
  return {
    code: 50,
    constant: 'ERR_OUTBOUND_CONN_FAIL',
    message: 'CSE exited with code 50 (ERR_OUTBOUND_CONN_FAIL): no way out. Look at the firewall.',
    deterministic: false,
    image: IMAGE,
    readFrom: 'extension',
    lastCommand: 'curl https://mcr.microsoft.com',
    log: ['+ curl https://mcr.microsoft.com', 'curl: (28) timed out', '+ exit 50'],
    ...changes,
  };
}

export async function bootstrapStage(
  options: Omit<StageOptions, 'controllers'> & { readonly joins?: boolean } = {},
): Promise<BootstrapStage> {
  const stage = await setStage(options);
  const bootstrap = fakeBootstrap();
  const { cloud } = stage;
  Object.assign(cloud, { bootstrap } satisfies Partial<Cloud>);
  const { create } = cloud;
  cloud.create = async (request) => {
    const step = await create.call(cloud, request, neverAborted());
    return step.state === 'launched' ? { ...step, instance: { ...step.instance, imageID: IMAGE } } : step;
  };
  cloud.joins = options.joins ?? false;
  let images: readonly ClassImage[] = [{ id: IMAGE, requirements: [] }];
  const azure = withImages(fakeAzure(stage.world), () => images);
  const restart = () => stage.startAll(allControllers(azure));
  await restart();
  const own: BootstrapStage = {
    stage,
    bootstrap,
    async publish(others) {
      images = others;
      // Any change that triggers its controller.
      const patch = { metadata: { labels: { looked: 'again' } } };
      await stage.admin.patch(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch });
    },
    restart,
    claims: () => stage.list(NODE_CLAIMS),
    failed: async () => (await own.claims()).filter((claim) => conditionOf(claim)?.status === 'False'),
    machines: () =>
      [...cloud.machines.values()].filter(({ deleting }) => !deleting).map(({ instance }) => instance.name),
  };
  return own;
}

export async function withPod(
  { stage }: BootstrapStage,
  poolSpec: Record<string, unknown> = {},
  pods = 1,
): Promise<void> {
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('general', poolSpec));
  for (let index = 0; index < pods; index++) await stage.apply(PODS, pod(`p${index}`));
}

export function conditionOf(claim: KubeObject, type = 'CSEProvisioned') {
  const status = claim['status'] as
    | {
        conditions?: {
          type: string;
          status: string;
          reason: string;
          message: string;
          lastTransitionTime: string;
        }[];
      }
    | undefined;
  return status?.conditions?.find((each) => each.type === type);
}

// ---------------------------------------------------------------------------------------------------

function withImages(azure: FakeAzure, images: () => readonly ClassImage[]): FakeAzure {
  const { reconcile } = azure.nodeClassStatus;
  return {
    ...azure,
    nodeClassStatus: {
      async reconcile(nodeClass, signal) {
        const found = await reconcile(nodeClass, signal);
        const status = { ...found.status, images: [...images()] as never };
        const changed = JSON.stringify(nodeClass.status?.images) !== JSON.stringify(status.images);
        return { ...found, status, changed: changed || found.changed };
      },
    },
  };
}

function fakeBootstrap(): FakeBootstrap {
  const fake: FakeBootstrap = {
    says: () => undefined,
    after: { keepClaimMs: 600_000, keepInstance: false },
    looks: [],
    aftermath: () => fake.after,
    async look(claims) {
      fake.looks.push(claims.map(({ metadata }) => metadata.name));
      const said = claims.map((claim) => [claim.metadata.uid, fake.says(claim)] as const);
      return new Map(said.flatMap(([uid, outcome]) => (outcome === undefined ? [] : [[uid, outcome]])));
    },
    async afterFailure(claim) {
      const outcome = fake.says(claim);
      return outcome?.state === 'failed' ? outcome.failure : undefined;
    },
  };
  return fake;
}
