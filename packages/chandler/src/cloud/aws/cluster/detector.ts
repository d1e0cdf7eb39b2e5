/**
 * Keeps what is known about the cluster and the account: reads what is due on the World's clock, lets options overrule, keeps the last
 * good value when a read fails, and says what is missing. What a value is and where it is looked for is in finders.ts.
 */
import { isIP } from 'node:net';
import type { World } from '@chandler/kube';
import type { Sourced } from '../../../settings/index.ts';
import { partitionOf } from '../wire/index.ts';
import type { AwsClusterFacts, AwsClusterReader } from './facts.ts';
import {
  type Ask,
  type AwsClusterOptions,
  FINDERS,
  type Finder,
  type Finding,
  type FoundName,
  type FoundValues,
  regionOfEndpoint,
  withPlace,
} from './finders.ts';
import { type FindingProblem, isFinal, problemOf, unknownCluster } from './problems.ts';
import type { AwsClusterReaders } from './readers.ts';

export interface AwsClusterDetectorOptions {
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly readers: AwsClusterReaders;
  /** Read at every use: options may change at runtime. */
  readonly options: () => AwsClusterOptions;
  /** When to read again what could not be read. Default 10 s. */
  readonly retryMs?: number;
}

export interface ClusterProblem extends FindingProblem {
  readonly fact: FoundName;
  /** Nothing is launched without this value. Not so when an earlier one is still used, or when there is a way without it. */
  readonly blocks: boolean;
}

export class AwsClusterDetector implements AwsClusterReader {
  readonly #world: Pick<World, 'clock' | 'log'>;
  readonly #readers: AwsClusterReaders;
  readonly #options: () => AwsClusterOptions;
  readonly #retryMs: number;
  readonly #known = new Map<FoundName, Known>();
  #round: Round | undefined;

  constructor(options: AwsClusterDetectorOptions) {
    this.#world = options.world;
    this.#readers = options.readers;
    this.#options = options.options;
    this.#retryMs = options.retryMs ?? 10_000;
  }

