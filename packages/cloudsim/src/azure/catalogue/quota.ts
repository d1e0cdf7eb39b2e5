/**
 * Core quota: the limits of the families of a region, the cores that VMs use, and the error of Azure when they do not
 * suffice. Limits belong to the subscription; tests and faults may set them at any time.
 */
import type { QuotaCounter, QuotaUse } from '../compute/services.ts';
import { type ArmError, operationNotAllowed } from '../wire/errors.ts';
import { isRegion, regionKey } from './size-family.ts';

/** Quota of all cores of a region, and of all spot cores. */
export const REGIONAL_CORES = 'cores';
export const SPOT_CORES = 'lowPriorityCores';

export interface Usage {
  readonly unit: 'Count';
  readonly currentValue: number;
  readonly limit: number;
  readonly name: { readonly value: string; readonly localizedValue: string };
}

export interface QuotaLimits {
  /** Default 2,000. */
  readonly family?: number;
  /** Default 10,000. */
  readonly regional?: number;
  /** Default 3,000. */
  readonly spot?: number;
}

export class AzureQuota implements QuotaCounter {
  readonly #defaults: Required<QuotaLimits>;
  /** In the spelling of the SKU list. */
  readonly #families: readonly string[];
  readonly #limits = new Map<string, number>();
  /** By VM id. */
  readonly #held = new Map<string, QuotaUse>();
  readonly #used = new Map<string, number>();

  constructor(families: Iterable<string>, defaults: QuotaLimits = {}) {
    this.#families = [...new Set(families)].sort();
    this.#defaults = { family: 2000, regional: 10_000, spot: 3000, ...defaults };
  }

  /** `name` is a family's, `cores` or `lowPriorityCores`. */
  setLimit(region: string, name: string, limit: number): void {
    this.#limits.set(limitKey(region, name), limit);
  }

  limitOf(region: string, name: string): number {
    return this.#limits.get(limitKey(region, name)) ?? this.#defaultOf(name);
  }

  used(region: string, name: string): number {
    return this.#used.get(limitKey(region, name)) ?? 0;
  }

  take(use: QuotaUse): ArmError | undefined {
    if (this.#held.has(use.vmId.toLowerCase())) return undefined;
    for (const name of quotaNamesOf(use)) {
      const limit = this.limitOf(use.region, name);
      const used = this.used(use.region, name);
      if (used + use.size.vCpus > limit) return exceeded(use, name, limit, used);
    }
    this.#held.set(use.vmId.toLowerCase(), use);
    this.#count(use, 1);
    return undefined;
  }

  release(vmId: string): void {
    const use = this.#held.get(vmId.toLowerCase());
    if (use === undefined) return;
    this.#held.delete(vmId.toLowerCase());
    this.#count(use, -1);
  }

  /** The answer of the usages API; undefined: the region does not exist. */
  usages(region: string): Usage[] | undefined {
    if (!isRegion(regionKey(region))) return undefined;
    const row = (value: string, localizedValue: string, limit: number, currentValue: number): Usage => ({
      unit: 'Count',
      currentValue,
      limit,
      name: { value, localizedValue },
    });
    const counted = (value: string, localizedValue: string) =>
      row(value, localizedValue, this.limitOf(region, value), this.used(region, value));
    const machines = this.used(region, MACHINES);
    return [
      row('availabilitySets', 'Availability Sets', 2500, 0),
      counted(REGIONAL_CORES, 'Total Regional vCPUs'),
      row(MACHINES, 'Virtual Machines', 25_000, machines),
      row('virtualMachineScaleSets', 'Virtual Machine Scale Sets', 2500, 0),
      counted(SPOT_CORES, 'Total Regional Low-priority vCPUs'),
      ...this.#families.map((family) => counted(family, displayName(family))),
      row('PremiumDiskCount', 'Premium Storage Managed Disks', 50_000, machines),
      row('StandardSSDDiskCount', 'StandardSSDStorageDisks', 50_000, 0),
    ];
  }

  #count(use: QuotaUse, direction: 1 | -1): void {
    const add = (name: string, amount: number) => {
      const key = limitKey(use.region, name);
      this.#used.set(key, (this.#used.get(key) ?? 0) + direction * amount);
    };
    add(MACHINES, 1);
    for (const name of quotaNamesOf(use)) add(name, use.size.vCpus);
  }

  #defaultOf(name: string): number {
    if (name === REGIONAL_CORES) return this.#defaults.regional;
    return name === SPOT_CORES ? this.#defaults.spot : this.#defaults.family;
  }
}

// ---------------------------------------------------------------------------------------------------

const MACHINES = 'virtualMachines';

function limitKey(region: string, name: string): string {
  return `${regionKey(region)}/${name.toLowerCase()}`;
}

/** In the order in which they are checked. Spot cores are counted in their own pool only. */
function quotaNamesOf(use: QuotaUse): readonly string[] {
  return use.spot ? [SPOT_CORES] : [use.size.family, REGIONAL_CORES];
}

const NAMES_IN_ERRORS: Readonly<Record<string, string>> = {
  [REGIONAL_CORES]: 'Total Regional Cores',
  [SPOT_CORES]: 'LowPriorityCores',
};

function exceeded(use: QuotaUse, name: string, limit: number, used: number): ArmError {
  const called = NAMES_IN_ERRORS[name] ?? `${name} Cores`;
  return operationNotAllowed(
    `Operation could not be completed as it results in exceeding approved ${called} quota. ` +
      `Additional details - Deployment Model: Resource Manager, Location: ${regionKey(use.region)}, ` +
      `Current Limit: ${limit}, Current Usage: ${used}, Additional Required: ${use.size.vCpus}, ` +
      `(Minimum) New Limit Required: ${used + use.size.vCpus}. ` +
      'Setup Alerts when Quota reaches threshold. Learn more at https://aka.ms/quotamonitoringalerting . ' +
      'Please read more about quota limits at https://docs.microsoft.com/en-us/azure/azure-supportability/per-vm-quota-requests',
  );
}

/** `standardDSv5Family` is shown as `Standard DSv5 Family vCPUs`. */
function displayName(family: string): string {
  const spaced = family.replace(
    /^(standard|basic)(?! )/i,
    (tier) => `${tier[0]!.toUpperCase()}${tier.slice(1)} `,
  );
  return `${spaced.replace(/(?<! )Family$/, ' Family')} vCPUs`;
}
