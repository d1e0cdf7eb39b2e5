/**
 * Checks that a reflector loses no event. Thousands of writes go to a server that is reset, stalled, compacted and restarted
 * meanwhile; every written version must have been reported to the store's listeners, or be in a range
 * that a new list covered, and in the end store and server must agree. Takes any server that can be started,
 * stopped (keeping its objects) and compacted.
 */
import {
  type ClosableTransport,
  CONFIG_MAPS,
  type ConfigMap,
  compareVersions,
  type Endpoint,
  isApiError,
  KubeClient,
  type Random,
  Reflector,
  Store,
  type Stored,
  systemClock,
  undiciTransport,
} from '@chandler/kube';
import { seededRandom, virtualWorld } from '@chandler/kube/testing';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface FaultyServer {
  /** Gives the port on 127.0.0.1; may differ from one start to the next. */
  start(): Promise<number>;
  stop(): Promise<void>;
  /** Compacts the history: earlier watches must be answered with 410. */
  compact(): Promise<void>;
  /** How to talk to it at this port, its own or a proxy's. */
  endpoint(port: number): Endpoint;
}

export interface NoLossOptions {
  readonly server: FaultyServer;
  readonly writes: number;
  readonly seed: number;
  readonly namespace: string;
  readonly faults: readonly Fault[];
}

export type Fault = 'reset' | 'compact' | 'slow reader' | 'restart';

export interface NoLossReport {
  readonly acknowledged: number;
  readonly reported: number;
  readonly lists: number;
  readonly faults: Readonly<Record<Fault, number>>;
  /** Versions that were not reported and that no list covered. Must be empty. */
  readonly lost: readonly string[];
  /** Changes that went backwards or were reported twice. Must be empty. */
  readonly disorder: readonly string[];
  /** Objects on which store and server disagree in the end. Must be empty. */
  readonly differences: readonly string[];
}

export async function runNoLoss(options: NoLossOptions): Promise<NoLossReport> {
  const { server, writes, seed, namespace } = options;
  const random = seededRandom(seed);
  const port = await server.start();
  const proxies = { writer: await startTcpProxy(port), reader: await startTcpProxy(port) };
  const wires = [
    undiciTransport(server.endpoint(proxies.writer.port)),
    undiciTransport(server.endpoint(proxies.reader.port)),
  ];
  const [writer, reader] = wires as [ClosableTransport, ClosableTransport];
  const observer = new Observer(new KubeClient({ transport: reader.send }), namespace);
  await observer.reflector.synced;
  const counts: Record<Fault, number> = { reset: 0, compact: 0, 'slow reader': 0, restart: 0 };
  const tally = new Writer(new KubeClient({ transport: writer.send }), namespace, random);
  const every = Math.max(1, Math.floor(writes / (options.faults.length * 12 || 1)));
  for (let done = 0; done < writes; done += WRITERS) {
    await Promise.all(Array.from({ length: WRITERS }, (_, lane) => tally.write(lane)));
    if (options.faults.length > 0 && Math.floor(done / every) !== Math.floor((done + WRITERS) / every)) {
      const fault = options.faults[Math.floor(random.next() * options.faults.length)]!;
      counts[fault] += 1;
      await inject(fault, server, proxies);
    }
  }
  proxies.reader.resume();
  const truth = await untilAgreed(new KubeClient({ transport: writer.send }), observer, namespace);
  await observer.reflector.stop();
  for (const wire of wires) await wire.close();
  for (const proxy of Object.values(proxies)) await proxy.close();
  await server.stop();
  return {
    acknowledged: tally.acknowledged.length,
    reported: observer.reported.size,
    lists: observer.covered.length,
    faults: counts,
    lost: tally.acknowledged.filter((version) => !observer.knows(version)),
    disorder: observer.disorder,
    differences: truth,
  };
}

// ------------------------------------------------------------------------------------------------

const WRITERS = 8;
const NAMES_PER_WRITER = 12;

async function inject(
  fault: Fault,
  server: FaultyServer,
  proxies: { writer: TcpProxy; reader: TcpProxy },
): Promise<void> {
  proxies.reader.resume();
  if (fault === 'reset') proxies.reader.reset();
  if (fault === 'slow reader') proxies.reader.stall();
  if (fault === 'compact') {
    proxies.reader.reset();
    await server.compact();
  }
  if (fault === 'restart') {
    await server.stop();
    const port = await server.start();
    for (const proxy of Object.values(proxies)) proxy.retarget(port);
  }
}