  /** Reads what is due; callers at the same time share one round. A failed read is a problem; only a bug or the signal rejects. */
  async refresh(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      this.#round ??= this.#startRound(signal);
      const round = this.#round;
      await orAborted(round.end, signal);
      // Who started it may have left in the middle of it.
      if (!round.signal.aborted) return;
    }
  }

  /** Refreshes until the signal says stop. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.refresh(signal);
        await this.#world.clock.sleep(this.dueInMs(), signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  current(): AwsClusterFacts {
    const problems = this.problems();
    const blocking = problems.filter(({ blocks }) => blocks);
    if (blocking.length > 0) throw unknownCluster(blocking);
    const options = this.#options();
    const one = <N extends FoundName>(name: N) => this.#value(name, options) as FoundValues[N];
    const [serviceCidr, dnsIp, region] = [one('serviceCidr'), one('dnsIp'), one('region')];
    const address = dnsIp.value === '' ? serviceCidr.value.split('/')[0]! : dnsIp.value;
    const cidrProblem = serviceCidr.value === '' && problems.find(({ fact }) => fact === 'serviceCidr');
    return {
      name: options.clusterName,
      endpoint: one('endpoint'),
      caBundle: one('caBundle'),
      serviceCidr,
      dnsIp,
      ipFamily: isIP(address) === 6 ? 'ipv6' : 'ipv4',
      kubernetesVersion: one('kubernetesVersion'),
      region,
      partition: partitionOf(region.value),
      accountId: one('accountId'),
      ...(cidrProblem ? { serviceCidrProblem: cidrProblem } : {}),
    };
  }

  /** Whether the VPC CNI gives nodes prefixes; false while it is not known. */
  prefixDelegation(): Sourced<boolean> {
    return this.#value('prefixDelegation', this.#options()) as Sourced<boolean>;
  }

  /** What is not known, and why. */
  problems(): readonly ClusterProblem[] {
    const options = this.#options();
    const problems = NAMES.flatMap((fact): ClusterProblem[] => {
      if (finderOf(fact).override(options) !== undefined) return [];
      const known = this.#known.get(fact);
      const problem = known === undefined ? NOT_READ_YET : known.problem;
      if (problem === undefined) return [];
      return [{ fact, ...problem, blocks: this.#value(fact, options) === undefined }];
    });
    const place = this.#wrongRegion(options);
    return place === undefined ? problems : [...problems, place];
  }

  /** How long until something is due, at least a millisecond. */
  dueInMs(): number {
    const options = this.#options();
    const nowMs = this.#world.clock.monotonic();
    const due = NAMES.filter((name) => finderOf(name).override(options) === undefined).map(
      (name) => this.#known.get(name)?.dueMs ?? nowMs,
    );
    // An override that is removed makes its value due at once, so that nobody waits longer than this.
    return Math.max(1, Math.min(MAX_PAUSE_MS, ...due.map((dueMs) => dueMs - nowMs)));
  }

  #value(name: FoundName, options: AwsClusterOptions): unknown {
    const { override, isOptional, unknown } = finderOf(name);
    return override(options) ?? this.#known.get(name)?.value ?? (isOptional ? unknown : undefined);
  }

  /** Instances of another region would never join. */
  #wrongRegion(options: AwsClusterOptions): ClusterProblem | undefined {
    const endpoint = this.#value('endpoint', options) as Sourced<string> | undefined;
    const region = this.#value('region', options) as Sourced<string> | undefined;
    const actual = regionOfEndpoint(endpoint?.value ?? '');
    if (actual === undefined || region === undefined || actual === region.value) return undefined;
    const message = `the endpoint of the cluster is in ${actual} (${endpoint!.path}), but the controller works in ${region.value} (${region.path}); set AWS_REGION to ${actual}, or correct CLUSTER_ENDPOINT`;
    return { fact: 'region', code: 'WrongRegion', message, blocks: true };
  }

  #startRound(signal: AbortSignal): Round {
    const end = this.#readDue(signal).finally(() => {
      this.#round = undefined;
    });
    return { signal, end };
  }

  async #readDue(signal: AbortSignal): Promise<void> {
    const options = this.#options();
    const nowMs = this.#world.clock.monotonic();
    const due = NAMES.filter(
      (name) =>
        finderOf(name).override(options) === undefined && (this.#known.get(name)?.dueMs ?? nowMs) <= nowMs,
    );
    const ask = askOnce(this.#readers, options.clusterName.value);
    await Promise.all(due.map((name) => this.#read(name, ask, options, signal)));
  }

  async #read(name: FoundName, ask: Ask, options: AwsClusterOptions, signal: AbortSignal): Promise<void> {
    const finder = finderOf(name);
    const before = this.#known.get(name);
    const finding = await finder.find(ask, options, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      return problemOf(error, finder.cure);
    });
    if (finding === undefined) return;
    const known = outcomeOf(finder, finding, before);
    const { code } = known.problem ?? {};
    const retryMs = code !== undefined && isFinal(code) ? FINAL_RETRY_MS : this.#retryMs;
    const dueMs = this.#world.clock.monotonic() + ('value' in finding ? finder.everyMs : retryMs);
    this.#known.set(name, { ...known, dueMs });
    this.#report(name, before, known);
  }

  #report(fact: FoundName, before: Known | undefined, { value, problem }: Omit<Known, 'dueMs'>): void {
    const { log } = this.#world;
    if (problem === undefined) {
      if (before?.problem !== undefined) log.info('cluster value could be read again', { fact });
      return;
    }
    if (before?.problem?.message === problem.message) return;
    const level = value === undefined && finderOf(fact).isOptional !== true ? 'error' : 'warn';
    log[level]('cluster value could not be detected', { fact, code: problem.code, detail: problem.message });
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Round {
  readonly signal: AbortSignal;
  readonly end: Promise<void>;
}

interface Known {
  readonly value: unknown;
  readonly problem: FindingProblem | undefined;
  readonly dueMs: number;
}

const NAMES = Object.keys(FINDERS) as readonly FoundName[];

const NOT_READ_YET: FindingProblem = { code: 'NotReadYet', message: 'has not been read yet' };

const MAX_PAUSE_MS = 60_000;

/** A permission that was granted, and a cluster that was created, are found within this time. */
const FINAL_RETRY_MS = 60_000;

function finderOf(name: FoundName): Finder<unknown> {
  return FINDERS[name] as Finder<unknown>;
}

/** A read that failed says nothing about the value: an earlier one is still used. */
function outcomeOf(
  { unknown }: Finder<unknown>,
  finding: Finding<unknown>,
  before: Known | undefined,
): Omit<Known, 'dueMs'> {
  if ('value' in finding) return { value: finding.value, problem: finding.problem };
  const { code, message } = finding;
  return { value: before?.value ?? (isFinal(code) ? unknown : undefined), problem: { code, message } };
}

function askOnce(readers: AwsClusterReaders, clusterName: string): Ask {
  const once = <T>(read: (signal: AbortSignal) => Promise<T>) => {
    let answer: Promise<T> | undefined;
    return (signal: AbortSignal) => {
      answer ??= read(signal);
      return answer;
    };
  };
  return {
    region: once((signal) => readers.region(signal)),
    accountId: once((signal) => readers.accountId(signal)),
    serverVersion: once((signal) => readers.serverVersion(signal)),
    kubeDnsIp: once((signal) => readers.kubeDnsIp(signal)),
    clientCa: () => readers.clientCa(),
    cni: once((signal) => readers.cni(signal)),
    eks: once(async (signal) => {
      try {
        return await readers.cluster(clusterName, signal);
      } catch (error) {
        const region = await readers.region(signal).catch(() => undefined);
        throw withPlace(error, clusterName, region?.value);
      }
    }),
  };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
