/**
 * A recording of a run for the page: rows as the page shows them, made after the run from what the servers had, so that the run is the
 * same as without it. What was done to the cluster, faults, killed processes and violations are on its timeline. It has no prices.
 */
import { writeFileSync } from 'node:fs';
import type { KubeObject, Store } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { Recorder, snapshotOf, type wire } from '../../packages/chandler/src/dashboard/index.ts';
import { TestModel } from '../../packages/chandler/src/dashboard/testing.ts';
import type { ObservedChange, TruthKind } from './server-state/kube-state.ts';
import { START_MS } from './servers.ts';

export class RunRecording {
  readonly #steps: Step[] = [];

  /** Of an object, as the API server had it. */
  change(change: ObservedChange, atMs: number): void {
    if (isShown(change)) this.#steps.push({ atMs, change });
  }

  /** Of the record of the run. */
  line(line: string): void {
    const happened = happenedIn(line);
    if (happened !== undefined) this.#steps.push({ atMs: happened.atMs - START_MS, happened });
  }

  async write(file: string, cluster: string): Promise<void> {
    const world = virtualWorld({ startMs: START_MS });
    const { clock } = world;
    const shown = new TestModel(world);
    const { model } = shown;
    await clock.during(model.start());
    const recorder = await Recorder.start({
      log: model.log,
      clock,
      head: { program: 'fault simulation', cluster },
      snapshot: () => clock.during(snapshotOf(model, clock)),
      maxBytes: MAX_BYTES,
    });
    const stores: Partial<Record<TruthKind, Store>> = {
      nodes: shown.nodes as unknown as Store,
      claims: shown.claims as unknown as Store,
      pools: shown.pools as unknown as Store,
      pods: shown.pods as unknown as Store,
      events: shown.events,
    };
    for (const { atMs, change, happened } of this.#steps) {
      if (atMs > clock.monotonic()) await clock.advance(atMs - clock.monotonic());
      if (happened !== undefined) model.log.append([['happened', happened]]);
      if (change === undefined) continue;
      const store = stores[change.kind]!;
      const { name = '', namespace } = change.object.metadata;
      const key = namespace === undefined ? { name } : { namespace, name };
      if (change.type !== 'DELETED') shown.put(store, change.object as KubeObject);
      else if (store.get(key) !== undefined) shown.remove(store, name, namespace);
    }
    // What changed last is in the rows a moment later.
    await clock.advance(LAST_MS);
    recorder.stop();
    model.stop();
    writeFileSync(file, [...recorder.lines()].join(''));
  }
}

// ---------------------------------------------------------------------------------------------------

interface Step {
  readonly atMs: number;
  readonly change?: ObservedChange;
  readonly happened?: wire.Happened;
}

const MAX_BYTES = 128 * 1024 * 1024;
const LAST_MS = 2_000;
const SHOWN: ReadonlySet<TruthKind> = new Set<TruthKind>(['nodes', 'claims', 'pools', 'pods', 'events']);
/** As the page watches them: of pods it reads none. */
const EVENTS_OF = /^(Node|NodeClaim|NodePool|\w*NodeClass)$/;

function isShown({ kind, object }: ObservedChange): boolean {
  if (kind !== 'events') return SHOWN.has(kind);
  const { involvedObject } = object as unknown as { readonly involvedObject?: { readonly kind?: string } };
  return EVENTS_OF.test(involvedObject?.kind ?? '');
}

/** Which lines are on the timeline; the first that matches. */
const LINES: readonly {
  readonly line: RegExp;
  readonly what: wire.Happened['what'];
  readonly reason: string;
}[] = [
  { line: /^checker +WRONG/, what: 'failure', reason: 'Violation' },
  { line: /^story +deed/, what: 'event', reason: 'Workload' },
  { line: /^story +(calm|quiet)/, what: 'event', reason: 'FaultsEnded' },
  { line: /^network +fault/, what: 'failure', reason: 'Fault' },
  { line: /^\S+ +(blow|killed)/, what: 'interruption', reason: 'ProcessFault' },
  { line: /^\S+ +start/, what: 'registered', reason: 'ProcessStarted' },
];

function happenedIn(line: string): wire.Happened | undefined {
  const [, seconds, rest] = /^ *([\d.]+) (.*)$/.exec(line) ?? [];
  const row = rest === undefined ? undefined : LINES.find((each) => each.line.test(rest));
  if (row === undefined || rest === undefined) return undefined;
  const [who = '', kind = '', ...words] = rest.split(/ +/);
  return {
    atMs: START_MS + Math.round(Number(seconds) * 1000),
    what: row.what,
    subject: `Run/${who}`,
    reason: row.reason,
    text: `${kind} ${words.join(' ')}`.trim().slice(0, 300),
    warning: row.reason === 'Violation',
  };
}
