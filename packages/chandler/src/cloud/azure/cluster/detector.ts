/**
 * Keeps what is known about the cluster: reads what is due on the World's clock, lets options overrule, keeps the
 * last good value when a read fails, and says what is missing. What a value is and where it is looked for is in
 * finders.ts.
 */
import { rethrowProgramError, type World } from '@chandler/kube';
import {
  CLUSTER_FACTS,
  type ClusterFactName,
  type ClusterFacts,
  ClusterFactsError,
  type ClusterOptions,
  type ClusterProblem,
  type ClusterProblemCode,
  type ClusterReaders,
  type Detection,
} from './facts.ts';
import { type Ask, FINDERS, type Finder, statusOf } from './finders.ts';

export interface ClusterDetectorOptions {
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly readers: ClusterReaders;
  /** Read at every use: options may change at runtime. */
  readonly options: () => ClusterOptions;
  /** When to try again after a read that failed. Default 1 min. */
  readonly retryMs?: number;
}

export interface DetectedCluster {
  readonly facts: Partial<ClusterFacts>;
  readonly problems: readonly ClusterProblem[];
}

export class ClusterDetector {
  readonly #world: Pick<World, 'clock' | 'log'>;
  readonly #readers: ClusterReaders;
  readonly #options: () => ClusterOptions;
  readonly #retryMs: number;
  readonly #known = new Map<ClusterFactName, Known>();
  #round: Promise<DetectedCluster> | undefined;

  constructor(options: ClusterDetectorOptions) {
    this.#world = options.world;
    this.#readers = options.readers;
    this.#options = options.options;
    this.#retryMs = options.retryMs ?? 60_000;
  }

