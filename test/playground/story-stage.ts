/** The playground as `npm start` puts it together, without a socket and in virtual time, with a story played on it. */
// Loaded before any story begins: reading a module takes real time, in which hours of a story would go by.
import '@azure/arm-authorization';
import '@azure/arm-compute';
import '@azure/arm-containerservice';
import '@azure/arm-keyvault';
import '@azure/arm-network';
import '@azure/arm-resourcegraph';
import '@azure/identity';
import '@azure/keyvault-keys';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN } from '@chandler/apiserver';
import { writeControllerFiles } from '@chandler/cloudsim/azure';
import { type CatalogueOptions, SIZE_FAMILIES } from '@chandler/cloudsim/azure/testing';
import { fetchTransport, KubeClient } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { createAuthority } from '@chandler/kube/tls';
import {
  DEFAULT_NODE_CLASS,
  DEFAULT_NODE_POOL,
  ensureObject,
  type Playground,
  play,
  type RunningController,
  type Story,
  type StoryEnd,
  startController,
  startPlayground,
  type Told,
} from '../../packages/chandler/src/playground/index.ts';

export interface StoryStage {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly admin: KubeClient;
  readonly controller: RunningController;
  play(story: Story): Promise<{ readonly end: StoryEnd; readonly told: readonly StoryStep[] }>;
  end(): Promise<void>;
}

export interface StoryStep extends Told {
  /** Since the story began, in the time of the cluster. */
  readonly atMs: number;
}

/** A market of five families, for stories in which only that there are others matters: plans are quick. */
export const SMALL_MARKET: CatalogueOptions = {
  families: SIZE_FAMILIES.filter(({ quotaFamily }) =>
    /^standardD(S|AS|LS|)v5|^standardDav6/.test(quotaFamily),
  ),
};

/** @param catalogue what Azure sells. Default: all that the playground's has. */
export async function storyStage(
  args: readonly string[] = [],
  catalogue: CatalogueOptions = {},
): Promise<StoryStage> {
  // The library that asks for tokens knows only the real time.
  const world = virtualWorld({ startMs: Date.now() });
  const folder = mkdtempSync(join(tmpdir(), 'chandler-story-'));
  const playground = await whileLoading(
    world,
    startPlayground({
      world,
      port: false,
      systemTaint: true,
      azure: { azure: { catalogue }, server: { tokenLifetimeMs: 30 * 24 * 3600_000 } },
    }),
  );
  const azure = playground.azure!;
  const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  const around = { azure, serverUrl: 'https://127.0.0.1:6443', kubeconfig: '' };
  const files = await writeControllerFiles(folder, around);
  const caPem = (await createAuthority(() => world.clock.now())).certificatePem;
  for (const object of [DEFAULT_NODE_CLASS, DEFAULT_NODE_POOL])
    await whileLoading(world, ensureObject(admin, object));
  const controller = await whileLoading(
    world,
    startController({ world, log: world.log, playground, files, kubeconfig: '', caPem, args }),
  );
  await whileLoading(world, controller.leading);
  return {
    world,
    playground,
    admin,
    controller,
    async play(story) {
      const told: StoryStep[] = [];
      const startMs = world.clock.monotonic();
      let end: StoryEnd | undefined;
      const played = play(story, {
        world,
        client: admin,
        azure,
        signal: new AbortController().signal,
        tell: (news) => told.push({ ...news, atMs: world.clock.monotonic() - startMs }),
      }).then((how) => {
        end = how;
      });
      while (end === undefined && world.clock.monotonic() - startMs < LONGEST_STORY_MS)
        await world.clock.advance(STEP_MS);
      if (end === undefined) throw new Error(`${story.name} does not end: ${told.at(-1)?.text}`);
      await played;
      return { end, told };
    },
    async end() {
      await whileLoading(world, controller.stop());
      await whileLoading(world, playground.stop());
      rmSync(folder, { recursive: true });
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** Modules, large SDKs among them, are loaded in real time, during which no deadline of the cluster may pass. */
async function whileLoading<T>(world: VirtualWorld, promise: Promise<T>): Promise<T> {
  let done = false;
  const ended = promise.finally(() => {
    done = true;
  });
  ended.catch(() => undefined);
  while (!done) {
    await world.clock.advance(10);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return ended;
}

const STEP_MS = 1_000;
const LONGEST_STORY_MS = 4 * 3600_000;
