/** What the VMs cost according to Azure's price list, independent of the prices that the controller assumes. */
import type { RunningAzure } from '@chandler/cloudsim/azure';

export interface Cost {
  readonly vms: number;
  readonly perHour: number;
  /** Price of one VM, by its name. */
  readonly perHourOf: (vm: string) => number | undefined;
}

export class CostMeter {
  readonly #azure: RunningAzure;
  readonly #prices = new Map<string, number>();

  constructor(azure: RunningAzure) {
    this.#azure = azure;
  }

  read(): Cost {
    const byVm = new Map<string, number>();
    for (const { id, name } of this.#azure.arm.resources.vms()) {
      const vm = this.#azure.arm.vms.vm(id);
      if (vm !== undefined) byVm.set(name, this.#priceOf(vm.size, vm.spot));
    }
    const perHour = [...byVm.values()].reduce((sum, price) => sum + price, 0);
    return { vms: byVm.size, perHour, perHourOf: (vm) => byVm.get(vm) };
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