  /** Reads what is due; callers at the same time share one round. A failed read is a problem; only a bug rejects. */
  refresh(): Promise<DetectedCluster> {
    this.#round ??= this.#readDue().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** What is known now, without asking anybody. */
  current(): DetectedCluster {
    const options = this.#options();
    const facts: Partial<Record<ClusterFactName, unknown>> = {};
    const problems: ClusterProblem[] = [];
    for (const fact of CLUSTER_FACTS) {
      const known = this.#known.get(fact);
      const value = finderOf(fact).override(options) ?? known?.value;
      if (value !== undefined) facts[fact] = value;
      if (finderOf(fact).override(options) !== undefined) continue;
      if (known === undefined) problems.push({ fact, ...NOT_READ_YET });
      else if (known.problem !== undefined) problems.push(known.problem);
    }
    return { facts: facts as Partial<ClusterFacts>, problems };
  }

  /** For a launch. @throws {ClusterFactsError} when a value is missing that no launch can do without. */
  facts(): ClusterFacts {
    const { facts, problems } = this.current();
    const blocking = problems.filter((problem) => problem.blocks);
    if (blocking.length > 0) throw new ClusterFactsError(blocking);
    return facts as ClusterFacts;
  }

  /** How long until something is due; 0 when it is now. */
  dueInMs(): number {
    const options = this.#options();
    const nowMs = this.#world.clock.monotonic();
    const due = CLUSTER_FACTS.filter((fact) => finderOf(fact).override(options) === undefined).map(
      (fact) => this.#known.get(fact)?.dueMs ?? nowMs,
    );
    return due.length === 0 ? this.#retryMs : Math.max(0, Math.min(...due) - nowMs);
  }

  /** Refreshes until the signal says stop. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.refresh();
      // An override that is removed makes its value due at once, so that no caller waits longer than a retry.
      const waitMs = Math.max(1, Math.min(this.dueInMs(), this.#retryMs));
      await this.#world.clock.sleep(waitMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  async #readDue(): Promise<DetectedCluster> {
    const options = this.#options();
    const ask = askOnce(this.#readers);
    const nowMs = this.#world.clock.monotonic();
    const due = CLUSTER_FACTS.filter(
      (fact) =>
        finderOf(fact).override(options) === undefined && (this.#known.get(fact)?.dueMs ?? nowMs) <= nowMs,
    );
    await Promise.all(due.map((fact) => this.#read(fact, ask, options)));
    return this.current();
  }

  async #read(fact: ClusterFactName, ask: Ask, options: ClusterOptions): Promise<void> {
    const finder = finderOf(fact);
    const before = this.#known.get(fact);
    const detection = await finder.find(ask, options, before?.value).catch(asDetection);
    const nowMs = this.#world.clock.monotonic();
    const { value, problem } = outcomeOf(fact, detection, before);
    const dueMs = nowMs + (problem === undefined ? finder.everyMs : this.#retryMs);
    this.#known.set(fact, { value, problem, dueMs });
    if (problem === undefined) {
      if (before?.problem !== undefined)
        this.#world.log.info('detection of cluster value succeeded after an earlier failure', { fact });
      return;
    }
    const { code, message, blocks } = problem;
    if (before?.problem?.message !== message) {
      this.#world.log[blocks ? 'error' : 'warn']('cluster value could not be detected', {
        fact,
        code,
        detail: message,
        blocks,
      });
    }
  }
}

// ---------------------------------------------------------------------------------------------------

interface Known {
  readonly value: unknown;
  readonly problem: ClusterProblem | undefined;
  readonly dueMs: number;
}

const NOT_READ_YET = { code: 'Unreachable', message: 'has not been read yet', blocks: true } as const;

function outcomeOf(
  fact: ClusterFactName,
  detection: Detection<unknown>,
  before: Known | undefined,
): Omit<Known, 'dueMs'> {
  if ('none' in detection) return { value: undefined, problem: undefined };
  if ('value' in detection) {
    const { value, problem } = detection;
    return { value, problem: problem === undefined ? undefined : { fact, ...problem, blocks: false } };
  }
  const { code, message } = detection;
  // No value is an answer too, unless launches were blocked already.
  const wasAnswered = before !== undefined && before.problem?.blocks !== true;
  const isUnanswered = !wasAnswered || (before.value === undefined && ABOUT_THE_VALUE.has(code));
  const blocks =
    (detection.blocks ?? true) && isUnanswered && !(OPTIONAL.has(fact) && code !== 'Unreachable');
  // A thing that is gone is gone; a reader that failed says nothing about the thing, nor about its absence.
  const value = detection.blocks === false ? undefined : before?.value;
  return { value, problem: { fact, code, message, blocks } };
}

/** There is a value, and it cannot be used: an earlier absence is over. */
const ABOUT_THE_VALUE: ReadonlySet<ClusterProblemCode> = new Set(['Ambiguous', 'Malformed', 'Unsupported']);

/** Who may not read these launches without them, as upstream does. */
const OPTIONAL: ReadonlySet<ClusterFactName> = new Set(['diskEncryptionSetId']);

function finderOf(fact: ClusterFactName): Finder<unknown> {
  return FINDERS[fact] as Finder<unknown>;
}

function asDetection(error: unknown): Detection<never> {
  rethrowProgramError(error);
  const said = error instanceof Error ? error.message : String(error);
  const code = CODE_OF_STATUS[statusOf(error) ?? 0] ?? 'Unreachable';
  return { code, message: `cannot be read${code === 'Denied' ? ' with this identity' : ''}: ${said}` };
}

const CODE_OF_STATUS: Readonly<Record<number, ClusterProblemCode>> = {
  403: 'Denied',
  404: 'NotFound',
};

/** Finders overlap in what they read; within a round each question is put once. */
function askOnce(readers: ClusterReaders): Ask {
  const once = <T>(read: () => Promise<T>): (() => Promise<T>) => {
    let answer: Promise<T> | undefined;
    return () => {
      answer ??= read();
      return answer;
    };
  };
  return {
    serverVersion: once(() => readers.serverVersion()),
    managedCluster: once(() => readers.managedCluster()),
    listNetworkSecurityGroups: once(() => readers.listNetworkSecurityGroups()),
    listNodeResourceNames: once(() => readers.listNodeResourceNames()),
    getVirtualNetwork: (id) => readers.getVirtualNetwork(id),
    kubeDnsServiceIP: once(() => readers.kubeDnsServiceIP()),
    clientConfigCA: once(() => readers.clientConfigCA()),
    tlsCA: once(() => readers.tlsCA()),
  };
}
