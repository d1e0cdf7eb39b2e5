/**
 * A consolidation costs less: the VMs that a command launches are strictly cheaper than those that it removes, at
 * prices of the moment of the command. Prices are those of the simulated cloud, and of NodeOverlays. A process reads
 * the price list once in twelve hours, so that of a list price every value counts that it had in this run; and until it has read
 * the list it uses the prices that are built in.
 */
import type { CloudPart } from '../../server-state/cloud-state.ts';
import type { ObservedObject } from '../../server-state/kube-state.ts';
import type { Check, MakeCheck, View } from '../check.ts';
import { removedClaim } from './commands.ts';

const TYPE = 'node.kubernetes.io/instance-type';

export const consolidationCostsLess: MakeCheck = (view): Check => {
  const lists = new PriceHistory(view);
  const overlays: OverlayVersion[] = [{ fromMs: Number.NEGATIVE_INFINITY, prices: new Map() }];
  const commands = new Map<string, { readonly vms: Map<string, CloudPart>; readonly markedMs: number }>();
  const nowMs = () => view.servers.world.clock.monotonic();
  const pricesOf = (vm: CloudPart, markedMs: number, unseenMs: number): readonly number[] => {
    const size = vm.type ?? '';
    const current = overlays.filter(
      ({ fromMs }, at) => fromMs <= markedMs && (overlays[at + 1]?.fromMs ?? markedMs) >= markedMs - unseenMs,
    );
    return current.flatMap(({ prices }) => (prices.has(size) ? [prices.get(size)!] : lists.of(vm)));
  };
  return {
    name: 'consolidation costs less',
    periodically: () => lists.note(),
    onKube({ kind }) {
      if (kind !== 'overlays') return;
      overlays.push({ fromMs: nowMs(), prices: overlayPrices(view.kube.list('overlays')) });
    },
    onMark({ command, reason, uid }) {
      const vm = view.cloud.instanceOf(uid);
      if (command === undefined || reason !== 'Underutilized' || vm === undefined) return;
      const known = commands.get(command.id) ?? { vms: new Map<string, CloudPart>(), markedMs: nowMs() };
      commands.set(command.id, known);
      known.vms.set(uid, vm);
    },
    onArrival(traffic) {
      const { command } = removedClaim(view, traffic) ?? {};
      const known = command === undefined ? undefined : commands.get(command.id);
      if (command === undefined || known === undefined || command.launches.length === 0) return undefined;
      commands.delete(command.id);
      const launched = command.launches.flatMap((name) => vmOfClaim(view, name) ?? []);
      if (known.vms.size < command.candidates.length || launched.length < command.launches.length)
        return undefined;
      const sum = (vms: readonly CloudPart[], pick: (...prices: number[]) => number) =>
        vms.reduce((total, vm) => total + pick(...pricesOf(vm, known.markedMs, view.unseenMs)), 0);
      const before = sum([...known.vms.values()], Math.max);
      const after = sum(launched, Math.min);
      if (after >= before)
        view.violated(
          this.name,
          `${command.id} replaces ${textOf([...known.vms.values()])} at ${before.toFixed(4)} by ${textOf(launched)} at ${after.toFixed(4)} per hour`,
        );
      return undefined;
    },
  };
};

// ---------------------------------------------------------------------------------------------------

interface OverlayVersion {
  readonly fromMs: number;
  /** By size. */
  readonly prices: ReadonlyMap<string, number>;
}

/** All prices that a size had in this run. */
class PriceHistory {
  readonly #view: View;
  readonly #prices = new Map<string, Set<number>>();
  #changes = -1;

  constructor(view: View) {
    this.#view = view;
  }

  note(): void {
    const { types, prices } = this.#view.servers.cloud;
    if (prices.changes === this.#changes) return;
    this.#changes = prices.changes;
    for (const { name } of types)
      for (const capacity of ['on-demand', 'spot', 'reserved'] as const) {
        const known = this.#prices.get(`${name} ${capacity}`) ?? new Set();
        for (const price of prices.of(name, capacity)) known.add(price);
        this.#prices.set(`${name} ${capacity}`, known);
      }
  }

  of({ type, capacity }: CloudPart): readonly number[] {
    this.note();
    return [...(this.#prices.get(`${type} ${capacity}`) ?? [])];
  }
}

/** The workloads set prices of single sizes only. */
function overlayPrices(overlays: readonly ObservedObject[]): ReadonlyMap<string, number> {
  return new Map(
    overlays.flatMap(({ spec }) =>
      (spec.requirements as { key: string; values: string[] }[])
        .filter(({ key }) => key === TYPE)
        .flatMap(({ values }) => values.map((size) => [size, Number(spec.price)] as const)),
    ),
  );
}

function vmOfClaim({ kube, cloud }: View, name: string): CloudPart | undefined {
  const claim = kube.get('claims', name);
  return claim === undefined ? undefined : cloud.instanceOf(claim.metadata.uid!);
}

function textOf(vms: readonly CloudPart[]): string {
  return vms.map(({ type, capacity }) => `${type} ${capacity}`).join(' and ');
}
