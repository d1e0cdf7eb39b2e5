/**
 * How many cores the subscription may still use, per family of sizes and in the region. Azure is asked every ten
 * minutes; figures older than fifteen are forgotten, and what is not known is allowed: quota is a hint, Azure
 * decides. Only the families decide what is offered (`refusal`); the totals of the region, and VMs that were
 * requested since the last figures, decide what is tried first (`hasQuota`).
 */
import type { Clock, Log } from '@chandler/kube';
import type { BuyableCapacityType, QuotaReader, QuotaRefusal } from '../instance-types/offerings.ts';

/** The wire object of the compute usages list; `Usage` of the SDK fits. */
export interface ComputeUsage {
  readonly name?: { readonly value?: string };
  readonly limit?: number;
  readonly currentValue?: number;
}

export interface QuotaUsageInput {
  readonly clock: Clock;
  readonly log: Log;
  /** All pages. */
  readonly listUsages: () => Promise<Iterable<ComputeUsage>>;
}

export const QUOTA_REFRESH_MS: number = 10 * 60_000;
export const QUOTA_TTL_MS: number = 15 * 60_000;
/** After a failed look. */
export const QUOTA_RETRY_MS: number = 60_000;

/** All cores of the region, on demand. */
const REGIONAL_CORES = 'cores';
const SPOT_CORES = 'lowprioritycores';

export class QuotaUsage implements QuotaReader {
  readonly #input: QuotaUsageInput;
  #usages: ReadonlyMap<string, KnownUsage> = new Map();
  #launched: Launched[] = [];
  /** Cores of `#launched`, by counter. */
  readonly #launchedCores = new Map<string, number>();
  #sequence = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<boolean> | undefined;

  constructor(input: QuotaUsageInput) {
    this.#input = input;
  }

  get sequence(): number {
    this.#dropOld();
    return this.#sequence;
  }

  /** On the monotonic clock. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  /**
   * Asks Azure when it is time, once however many ask. Whether it did.
   * @throws what `listUsages` throws; the figures that are known stay until they are too old.
   */
  refreshIfDue(): Promise<boolean> {
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (this.#input.clock.monotonic() < this.#dueAtMs) return Promise.resolve(false);
    this.#refreshing = this.#refreshFromAzure().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** @param askedAtMs when the request was sent: VMs requested since then are not in the figures. */
  refresh(usages: Iterable<ComputeUsage>, askedAtMs: number = this.#input.clock.monotonic()): void {
    const fresh = new Map<string, KnownUsage>();
    for (const { name, limit, currentValue } of usages) {
      if (name?.value === undefined || limit === undefined || currentValue === undefined) continue;
      fresh.set(name.value.toLowerCase(), { limit, used: currentValue });
    }
    this.#readAtMs = this.#input.clock.monotonic();
    this.#dueAtMs = this.#readAtMs + QUOTA_REFRESH_MS;
    this.#keepLaunched(askedAtMs);
    if (sameUsages(fresh, this.#usages)) return;
    this.#usages = fresh;
    this.#sequence += 1;
  }

  refusal(family: string, vcpus: number): QuotaRefusal | undefined {
    this.#dropOld();
    return refusalOf(this.#usages.get(family.toLowerCase()), family, vcpus, 0);
  }

  /** Whether a VM of this size would be let in now, as far as is known. */
  hasQuota(family: string, vcpus: number, capacityType: BuyableCapacityType): boolean {
    this.#dropOld();
    const counters = capacityType === 'spot' ? [SPOT_CORES] : [family.toLowerCase(), REGIONAL_CORES];
    return counters.every((counter) => {
      const launched = this.#launchedCores.get(counter) ?? 0;
      return refusalOf(this.#usages.get(counter), counter, vcpus, launched) === undefined;
    });
  }

  /** A VM was requested: it counts until the next figures, which include it. */
  launched(family: string, vcpus: number, capacityType: BuyableCapacityType): void {
    this.#dropOld();
    const counters = capacityType === 'spot' ? [SPOT_CORES] : [family.toLowerCase(), REGIONAL_CORES];
    this.#launched.push({ counters, vcpus, atMs: this.#input.clock.monotonic() });
    this.#addCores(counters, vcpus);
  }

  #keepLaunched(sinceMs: number): void {
    if (this.#launched.length === 0 || this.#launched[0]!.atMs >= sinceMs) return;
    this.#launched = this.#launched.filter(({ atMs }) => atMs >= sinceMs);
    this.#launchedCores.clear();
    for (const { counters, vcpus } of this.#launched) this.#addCores(counters, vcpus);
  }

  #addCores(counters: readonly string[], vcpus: number): void {
    for (const counter of counters)
      this.#launchedCores.set(counter, (this.#launchedCores.get(counter) ?? 0) + vcpus);
  }

  #dropOld(): void {
    const oldest = this.#input.clock.monotonic() - QUOTA_TTL_MS;
    this.#keepLaunched(oldest);
    if (this.#usages.size === 0 || this.#readAtMs >= oldest) return;
    this.#usages = new Map();
    this.#sequence += 1;
    this.#input.log.warn('ignoring outdated quota usage', { ttlMs: QUOTA_TTL_MS });
  }

  async #refreshFromAzure(): Promise<boolean> {
    const askedAtMs = this.#input.clock.monotonic();
    try {
      this.refresh(await this.#input.listUsages(), askedAtMs);
      return true;
    } catch (error) {
      this.#dueAtMs = this.#input.clock.monotonic() + QUOTA_RETRY_MS;
      throw error;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface KnownUsage {
  readonly limit: number;
  readonly used: number;
}

interface Launched {
  readonly counters: readonly string[];
  readonly vcpus: number;
  readonly atMs: number;
}

function refusalOf(
  usage: KnownUsage | undefined,
  family: string,
  needed: number,
  launched: number,
): QuotaRefusal | undefined {
  if (usage === undefined || needed <= usage.limit - usage.used - launched) return undefined;
  return { code: 'QuotaExceeded', family, limit: usage.limit, used: usage.used + launched, needed };
}

function sameUsages(first: ReadonlyMap<string, KnownUsage>, second: ReadonlyMap<string, KnownUsage>) {
  if (first.size !== second.size) return false;
  for (const [name, { limit, used }] of first) {
    const other = second.get(name);
    if (other?.limit !== limit || other.used !== used) return false;
  }
  return true;
}
