/** The playground as `npm start` runs it, without sockets and in virtual time, to run scenarios on it. */
// Loaded before any scenario starts: loading a module takes real time, during which hours of virtual time would pass.
import '../../packages/chandler/src/arm/testing.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN } from '@chandler/apiserver';
import { type CatalogueOptions, SIZE_FAMILIES } from '@chandler/cloudsim/azure/testing';
import { fetchTransport, KubeClient } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { createAuthority } from '@chandler/kube/tls';
import { startController } from '../../packages/chandler/src/playground/controller.ts';
import {
  ensureObject,
  type Playground,
  type PlaygroundOptions,
  type RunningController,
  runScenario,
  type Scenario,
  type ScenarioResult,
  type StepProgress,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';
import { checkRoleUse, recordingServer } from '../e2e/role-use.ts';

export interface ScenarioHarness {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly admin: KubeClient;
  readonly controller: RunningController;
  /** What happens in virtual time, or while modules load. */
  wait<T>(promise: Promise<T>): Promise<T>;
  run(
    scenario: Scenario,
  ): Promise<{ readonly result: ScenarioResult; readonly steps: readonly ReportedStep[] }>;
  stop(): Promise<void>;
}

export interface ReportedStep extends StepProgress {
  /** Since the start of the scenario, in cluster time. */
  readonly atMs: number;
}

/** A catalogue of few VM families, so that planning is fast. */
export const SMALL_CATALOGUE: CatalogueOptions = {
  families: SIZE_FAMILIES.filter(({ quotaFamily }) =>
    /^standardD(S|AS|LS|)v5|^standardDav6/.test(quotaFamily),
  ),
};

/** @param catalogue the VM sizes of the simulated Azure. Default: the whole catalogue of the playground. */
export function startScenarioHarness(
  args: readonly string[] = [],
  catalogue: CatalogueOptions = {},
): Promise<ScenarioHarness> {
  const server = { tokenLifetimeMs: 30 * 24 * 3600_000 };
  return startOn({ azure: { azure: { catalogue }, server } }, args);
}

export async function startOn(
  simulated: Pick<PlaygroundOptions, 'azure' | 'aws'>,
  args: readonly string[],
): Promise<ScenarioHarness> {
  const harness = await startUnled(simulated, args);
  await harness.wait(harness.controller.leading);
  return harness;
}

/** The same with a controller that may fail to start. `prepare` runs before it starts. */
export async function startUnled(
  simulated: Pick<PlaygroundOptions, 'azure' | 'aws'>,
  args: readonly string[],
  prepare: (playground: Playground, world: VirtualWorld, folder: string) => Promise<void> = async () =>
    undefined,
): Promise<ScenarioHarness> {
  // @azure/identity uses wall-clock time.
  const world = virtualWorld({ startMs: Date.now() });
  const folder = mkdtempSync(join(tmpdir(), 'chandler-scenario-'));
  const playground = await whileLoading(
    world,
    startPlayground({
      world,
      port: false,
      systemTaint: true,
      ...simulated,
    }),
  );
  await prepare(playground, world, folder);
  const cloud = playground.cloud!;
  const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  const files = await cloud.writeFiles(folder, { serverUrl: 'https://127.0.0.1:6443', kubeconfig: '' });
  const caPem = (await createAuthority(() => world.clock.now())).certificatePem;
  for (const object of [cloud.defaultNodeClass, cloud.defaultPool()])
    await whileLoading(world, ensureObject(admin, object));
  const roles = cloud.name === 'aws' ? 'rbac-aws.yaml' : 'rbac.yaml';
  const server = recordingServer(playground.server, playground.azure?.bootstrapToken, roles);
  const recording = { ...playground, server };
  const starting = startController({
    world,
    log: world.log,
    playground: recording,
    files,
    kubeconfig: '',
    caPem,
    args,
  });
  // Whoever waits for it learns of a failure, later.
  void starting.then(({ leading }) => leading.catch(() => undefined)).catch(() => undefined);
  const controller = await whileLoading(world, starting);
  return {
    world,
    playground,
    admin,
    controller,
    wait: (promise) => whileLoading(world, promise),
    async run(scenario) {
      const steps: ReportedStep[] = [];
      const startMs = world.clock.monotonic();
      let result: ScenarioResult | undefined;
      const running = runScenario(scenario, {
        world,
        client: admin,
        cloud,
        signal: new AbortController().signal,
        report: (progress) => steps.push({ ...progress, atMs: world.clock.monotonic() - startMs }),
      }).then((value) => {
        result = value;
      });
      while (result === undefined && world.clock.monotonic() - startMs < SCENARIO_TIMEOUT_MS)
        await world.clock.advance(STEP_MS);
      if (result === undefined) throw new Error(`${scenario.name} does not end: ${steps.at(-1)?.text}`);
      await running;
      return { result, steps };
    },
    async stop() {
      await whileLoading(world, controller.stop());
      await whileLoading(world, playground.stop());
      checkRoleUse(playground.server);
      rmSync(folder, { recursive: true });
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** Modules, among them large SDKs, load in real time; no deadline in virtual time may expire meanwhile. */
export async function whileLoading<T>(world: VirtualWorld, promise: Promise<T>): Promise<T> {
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
const SCENARIO_TIMEOUT_MS = 4 * 3600_000;
