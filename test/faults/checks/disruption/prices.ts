/**
 * A consolidation costs less: the VMs that a command launches are strictly cheaper than those that it removes, at
 * prices of the moment of the command. Prices are those of the simulated cloud, and of NodeOverlays. A process reads
 * the price list once in twelve hours, so that of a list price every value counts that it had in this run; and until it has read
 * the list it uses the prices that are built in.
 */
import { BUILT_IN_PRICES } from '../../../../packages/chandler/src/cloud/azure/testing.ts';
import type { AzurePart } from '../../server-state/azure-state.ts';
import type { ObservedObject } from '../../server-state/kube-state.ts';
import type { Check, MakeCheck, View } from '../check.ts';
import { removedClaim } from './commands.ts';

const TYPE = 'node.kubernetes.io/instance-type';

export const consolidationCostsLess: MakeCheck = (view): Check => {
  const lists = new PriceHistory(view);
  const overlays: OverlayVersion[] = [{ fromMs: Number.NEGATIVE_INFINITY, prices: new Map() }];
  const commands = new Map<string, { readonly vms: Map<string, AzurePart>; readonly markedMs: number }>();
  const nowMs = () => view.servers.world.clock.monotonic();
  const pricesOf = (vm: AzurePart, markedMs: number, unseenMs: number): readonly number[] => {
    const size = vm.size ?? '';
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
      const vm = view.azure.vmOf(uid);
      if (command === undefined || reason !== 'Underutilized' || vm === undefined) return;
      const known = commands.get(command.id) ?? { vms: new Map<string, AzurePart>(), markedMs: nowMs() };
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
      const sum = (vms: readonly AzurePart[], pick: (...prices: number[]) => number) =>
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
    const { sizes, prices } = this.#view.servers.azure.catalogue;
    if (prices.changes === this.#changes) return;
    this.#changes = prices.changes;
    for (const { name } of sizes.all)
      for (const spot of [false, true]) {
        const price = prices.priceOf(name, 'eastus', spot ? 'Spot' : 'Regular');
        const key = `${name} ${spot}`;
        if (price !== undefined) this.#prices.set(key, (this.#prices.get(key) ?? new Set()).add(price));
      }
  }

  of({ size, spot }: AzurePart): readonly number[] {
    this.note();
    const builtIn = BUILT_IN.get(size ?? '');
    return [...(this.#prices.get(`${size} ${spot}`) ?? []), ...(builtIn === undefined ? [] : [builtIn])];
  }
}

const BUILT_IN: ReadonlyMap<string, number> = new Map(
  BUILT_IN_PRICES.flatMap(({ sizes, units, perUnit }) =>
    units.map((unit) => [`Standard_${sizes.replace('#', `${unit}`)}`, perUnit.eastus * unit] as const),
  ),
);

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

function vmOfClaim({ kube, azure }: View, name: string): AzurePart | undefined {
  const claim = kube.get('claims', name);
  return claim === undefined ? undefined : azure.vmOf(claim.metadata.uid!);
}

function textOf(vms: readonly AzurePart[]): string {
  return vms.map(({ size, spot }) => `${size}${spot ? ' spot' : ''}`).join(' and ');
}
