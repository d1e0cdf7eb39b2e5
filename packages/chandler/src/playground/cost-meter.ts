/** What the machines cost by Azure's price list: the bill as its sender sees it, not as the controller thinks it is. */
import type { RunningAzure } from '@chandler/cloudsim/azure';

export interface Bill {
  readonly machines: number;
  readonly perHour: number;
  /** By the name of the VM. */
  readonly perHourOf: (vm: string) => number | undefined;
}

export class Bills {
  readonly #azure: RunningAzure;
  readonly #prices = new Map<string, number>();

  constructor(azure: RunningAzure) {
    this.#azure = azure;
  }

  now(): Bill {
    const byVm = new Map<string, number>();
    for (const { id, name } of this.#azure.arm.resources.vms()) {
      const vm = this.#azure.arm.vms.vm(id);
      if (vm !== undefined) byVm.set(name, this.#priceOf(vm.size, vm.spot));
    }
    const perHour = [...byVm.values()].reduce((sum, price) => sum + price, 0);
    return { machines: byVm.size, perHour, perHourOf: (vm) => byVm.get(vm) };
  }

  #priceOf(size: string, spot: boolean): number {
    const key = `${size}/${spot}`;
    const known = this.#prices.get(key);
    if (known !== undefined) return known;
    const { azure, arm } = this.#azure;
    const filter = `armRegionName eq '${arm.settings.region}' and armSkuName eq '${size}' and priceType eq 'Consumption'`;
    const meter = azure.catalogue.prices
      .page({ filter, url: arm.url })
      .Items.find(
        ({ productName, skuName }) =>
          !productName.endsWith(' Windows') &&
          !skuName.endsWith(' Low Priority') &&
          skuName.endsWith(' Spot') === spot,
      );
    const price = meter?.retailPrice ?? 0;
    this.#prices.set(key, price);
    return price;
  }
}
