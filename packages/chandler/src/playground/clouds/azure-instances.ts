/** The VMs of a simulated Azure with their prices by its price list, independent of the prices that the controller assumes. */
import type { RunningAzure } from '@chandler/cloudsim/azure';
import type { CloudInstance } from './playground-cloud.ts';

export function azureInstances(running: RunningAzure): () => readonly CloudInstance[] {
  const { arm } = running;
  const prices = new Map<string, number>();
  const priceOf = (size: string, spot: boolean) => {
    const key = `${size}/${spot}`;
    const known = prices.get(key);
    if (known !== undefined) return known;
    const price = listPrice(running, size, spot);
    prices.set(key, price);
    return price;
  };
  return () =>
    arm.resources.vms().flatMap(({ id, name }) => {
      const vm = arm.vms.vm(id);
      return vm === undefined ? [] : [{ name, nodeName: name, pricePerHour: priceOf(vm.size, vm.spot) }];
    });
}

// ---------------------------------------------------------------------------------------------------

function listPrice({ arm, azure }: RunningAzure, size: string, spot: boolean): number {
  const filter = `armRegionName eq '${arm.settings.region}' and armSkuName eq '${size}' and priceType eq 'Consumption'`;
  const meter = azure.catalogue.prices
    .page({ filter, url: arm.url })
    .Items.find(
      ({ productName, skuName }) =>
        !productName.endsWith(' Windows') &&
        !skuName.endsWith(' Low Priority') &&
        skuName.endsWith(' Spot') === spot,
    );
  return meter?.retailPrice ?? 0;
}
