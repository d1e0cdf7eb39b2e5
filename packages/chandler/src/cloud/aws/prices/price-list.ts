/**
 * What a type costs on demand, and on spot in each zone. On demand: what was read last, else a built-in table of the
 * region, else that of us-east-1. Spot: before the first answer the price on demand; after it, only what was read. What to
 * ask AWS for and when, the wire decides; a list that could not be read is not given to this one, and changes nothing.
 */
import { builtInPrices } from './built-in-prices.ts';

export interface PriceReader {
  /** Grows when a price has changed. */
  readonly sequence: number;
  /** Per hour, in the currency of the partition; nothing where it is not known. */
  onDemand(instanceType: string): number | undefined;
  spot(instanceType: string, zone: string): number | undefined;
  /** The price that a NodeOverlay gives a type without one. */
  overlay?(instanceType: string): number | undefined;
}

export interface SpotPrice {
  readonly instanceType: string;
  readonly zone: string;
  readonly price: number;
}

export class PriceList implements PriceReader {
  readonly #builtIn: ReadonlyMap<string, number>;
  readonly #onDemand = new Map<string, number>();
  /** By type and zone; undefined before the first answer. */
  #spot: Map<string, Map<string, number>> | undefined;
  #overlays: ReadonlyMap<string, number> = new Map();
  #sequence = 0;

  constructor(region: string) {
    this.#builtIn = builtInPrices(region).prices;
  }

  get sequence(): number {
    return this.#sequence;
  }

  onDemand(instanceType: string): number | undefined {
    return this.#onDemand.get(instanceType) ?? this.#builtIn.get(instanceType);
  }

  spot(instanceType: string, zone: string): number | undefined {
    return this.#spot === undefined ? this.onDemand(instanceType) : this.#spot.get(instanceType)?.get(zone);
  }

  overlay(instanceType: string): number | undefined {
    return this.#overlays.get(instanceType);
  }

  /**
   * Prices that are not in the list stay as they were.
   * @param metal those of bare metal, which Pricing lists apart.
   * @returns false when one of the lists is empty: then the answer is not complete, and is not used.
   */
  updateOnDemand(shared: ReadonlyMap<string, number>, metal: ReadonlyMap<string, number>): boolean {
    if (shared.size === 0 || metal.size === 0) return false;
    let changed = false;
    for (const prices of [shared, metal]) {
      for (const [name, price] of prices) {
        changed ||= this.onDemand(name) !== price;
        this.#onDemand.set(name, price);
      }
    }
    if (changed) this.#sequence += 1;
    return true;
  }

  /** Zones and types that are not in the list keep their price. @returns false for an empty list, which is not used. */
  updateSpot(prices: readonly SpotPrice[]): boolean {
    if (prices.length === 0) return false;
    let changed = this.#spot === undefined;
    this.#spot ??= new Map();
    for (const { instanceType, zone, price } of prices) {
      const zones = this.#spot.get(instanceType) ?? new Map<string, number>();
      changed ||= zones.get(zone) !== price;
      zones.set(zone, price);
      this.#spot.set(instanceType, zones);
    }
    if (changed) this.#sequence += 1;
    return true;
  }

  /** Of valid NodeOverlays that name instance types and nothing else. */
  updateOverlays(prices: ReadonlyMap<string, number>): void {
    const isSame =
      prices.size === this.#overlays.size &&
      [...prices].every(([name, price]) => this.#overlays.get(name) === price);
    this.#overlays = prices;
    if (!isSame) this.#sequence += 1;
  }
}
