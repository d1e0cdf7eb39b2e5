/**
 * One run from one seed: servers, controller processes, a workload and a swarm of faults, in virtual time.
 * Then the faults stop and the cluster has to converge. The result is the list of violations that the
 * checkers found.
 */
import './sdk-modules.ts';
import { seededRandom } from '@chandler/kube/testing';
import { Chance } from '../scheduling/chance.ts';
import { AUTHORITIES } from './authorities.table.ts';
import type { Check, Phase, View } from './checks/check.ts';
import { CHECKS } from './checks/index.ts';
import { type CloudName, loadCloud } from './clouds.ts';
import { unfinishedWork } from './convergence.ts';
import { Network } from './network.ts';
import type { Personality } from './personality.ts';
import type { Seams } from './process.ts';
import { ProcessGroup, type ProcessGroupOptions } from './process-group.ts';
import { Record, shortText, textOf } from './record.ts';
import { DisruptionMarks } from './server-state/disruption-marks.ts';
import { KubeState, type ObservedChange } from './server-state/kube-state.ts';
import { type Servers, startServers } from './servers.ts';
import { removeObstacles, unblockDrains } from './settle.ts';
import type { Scene } from './story/step.ts';
import { drawStory, type Story } from './story/story.ts';
import { drawSwarm, type Swarm, unseenMs } from './swarm.ts';
import { installGlobals } from './virtual-globals.ts';

export interface TrialOptions {
  readonly seed: number;
  /** Default: the first of `clouds.ts`. */
  readonly cloud?: CloudName;
  /** Default: drawn from the seed. */
  readonly story?: (personality: Personality) => Story;
  readonly swarm?: (personality: Personality) => Swarm;
  /** A deliberate bug. */
  readonly seams?: Seams;
  /** The process with this effect is killed; counted over all processes. */
  readonly killAt?: number;
  /** A process is killed at the first response that matches; `kube PATCH /apis/…`. */
  readonly killAtAnswer?: RegExp;
  /** All processes are killed when the first replacement of a node is created. Default false. */
  readonly killAtReplacement?: boolean;
  /** Skips the stable phase at the end. Default false. */
  readonly brief?: boolean;
  /** After the workload the run ends as soon as this checker has found a violation. */
  readonly until?: string;
  /** The timeout for convergence. Default 90 minutes. */
  readonly restLimitMs?: number;
  readonly onLine?: (line: string) => void;
  /** Called for every change of an object, with the time since the start. */
  readonly onChange?: (change: ObservedChange, atMs: number) => void;
}

export interface Violation {
  readonly check: string;
  readonly what: string;
  readonly atMs: number;
}

export interface TrialResult {
  readonly seed: number;
  /** The hash of the record: the same seed gives the same digest. */
  readonly digest: string;
  readonly violations: readonly Violation[];
  readonly events: number;
  readonly effects: number;
  readonly processes: number;
  readonly virtualMs: number;
  /** How often each fault occurred. */
  readonly faults: Readonly<{ [name: string]: number }>;
  /** How many commands marked nodes, by reason and by phase. */
  readonly commands: Readonly<{ [reason: string]: number }>;
}

export async function runTrial(options: TrialOptions): Promise<TrialResult> {
  const trial = new Trial(options, await loadCloud(options.cloud));
  return trial.run();
}

// ---------------------------------------------------------------------------------------------------

const REST_LIMIT_MS = 90 * 60_000;
const REST_STEP_MS = 5_000;
/** The number of consecutive checks without unfinished work: longer than a silent node stays unnoticed. */
const RESTS = 21;
const QUIET_MS = 6 * 60_000;
/** How often disruption may begin again when the cluster seems stable: it is planned every five minutes, and after a backoff. */
const MAX_RELAPSES = 6;
/** Further violations are dropped. */
const VIOLATION_LIMIT = 20;

