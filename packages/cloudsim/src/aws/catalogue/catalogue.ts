/**
 * What a region offers: instance types with their zones and prices, and how much of each is in stock. The numbers come from
 * instance-types.table.ts.
 */
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { AwsSettings } from '../settings.ts';
import { INSTANCE_TYPE_ROWS } from './instance-types.table.ts';

export interface OfferedType {
  readonly info: InstanceTypeInfo;
  readonly name: string;
  /** Names of the zones. */
  readonly zones: readonly string[];
  readonly usdPerHour: number;
  readonly vCpus: number;
  readonly architecture: string;
}

export interface CatalogueOptions {
  /** Only these types, by name or pattern of the form `m5.*`. Default: all of the table. */
  readonly types?: readonly string[];
  /** Types that the table does not have, or has otherwise. */
  readonly extraTypes?: readonly {
    readonly info: InstanceTypeInfo;
    readonly zones?: readonly string[];
    readonly usdPerHour: number;
  }[];
}

export class Catalogue {
  readonly #types = new Map<string, OfferedType>();
  readonly #spotPrices = new Map<string, number>();
  readonly #stock = new Map<string, number>();

  constructor({ region, zones }: AwsSettings, options: CatalogueOptions = {}) {
    for (const row of INSTANCE_TYPE_ROWS) {
      const info = JSON.parse(row.info) as InstanceTypeInfo;
      if (
        options.types !== undefined &&
        !options.types.some((pattern) => isLike(pattern, info.InstanceType!))
      )
        continue;
      const offered = zones
        .map(({ name }) => name)
        .filter((name) => row.zones.includes(name.slice(region.length)));
      this.#add(info, offered, row.usdPerHour);
    }
    for (const { info, zones: where, usdPerHour } of options.extraTypes ?? [])
      this.#add(info, where ?? zones.map(({ name }) => name), usdPerHour);
  }

  all(): readonly OfferedType[] {
    return [...this.#types.values()];
  }

  find(name: string): OfferedType | undefined {
    return this.#types.get(name);
  }

  /** In USD per hour. About a third of the on-demand price, another share in each zone. */
  spotPrice(type: OfferedType, zone: string): number {
    const set = this.#spotPrices.get(`${type.name} ${zone}`);
    if (set !== undefined) return set;
    const share = 0.28 + 0.04 * (zone.charCodeAt(zone.length - 1) % 4);
    return Math.round(type.usdPerHour * share * 10_000) / 10_000;
  }

  setSpotPrice(type: string, zone: string, usdPerHour: number): void {
    this.#spotPrices.set(`${type} ${zone}`, usdPerHour);
  }

  /** How many more instances of the type the zone can hold; `*` is any type. Without a limit there is no end. */
  setStock(
    type: string,
    zone: string,
    capacity: 'spot' | 'on-demand' | '*',
    instances: number | undefined,
  ): void {
    const key = `${type} ${zone} ${capacity}`;
    if (instances === undefined) this.#stock.delete(key);
    else this.#stock.set(key, instances);
  }

  inStock(type: string, zone: string, capacity: 'spot' | 'on-demand'): boolean {
    return this.#limits(type, zone, capacity).every((key) => (this.#stock.get(key) ?? 1) > 0);
  }

  /** One instance leaves the stock, or returns to it. */
  changeStock(type: string, zone: string, capacity: 'spot' | 'on-demand', by: 1 | -1): void {
    for (const key of this.#limits(type, zone, capacity)) {
      const left = this.#stock.get(key);
      if (left !== undefined) this.#stock.set(key, left + by);
    }
  }

  #limits(type: string, zone: string, capacity: string): readonly string[] {
    return [type, '*'].flatMap((one) => [`${one} ${zone} ${capacity}`, `${one} ${zone} *`]);
  }

  #add(info: InstanceTypeInfo, zones: readonly string[], usdPerHour: number): void {
    const name = info.InstanceType!;
    this.#types.set(name, {
      info,
      name,
      zones,
      usdPerHour,
      vCpus: info.VCpuInfo?.DefaultVCpus ?? 1,
      architecture: info.ProcessorInfo?.SupportedArchitectures?.find((each) => each !== 'i386') ?? 'x86_64',
    });
  }
}

// ---------------------------------------------------------------------------------------------------

function isLike(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