/** Creates, changes and deletes; each lane has names of its own, so that it knows what it did. */
class Writer {
  readonly acknowledged: string[] = [];
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #random: Random;
  readonly #known = new Map<string, Stored<ConfigMap> | undefined>();
  #count = 0;

  constructor(client: KubeClient, namespace: string, random: Random) {
    this.#client = client;
    this.#namespace = namespace;
    this.#random = random;
  }

  async write(lane: number): Promise<void> {
    const name = `no-loss-${lane}-${Math.floor(this.#random.next() * NAMES_PER_WRITER)}`;
    const remove = this.#random.next() < 0.15;
    const value = String(++this.#count);
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#once(name, remove, value);
        return;
      } catch (error) {
        if (
          !isApiError(error, 'unreachable', 'unavailable', 'timeout', 'conflict', 'notFound') ||
          attempt > 200
        )
          throw error;
        await systemClock.sleep(20);
      }
    }
  }

  async #once(name: string, remove: boolean, value: string): Promise<void> {
    const key = { namespace: this.#namespace, name };
    // What an attempt that failed did to the object is unknown: only the server can say.
    const known = this.#known.has(name) ? this.#known.get(name) : await this.#client.find(CONFIG_MAPS, key);
    this.#known.delete(name);
    if (remove) {
      if (known) await this.#client.delete(CONFIG_MAPS, key);
      this.#known.set(name, undefined);
      return;
    }
    const data = { value, text: 'ü🚀'.repeat(20) };
    const wanted: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data };
    const answer = known
      ? await this.#client.update(CONFIG_MAPS, { ...known, data })
      : await this.#client.create(CONFIG_MAPS, wanted);
    this.#known.set(name, answer);
    this.acknowledged.push(answer.metadata.resourceVersion);
  }
}

/** A store and what was reported to its listeners. */
class Observer {
  readonly store = new Store({ resource: CONFIG_MAPS });
  readonly reflector: Reflector<ConfigMap>;
  readonly reported = new Set<string>();
  readonly disorder: string[] = [];
  /** Stretches of versions that a list jumped over. */
  readonly covered: [string, string][] = [];
  readonly #last = new Map<string, string>();

  constructor(client: KubeClient, namespace: string) {
    this.store.subscribe(({ type, object }) => {
      const { name, resourceVersion } = object.metadata;
      const before = this.#last.get(name);
      if ((before === undefined) !== (type === 'added'))
        this.disorder.push(`${type} ${name}, known: ${before}`);
      if (
        before !== undefined &&
        (compareVersions(resourceVersion, before) ?? 1) < (type === 'deleted' ? 0 : 1)
      ) {
        this.disorder.push(`${type} ${name}: ${before} then ${resourceVersion}`);
      }
      if (type === 'deleted') this.#last.delete(name);
      else this.#last.set(name, resourceVersion);
      this.reported.add(resourceVersion);
    });
    const replacing = this.store.replacing.bind(this.store);
    this.store.replacing = (objects, version) => {
      this.covered.push([this.store.seenVersion ?? '0', version]);
      return replacing(objects, version);
    };
    const world = { ...virtualWorld(), clock: systemClock };
    const backoff = { initialMs: 5, maxMs: 50 };
    this.reflector = new Reflector({
      client,
      store: this.store,
      world,
      namespace,
      pageSize: 7,
      backoff,
      idleTimeoutMs: 30_000,
    });
    this.reflector.start();
  }

  knows(version: string): boolean {
    if (this.reported.has(version)) return true;
    return this.covered.some(
      ([from, to]) => (compareVersions(version, from) ?? 1) > 0 && (compareVersions(version, to) ?? -1) <= 0,
    );
  }
}

async function untilAgreed(client: KubeClient, observer: Observer, namespace: string): Promise<string[]> {
  let differences: string[] = [];
  for (let attempt = 0; attempt < 300; attempt++) {
    const { items } = await client.listAll(CONFIG_MAPS, { namespace });
    const truth = new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    const known = new Map(
      [...observer.store.values()].map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
    const names = [...new Set([...truth.keys(), ...known.keys()])];
    differences = names.filter((name) => truth.get(name) !== known.get(name));
    if (differences.length === 0) return [];
    await systemClock.sleep(50);
  }
  return differences;
}
