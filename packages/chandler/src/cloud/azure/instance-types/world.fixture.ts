/** An instance type provider over sizes of a test's choice, with prices, quota and memory that can be changed. */
import { virtualWorld } from '@chandler/kube/testing';
import type { AKSNodeClass, AKSNodeClassSpec, AKSNodeClassStatus } from '../../../api/index.ts';
import { hardcoded } from '../../../settings/index.ts';
import { UnavailableOfferings } from '../../index.ts';

import type { ResourceSku } from '../sizes/index.ts';
import { REGION } from '../sizes/skus.fixture.ts';
import type { BuyableCapacityType, QuotaRefusal } from './offerings.ts';
import type { InstanceTypeOptions } from './parameters.ts';
import { InstanceTypeProvider } from './provider.ts';

export const OPTIONS: InstanceTypeOptions = {
  vmMemoryOverheadPercent: hardcoded(0.075),
  networkPlugin: hardcoded('azure'),
  networkPluginMode: hardcoded('overlay'),
  nodeResourceGroup: hardcoded('MC_test(rg)_cluster'),
};

export function aNodeClass(spec: AKSNodeClassSpec = {}, status: AKSNodeClassStatus = {}): AKSNodeClass {
  return {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default' },
    spec,
    status,
  };
}

export interface ProviderSetup {
  readonly options?: InstanceTypeOptions;
  readonly listSkus?: () => Promise<Iterable<ResourceSku>>;
}

export function aProvider(skus: readonly ResourceSku[], setup: ProviderSetup = {}) {
  const world = virtualWorld();
  const prices = {
    sequence: 0,
    byName: new Map<string, number>(),
    price(name: string, capacityType: BuyableCapacityType): number {
      const price = this.byName.get(name) ?? 1;
      return capacityType === 'spot' ? price / 4 : price;
    },
  };
  const quota = {
    sequence: 0,
    refused: new Map<string, QuotaRefusal>(),
    refusal(family: string): QuotaRefusal | undefined {
      return this.refused.get(family);
    },
  };
  const unavailable = new UnavailableOfferings({ clock: world.clock });
  const provider = new InstanceTypeProvider({
    region: REGION,
    clock: world.clock,
    log: world.log,
    options: setup.options ?? OPTIONS,
    listSkus: setup.listSkus ?? (() => Promise.resolve(skus)),
    prices,
    quota,
    unavailable,
  });
  if (skus.length > 0) provider.refresh(skus);
  return { provider, prices, quota, unavailable, world };
}
