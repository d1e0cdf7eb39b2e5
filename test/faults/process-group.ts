/**
 * The controller processes: a fixed number of replicas, each with its own World and its own network
 * connections. A process that dies or exits is replaced after a delay, as in a cluster. The swarm defines the
 * faults that are injected.
 */
import type { Fetch } from '@chandler/kube';
import { seededRandom } from '@chandler/kube/testing';
import { type Check, isWrite, type Traffic } from './checks/check.ts';
import { type Effect, KillableWorld } from './killable-world.ts';
import type { Network, Server } from './network.ts';
import type { Personality } from './personality.ts';
import { type Process, type Seams, startProcess } from './process.ts';
import type { Record } from './record.ts';
import { bodyOf, methodOf, pathOf, urlOf } from './request.ts';
import type { Servers } from './servers.ts';
import type { ProcessFault } from './swarm.ts';

export interface ProcessGroupOptions {
  readonly seed: number;
  readonly personality: Personality;
  readonly servers: Servers;
  readonly network: Network;
  readonly record: Record;
  readonly checks: readonly Check[];
  readonly replicas: number;
  readonly restartMs: number;
  readonly renewalMs?: number;
  readonly seams: Seams;
  /** Called with the number of effects of all processes so far, and a function that kills this process. */
  readonly onEffect: (effect: Effect, count: number, kill: () => void) => void;
}

interface Slot {
  current: Process | undefined;
  /** The effect at which it is killed. */
  killAt: number | undefined;
}

export class ProcessGroup {
  readonly #options: ProcessGroupOptions;
  readonly #slots: Slot[];
  #started = 0;
  #effects = 0;
  #stopped = false;

  constructor(options: ProcessGroupOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.replicas }, () => ({ current: undefined, killAt: undefined }));
  }

  get effects(): number {
    return this.#effects;
  }

  /** The number of processes started so far. */
  get started(): number {
    return this.#started;
  }

  get leader(): Process | undefined {
    return this.#slots.map(({ current }) => current).find((process) => process?.operator.isLeading);
  }

  start(): void {
    for (const slot of this.#slots) this.#spawn(slot);
  }

  inject(processFault: ProcessFault): void {
    const slot = this.#slots[processFault.victim % this.#slots.length]!;
    const { current } = slot;
    if (current === undefined) return;
    const { record, network, personality } = this.#options;
    const shown =
      'server' in processFault && processFault.server === 'cloud'
        ? { ...processFault, server: personality.wire }
        : processFault;
    record.add(current.world.name, 'blow', JSON.stringify(shown));
    if (processFault.what === 'kill') slot.killAt = current.world.effects + processFault.effects;
    else if (processFault.what === 'freeze') current.world.freeze(processFault.forMs);
    else network.cut(current.world.name, processFault.server, processFault.forMs);
  }

  killAll(): void {
    for (const slot of this.#slots) this.#kill(slot);
  }

  /** No process is killed any more. */
  cancelKills(): void {
    for (const slot of this.#slots) slot.killAt = undefined;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { current } of this.#slots) {
      if (current === undefined) continue;
      // Its last effects can be those at which it is killed; then nothing of it settles any more.
      await Promise.race([current.operator.stop(), current.world.killed]);
      current.world.kill();
    }
  }

  isRunning(name: string): boolean {
    return this.#slots.some(({ current }) => current?.world.name === name);
  }

  #spawn(slot: Slot): void {
    if (this.#stopped) return;
    const { personality, servers, seed, record, seams, renewalMs, onEffect } = this.#options;
    const name = `p${++this.#started}`;
    const world = new KillableWorld({
      base: servers.world,
      name,
      random: seededRandom(seed * 7919 + this.#started),
      onEffect: (effect) => {
        record.add(name, effect.kind, effect.what);
        this.#effects += 1;
        onEffect(effect, this.#effects, () => this.#kill(slot));
        if (effect.number === slot.killAt) this.#kill(slot);
      },
    });
    record.add(name, 'start', '');
    const process = startProcess({
      personality,
      servers,
      world,
      kubeFetch: this.#wire(name, 'kube', servers.kubeFetch),
      cloudFetch: this.#wire(name, 'cloud', servers.cloud.fetch),
      seams,
      ...(renewalMs === undefined ? {} : { renewalMs }),
    });
    slot.current = process;
    void process.ended.then((how) => {
      if (!world.alive || this.#stopped) return;
      record.add(name, 'end', how instanceof Error ? `${how.name}: ${how.message}` : how);
      world.kill();
      this.#respawn(slot);
    });
  }

  #kill(slot: Slot): void {
    const { current } = slot;
    if (current === undefined || !current.world.alive) return;
    this.#options.record.add(current.world.name, 'killed', '');
    current.world.kill();
    this.#respawn(slot);
  }

  #respawn(slot: Slot): void {
    slot.current = undefined;
    slot.killAt = undefined;
    const { servers, restartMs } = this.#options;
    servers.world.clock.after(restartMs, () => this.#spawn(slot));
  }

  /** From a process through the network to a server, with checkers at both ends. */
  #wire(process: string, server: Server, send: Fetch): Fetch {
    const { network, checks, personality } = this.#options;
    const observers = {
      send: checks.filter((check) => check.onSend !== undefined),
      arrival: checks.filter((check) => check.onArrival !== undefined),
      answer: checks.filter((check) => check.onAnswer !== undefined),
    };
    return async (input, init) => {
      const traffic = {
        process,
        server,
        ...(server === 'kube' ? readKube : personality.readCall)(input, init),
      };
      for (const check of observers.send) check.onSend?.(traffic);
      const arrival: Fetch = async (given, rest) => {
        const callbacks = observers.arrival.flatMap((check) => check.onArrival?.(traffic) ?? []);
        const answer = await send(given, rest);
        for (const callback of callbacks) callback(answer.status);
        return answer;
      };
      const answer = await network.carry(traffic, arrival, input, init);
      const text =
        server === 'cloud' && personality.readsText(answer.status, traffic)
          ? await answer.clone().text()
          : '';
      for (const check of observers.answer) check.onAnswer?.(traffic, answer.status, answer.headers, text);
      return answer;
    };
  }
}

// ---------------------------------------------------------------------------------------------------

function readKube(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Omit<Traffic, 'process' | 'server'> {
  const url = urlOf(input);
  const at = url.indexOf('?');
  const method = methodOf(init);
  return {
    method,
    path: pathOf(input),
    query: at < 0 ? '' : url.slice(at),
    body: bodyOf(init),
    writes: isWrite({ method }),
    isSignIn: false,
  };
}