class Trial {
  readonly #options: TrialOptions;
  readonly #personality: Personality;
  readonly #story: Story;
  readonly #swarm: Swarm;
  readonly #violations: Violation[] = [];
  readonly #faults: { [name: string]: number } = {};
  #checks: readonly Check[] = [];
  #phase: Phase = 'story';
  #calmSinceMs: number | undefined;
  #sometimesMs = 0;
  #marked = 0;
  readonly #commands = new Map<string, string>();
  #killAll: (() => void) | undefined;
  #linesSeen = 0;

  constructor(options: TrialOptions, personality: Personality) {
    const { seed, story, swarm } = options;
    this.#options = options;
    this.#personality = personality;
    this.#story = story?.(personality) ?? drawStory(personality, seed);
    this.#swarm = swarm?.(personality) ?? drawSwarm(personality, seed, this.#story.endMs);
  }

  async run(): Promise<TrialResult> {
    const { seed, onLine, seams = {} } = this.#options;
    const personality = this.#personality;
    const { times, features = [] } = this.#swarm;
    const servers = await startServers(personality.start, seed, times, {
      ca: AUTHORITIES.first,
      features,
    });
    const { clock, random } = servers.world;
    const lease = installGlobals({
      now: () => clock.now(),
      random: () => random.next(),
      after: (delayMs, task) => clock.after(delayMs, task),
    });
    const record = new Record(clock, onLine);
    try {
      const view = await this.#observe(servers, record);
      const network = new Network({
        personality,
        clock,
        random: seededRandom(seed * 104_729 + 1),
        onFault: (fault, what) => this.#count(record, fault, what),
        ...(this.#swarm.proxy === undefined ? {} : { proxy: this.#swarm.proxy }),
        bookmarks: this.#swarm.bookmarks !== false,
        onWatchCut: (process, url) => {
          this.#faults['watch ended by a proxy'] = (this.#faults['watch ended by a proxy'] ?? 0) + 1;
          // What a process that ended was waiting for is nobody's watch.
          if (!processGroup.isRunning(process)) return;
          for (const check of this.#checks) check.onWatchCut?.(process, url);
        },
      });
      const env = {
        ...(this.#story.surge === true ? { DISRUPTION_SURGE: 'true' } : {}),
        ...(this.#story.overlays === true ? { FEATURE_GATES: 'NodeOverlay=true' } : {}),
        ...(this.#swarm.election ? {} : { DISABLE_LEADER_ELECTION: 'true' }),
      };
      const processGroup = new ProcessGroup({
        personality,
        seed,
        servers,
        network,
        record,
        checks: this.#checks,
        replicas: this.#swarm.replicas,
        restartMs: this.#swarm.restartMs,
        ...(this.#swarm.renewalMs === undefined ? {} : { renewalMs: this.#swarm.renewalMs }),
        seams: { ...seams, env: { ...env, ...seams.env } },
        onEffect: killSwitch(this.#options),
      });
      if (this.#options.killAtReplacement === true) this.#killAll = () => processGroup.killAll();
      await this.#runStory(servers, view, network, processGroup, record);
      await this.#waitForConvergence(servers, view, network, processGroup, record);
      for (const check of this.#checks) check.atEnd?.();
      await clock.during(processGroup.stop());
      for (const what of lease.offences) this.#violate(clock.monotonic(), 'no real timer or socket', what);
      view.kube.close();
      await clock.during(servers.stop());
      return {
        seed,
        digest: record.digest(),
        violations: this.#violations,
        events: record.count,
        effects: processGroup.effects,
        processes: processGroup.started,
        virtualMs: clock.monotonic(),
        faults: this.#faults,
        commands: countsOf(this.#commands.values()),
      };
    } finally {
      lease.release();
    }
  }

  async #observe(servers: Servers, record: Record): Promise<View> {
    const { clock } = servers.world;
    const personality = this.#personality;
    const { adminFetch } = servers.playground.server;
    const kube = await clock.during(KubeState.open(adminFetch, personality.nodeClasses));
    const trial = this;
    const view: View = {
      nodeClasses: personality.nodeClasses,
      story: personality.story,
      servers,
      kube,
      cloud: servers.cloud.observe(kube),
      marks: new DisruptionMarks(),
      election: this.#swarm.election,
      get unseenMs() {
        return trial.#unseenMs(clock.monotonic());
      },
      get phase() {
        return trial.#phase;
      },
      get calmSinceMs() {
        return trial.#calmSinceMs;
      },
      violated: (check, what) => {
        record.add('checker', 'WRONG', `${check}: ${what}`);
        this.#violate(clock.monotonic(), check, what);
      },
    };
    this.#checks = [...personality.checks, ...CHECKS].map((make) => make(view));
    clock.afterStep = () => this.#afterStep(view, record);
    return view;
  }

  #unseenMs(nowMs: number): number {
    const { faulty, calm } = unseenMs(this.#swarm);
    return this.#calmSinceMs !== undefined && nowMs - this.#calmSinceMs > faulty ? calm : faulty;
  }

  #afterStep({ cloud, kube, marks, servers }: View, record: Record): void {
    const nowMs = servers.world.clock.monotonic();
    cloud.drain((change) => {
      const { type, thing } = change;
      record.add(
        this.#personality.name,
        type,
        `${thing.part} ${thing.name}${thing.deleting ? ' going' : ''}`,
      );
      for (const check of this.#checks) check.onCloud?.(change);
    });
    kube.drain((change) => {
      record.add('kube', change.type.toLowerCase().slice(0, 7), textOf(change));
      this.#options.onChange?.(change, nowMs);
      const mark = marks.take(change, nowMs);
      for (const check of this.#checks) check.onKube?.(change);
      if (change.object.metadata.annotations?.['chandler.sh/replacement-for'] !== undefined) {
        this.#killAll?.();
        this.#killAll = undefined;
      }
      if (mark === undefined) return;
      this.#marked += 1;
      this.#commands.set(
        mark.command?.id ?? mark.uid,
        `${mark.command?.method ?? mark.reason} ${this.#phase}`,
      );
      record.add('kube', 'mark', `${mark.node} ${mark.reason} ${mark.command?.id}`);
      for (const check of this.#checks) check.onMark?.(mark);
    });
    this.#recordLog(servers, record);
    if (nowMs - this.#sometimesMs < 1_000) return;
    this.#sometimesMs = nowMs;
    for (const check of this.#checks) check.periodically?.();
  }

  /** Records warnings and errors that the processes log. */
  #recordLog({ world: { lines } }: Servers, record: Record): void {
    for (; this.#linesSeen < lines.length; this.#linesSeen++) {
      const { level, message, fields } = lines[this.#linesSeen]!;
      if (level !== 'warn' && level !== 'error') continue;
      const { process = '-', ...rest } = fields;
      record.add(String(process), level, `${message} ${shortText(rest)}`);
    }
  }

  /** Runs the workload with its faults. */
  async #runStory(
    servers: Servers,
    view: View,
    network: Network,
    processGroup: ProcessGroup,
    record: Record,
  ): Promise<void> {
    const { clock } = servers.world;
    const atCalm: (() => Promise<void> | void)[] = [];
    const { faultsFromMs = 0 } = this.#story;
    const beginFaults = () => {
      network.set(this.#swarm.network);
      for (const fault of this.#swarm.cloud) servers.cloud.beginFault(fault);
    };
    if (faultsFromMs === 0) beginFaults();
    else clock.after(faultsFromMs, beginFaults);
    for (const step of this.#story.steps) {
      const scene: Scene = {
        servers,
        state: view.kube,
        cloud: view.cloud,
        chance: new Chance(this.#options.seed * 31 + step.atMs),
        note: (what) => record.add('story', 'deed', `${step.name}: ${what}`),
        atCalm: (task) => atCalm.push(task),
        restart: () => processGroup.killAll(),
      };
      clock.after(step.atMs, () => {
        record.add('story', 'deed', step.name);
        step.run(scene).catch((error: unknown) => view.violated('workload actions succeed', String(error)));
      });
    }
    for (const processFault of this.#swarm.processFaults)
      clock.after(Math.max(faultsFromMs, processFault.atMs), () => processGroup.inject(processFault));
    processGroup.start();
    await clock.advance(this.#story.endMs);
    for (const { name, struck } of servers.cloud.faults())
      if (struck > 0) this.#faults[`${this.#personality.name} ${name}`] = struck;
    network.calm();
    servers.cloud.endFaults();
    processGroup.cancelKills();
    this.#phase = 'calm';
    this.#calmSinceMs = clock.monotonic();
    record.add('story', 'calm', '');
    for (const task of atCalm) await clock.during(Promise.resolve(task()));
    await clock.during(removeObstacles(view));
  }

  /** Waits until there is no unfinished work, then for a phase in which nothing may happen. */
  async #waitForConvergence(
    servers: Servers,
    view: View,
    network: Network,
    processGroup: ProcessGroup,
    record: Record,
  ): Promise<void> {
    const { clock } = servers.world;
    const { brief = false, restLimitMs = REST_LIMIT_MS } = this.#options;
    const untilMs = clock.monotonic() + restLimitMs;
    const missing = () => {
      if (processGroup.leader === undefined) return 'no process is the leader';
      return network.hanging > 0 ? 'a request has no response yet' : unfinishedWork(view);
    };
    const rest = async () => {
      let rests = 0;
      let left = missing();
      while ((rests < RESTS || left !== undefined) && clock.monotonic() < untilMs && !this.#hasFound()) {
        rests = left === undefined ? rests + 1 : 0;
        await clock.during(unblockDrains(view));
        await clock.during(removeObstacles(view));
        await clock.advance(REST_STEP_MS);
        left = missing();
      }
      return left;
    };
    for (let relapses = 0; ; relapses++) {
      const left = relapses > MAX_RELAPSES ? 'nodes are disrupted again and again' : await rest();
      if (this.#hasFound()) return;
      if (left !== undefined) view.violated('convergence', left);
      for (const check of this.#checks) check.atRest?.();
      if (left !== undefined || brief) return;
      const markedBefore = this.#marked;
      this.#phase = 'quiet';
      record.add('story', 'quiet', '');
      const quietUntilMs = clock.monotonic() + QUIET_MS;
      while (this.#marked === markedBefore && clock.monotonic() < quietUntilMs)
        await clock.advance(REST_STEP_MS);
      if (this.#marked === markedBefore) return;
      this.#phase = 'calm';
    }
  }

  #count(record: Record, fault: string, what: string): void {
    record.add('network', 'fault', `${fault} ${what}`);
    this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
  }

  #hasFound(): boolean {
    const { until } = this.#options;
    return until !== undefined && this.#violations.some(({ check }) => check === until);
  }

  #violate(atMs: number, check: string, what: string): void {
    const known = this.#violations.some((one) => one.check === check && one.what === what);
    if (!known && this.#violations.length < VIOLATION_LIMIT) this.#violations.push({ check, what, atMs });
  }
}

/** Kills the process at the configured effect, once in a run. */
function killSwitch({ killAt, killAtAnswer }: TrialOptions): ProcessGroupOptions['onEffect'] {
  let done = false;
  return ({ kind, what }, count, kill) => {
    const dies = count === killAt || (kind === 'answer' && killAtAnswer?.test(what) === true);
    if (done || !dies) return;
    done = true;
    kill();
  };
}

function countsOf(values: Iterable<string>): { [value: string]: number } {
  const counts: { [value: string]: number } = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
