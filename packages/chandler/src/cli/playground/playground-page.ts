/** The page of a playground: that of a cluster, with faults, scenarios and the speed of time. It is opened when somebody looks. */
import { fetchTransport, isProgramError, type World } from '@chandler/kube';
import {
  newToken,
  type OpenedPage,
  type PageServer,
  type PlaygroundQuestions,
  pageAssets,
  QuestionError,
  Recorder,
  snapshotOf,
  startPageServer,
  type wire,
} from '../../dashboard/index.ts';
import { type Playground, type Scenario, scenariosOf } from '../../playground/index.ts';
import { BUILD } from '../../settings/index.ts';
import type { OpenPage } from '../page/open-page.ts';
import { CLUSTER_VIEWS } from '../page/views.table.ts';
import type { AdjustableClock } from './adjustable-clock.ts';
import { speedText } from './messages.ts';
import { MAX_SPEED, MIN_SPEED } from './options.ts';
import type { ScenarioRuns } from './scenario-runs.ts';

export interface PlaygroundPageOptions {
  /** Of the cluster: its clock may be faster. */
  readonly world: World & { readonly clock: AdjustableClock };
  /** Of the people who look. */
  readonly readersWorld: World;
  readonly running: Playground;
  readonly runs: ScenarioRuns;
  readonly setSpeed: (speed: number) => Promise<void>;
  readonly port: number;
  readonly signal: AbortSignal;
}

export interface PlaygroundPage {
  readonly address: string;
  /** Records from now on, also while nobody looks. */
  record(): void;
  close(): Promise<void>;
}

export async function servePlaygroundPage(options: PlaygroundPageOptions): Promise<PlaygroundPage> {
  const { readersWorld, running, signal, port } = options;
  const world = withTimeOf(readersWorld, options.world);
  let page: OpenPage | undefined;
  let recorder: Recorder | undefined;
  let opened: Promise<OpenedPage> | undefined;
  const openNow = async (): Promise<OpenedPage> => {
    await page?.stop();
    // Loaded when somebody looks: planner and catalogues are large.
    const opening = await import('../page/open-page.ts');
    const transport = fetchTransport(running.server.adminFetch);
    page = new opening.OpenPage({ transport, world, env: {}, signal, catalogue: undefined });
    const { model, questions } = await page.open();
    recorder?.stop();
    recorder = await Recorder.start({
      log: model.log,
      clock: world.clock,
      head: { program: BUILD.version, cluster: CLUSTER },
      snapshot: () => snapshotOf(model, world.clock),
    });
    const note = (reason: string, text: string) =>
      model.note({ atMs: world.clock.now(), ...PRESSED, reason, text });
    const playground = new PlaygroundAnswers({ ...options, note });
    return { model, questions: { ...questions, playground }, recording: recorder };
  };
  const open = () => {
    opened ??= openNow();
    // Who asks next tries again.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  const server: PageServer = await startPageServer({
    open,
    world,
    speed: () => options.world.clock.speed,
    assets: pageAssets(),
    session: {
      program: BUILD.version,
      cluster: CLUSTER,
      views: [...CLUSTER_VIEWS, 'playground'],
      recording: 'live',
    },
    token: newToken(world.random),
    playgroundToken: newToken(world.random),
    port,
  });
  const close = async () => {
    await server.close();
    recorder?.stop();
    await page?.stop();
  };
  return { address: server.address, record: () => void open().catch(() => undefined), close };
}

export class PlaygroundAnswers implements PlaygroundQuestions {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  async state(): Promise<wire.PlaygroundAnswer> {
    const { running, runs, world } = this.#options;
    return {
      cloud: running.clouds.map(({ title }) => title).join(' and ') || 'none',
      speed: world.clock.speed,
      speeds: SPEEDS,
      faults: running.cloud?.faults().map(({ name, help, on }) => ({ name, text: help, on })) ?? [],
      scenarios: this.#scenarios().map(({ name, summary }) => ({ name, text: summary })),
      running: runs.current ?? null,
    };
  }

  async change(wish: unknown): Promise<wire.PlaygroundAnswer> {
    const { fault, on, scenario, speed } = (typeof wish === 'object' && wish !== null ? wish : {}) as Wish;
    if (typeof fault === 'string' && typeof on === 'boolean') this.#setFault(fault, on);
    else if (typeof scenario === 'string') this.#start(scenario);
    else if (speed !== undefined) await this.#setSpeed(speed);
    else
      throw new QuestionError(
        400,
        'send { "fault": NAME, "on": true }, { "scenario": NAME } or { "speed": NUMBER }',
      );
    return this.state();
  }

  #setFault(name: string, on: boolean): void {
    const { cloud } = this.#options.running;
    const known = cloud?.faults().find((each) => each.name === name);
    if (cloud === undefined || known === undefined)
      throw new QuestionError(400, `there is no fault ${name.slice(0, 60)} here`);
    if (known.on === on) return;
    this.#options.note?.('Fault', `fault ${name} is switched ${on ? 'on' : 'off'}`);
    if (on) cloud.addFault(name);
    else cloud.removeFaults(name);
  }

  async #setSpeed(speed: unknown): Promise<void> {
    if (typeof speed !== 'number' || !(speed >= MIN_SPEED && speed <= MAX_SPEED))
      throw new QuestionError(400, `the speed must be a number from ${MIN_SPEED} to ${MAX_SPEED}`);
    if (speed === this.#options.world.clock.speed) return;
    await this.#options.setSpeed(speed);
    this.#options.note?.('Speed', speedText(speed));
  }

  #start(name: string): void {
    const { runs } = this.#options;
    const scenario = this.#scenarios().find((each) => each.name === name);
    if (scenario === undefined)
      throw new QuestionError(400, `there is no scenario ${name.slice(0, 60)} here`);
    if (runs.current?.outcome === 'running')
      throw new QuestionError(
        400,
        `the scenario ${runs.current.scenario} is running`,
        'wait until it has ended',
      );
    this.#options.note?.('Scenario', `scenario ${name} is started`);
    runs.run(scenario, false).catch((error: unknown) => {
      if (isProgramError(error)) throw error;
    });
  }

  /** Those that the controller needs no other flags for. */
  #scenarios(): readonly Scenario[] {
    const { cloud, clouds } = this.#options.running;
    if (cloud === undefined || clouds.length > 1) return [];
    return scenariosOf(cloud.name).filter(({ controllerArgs = [] }) => controllerArgs.length === 0);
  }
}

// ---------------------------------------------------------------------------------------------------

/** From watching closely to waiting for what takes an hour. */
const SPEEDS: readonly number[] = [0.5, 1, 2, 5, 10, 20, 50, MAX_SPEED];

type AnswersOptions = Pick<PlaygroundPageOptions, 'running' | 'runs' | 'setSpeed'> & {
  readonly world: { readonly clock: Pick<AdjustableClock, 'speed'> };
  /** For the timeline. */
  readonly note?: (reason: string, text: string) => void;
};

const CLUSTER = 'playground';
/** What somebody does on the page is on the timeline. */
const PRESSED = { what: 'event', subject: 'Playground/page', warning: false } as const;

interface Wish {
  readonly fault?: unknown;
  readonly on?: unknown;
  readonly scenario?: unknown;
  readonly speed?: unknown;
}

/** Timers run as fast as people look; times are those of the cluster. */
function withTimeOf(reader: World, { clock: cluster, log }: World): World {
  const { clock } = reader;
  return {
    ...reader,
    log,
    clock: {
      now: () => cluster.now(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, task) => clock.after(delayMs, task),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    },
  };
}
