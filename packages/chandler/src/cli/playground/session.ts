/** One run of the playground: starts its parts in order, waits, and stops them in order. */
import { fetchTransport, KubeClient, type World } from '@chandler/kube';
import {
  defaultObjects,
  ensureObject,
  type Playground,
  type PlaygroundFiles,
  type PlaygroundOptions,
  placementHint,
  removeFiles,
  type Scenario,
  type ScenarioResult,
  startPlayground,
  writeFiles,
} from '../../playground/index.ts';
import type { ScreenOutput } from '../terminal/screen.ts';
import { untilAborted } from '../until-aborted.ts';
import { EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_OK, type Terminal } from '../verb.ts';
import { type AdjustableClock, adjustableClock } from './adjustable-clock.ts';
import { Display } from './display.ts';
import { startFailure, stopFailure } from './failures.ts';
import { type Facts, goodbye, readyLine, scenarioSummary, speedText, welcome } from './messages.ts';
import { MAX_SPEED } from './options.ts';
import type { PlaygroundPage } from './playground-page.ts';
import { ScenarioRuns } from './scenario-runs.ts';
import { Supervisor } from './supervisor.ts';

export interface SessionRequest {
  readonly world: World;
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
  readonly port: number;
  readonly host: string;
  readonly kubeconfig: string;
  readonly nodes: number;
  readonly bare: boolean;
  /** The clouds and their options. */
  readonly simulated: Pick<PlaygroundOptions, 'azure' | 'aws'>;
  readonly controller: boolean;
  /** Serve the page of the cluster. */
  readonly page: boolean;
  readonly scenario: Scenario | undefined;
  /** Stop when the scenario ends. */
  readonly once: boolean;
  /** At the start; the page can change it. */
  readonly speed: number;
  readonly snapshot: string | undefined;
  readonly output: 'text' | 'json';
  readonly screen: ScreenOutput | undefined;
}

/** Runs until it is interrupted or, with `once`, until its scenario ends; returns the exit code. */
export async function runSession(request: SessionRequest): Promise<number> {
  const { terminal, output, screen, speed, scenario, interrupted } = request;
  const readersClock = request.world.clock;
  const clock = adjustableClock(readersClock, speed);
  const display = new Display({ terminal, output, screen, readersClock });
  const world = { ...request.world, clock, log: display.log(request.world.log, clock) };
  const running = await start(request, world);
  const content = running.server.kubeconfig;
  const files = await writeFiles(running, request.kubeconfig).catch(async (error: unknown) => {
    await running.stop();
    throw error;
  });
  let supervisors: readonly Supervisor[] = [];
  let result: ScenarioResult | undefined;
  let isScenarioRunning = scenario !== undefined;
  let isCutShort = false;
  const stopping = new AbortController();
  const closing: (() => Promise<void>)[] = [];
  const runs = new ScenarioRuns({
    world,
    running,
    display,
    leading: () => supervisors[0]?.leading,
    signal: stopping.signal,
  });
  try {
    if (request.controller) await createDefaults(running);
    const setSpeed = async (next: number) => {
      if (next !== 1) await Promise.all(supervisors.map((supervisor) => supervisor.dropElection()));
      clock.setSpeed(next);
      display.report({ atMs: clock.now(), topic: 'speed', text: speedText(next) });
    };
    const page = await openPage(request, { world, running, runs, setSpeed, stopping });
    if (page !== undefined) closing.push(() => page.close());
    printReady(request, running, files, page?.address);
    if (!request.bare) display.open({ world, running, kubeconfig: files.kubeconfig, page: page?.address });
    if (request.controller) {
      const args = scenario?.controllerArgs ?? [];
      const { kubeconfig, clouds } = files;
      supervisors = clouds.map(
        (folder) => new Supervisor({ world, readersClock, running, kubeconfig, folder, display, args }),
      );
    }
    // After the controller, which is worth more in the first seconds.
    if (!request.once)
      void (supervisors[0]?.leading ?? Promise.resolve()).then(
        () => page?.record(),
        () => undefined,
      );
    const scenarioRun =
      scenario === undefined
        ? undefined
        : runs.run(scenario, request.once).finally(() => {
            isScenarioRunning = false;
          });
    result = await Promise.race([
      untilAborted(interrupted),
      ...(scenarioRun !== undefined && request.once ? [scenarioRun] : []),
    ]);
    isCutShort = result === undefined && isScenarioRunning;
    if (isCutShort) return EXIT_INTERRUPTED;
    return result === undefined || result.outcome === 'completed' ? EXIT_OK : EXIT_FAILURE;
  } finally {
    stopping.abort(new Error('the playground is stopping'));
    for (const close of closing) await close();
    await display.close();
    if (result !== undefined && screen !== undefined) terminal.err(scenarioSummary(result));
    if (output === 'text') terminal.err(goodbye(request.snapshot));
    await removeFiles(files, content);
    // A scenario that is cut short does not wait for an orderly stop; a snapshot is still written.
    const stopped = Promise.all(supervisors.map((supervisor) => supervisor.stop()));
    stopped.catch(() => undefined);
    if (!isCutShort) await stopped;
    if (!isCutShort || request.snapshot !== undefined)
      await running.stop().catch((error: unknown) => {
        throw stopFailure(error);
      });
  }
}

// ---------------------------------------------------------------------------------------------------

const TOKEN_LIFETIME_MS = 24 * 3600_000;

async function start(request: SessionRequest, world: World): Promise<Playground> {
  const { port, host, nodes, bare, controller, snapshot } = request;
  const { azure, aws } = request.simulated;
  try {
    return await startPlayground({
      world,
      port,
      host,
      systemNodes: nodes,
      standins: !bare,
      systemTaint: controller,
      givesWay: true,
      certificateNow: () => request.world.clock.now(),
      // @azure/identity caches tokens by wall-clock time, so a token must outlive the same span of cluster time, at any speed.
      ...(aws === undefined ? {} : { aws }),
      ...(azure === undefined
        ? {}
        : {
            azure: azure && {
              ...azure,
              server: { ...azure.server, tokenLifetimeMs: TOKEN_LIFETIME_MS * MAX_SPEED },
            },
          }),
      ...(snapshot === undefined ? {} : { snapshotFile: snapshot }),
    });
  } catch (error) {
    throw startFailure(error, { port, host });
  }
}

/** Objects that a snapshot has restored are left unchanged. */
async function createDefaults(running: Playground): Promise<void> {
  const client = new KubeClient({ transport: fetchTransport(running.server.adminFetch) });
  for (const object of defaultObjects(running)) await ensureObject(client, object);
}

/** Undefined: there is none to see. */
async function openPage(
  request: SessionRequest,
  parts: {
    readonly world: World & { readonly clock: AdjustableClock };
    readonly running: Playground;
    readonly runs: ScenarioRuns;
    readonly setSpeed: (speed: number) => Promise<void>;
    readonly stopping: AbortController;
  },
): Promise<PlaygroundPage | undefined> {
  if (request.bare || !request.page) return undefined;
  const { servePlaygroundPage } = await import('./playground-page.ts');
  const { world: readersWorld } = request;
  return servePlaygroundPage({ ...parts, readersWorld, port: 0, signal: parts.stopping.signal });
}

function printReady(
  request: SessionRequest,
  running: Playground,
  files: PlaygroundFiles,
  page: string | undefined,
): void {
  const { terminal, output } = request;
  const facts: Facts = { ...request, running, files, page, placement: placementHint(running) };
  terminal.out(output === 'json' ? readyLine(facts) : welcome(facts, terminal));
}
