/** Node classes, types and lists of types of a test's choice, with prices and memory that can be changed. */
import { virtualWorld } from '@chandler/kube/testing';
import type { EC2NodeClass, EC2NodeClassSpec, EC2NodeClassStatus } from '../../api/index.ts';
import { hardcoded } from '../../settings/index.ts';
import { UnavailableOfferings } from '../index.ts';

import type { InstanceTypeInfo } from './instance-types/instance-type-info.ts';
import { ObservedMemory } from './instance-types/observed-memory.ts';
import { offlineTypes } from './instance-types/offline-types.ts';
import type { InstanceTypeOptions } from './instance-types/parameters.ts';
import { TypeLists } from './instance-types/type-lists.ts';
import { PriceList } from './prices/index.ts';

export const REGION = 'us-east-1';

export const OPTIONS: InstanceTypeOptions = {
  vmMemoryOverheadPercent: hardcoded(0.075),
  reservedEnis: hardcoded(0),
  prefixDelegation: hardcoded(false),
};

export function aNodeClass(
  spec: Partial<EC2NodeClassSpec> = {},
  status: EC2NodeClassStatus = {},
): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ id: 'subnet-a' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      role: 'node',
      ...spec,
    },
    status: {
      subnets: [
        { id: 'subnet-a', zone: 'us-east-1a', zoneID: 'use1-az1' },
        { id: 'subnet-b', zone: 'us-east-1b', zoneID: 'use1-az2' },
      ],
      ...status,
    },
  };
}

/** A type of the built-in table, with other fields. */
export function aType(name: string, fields: Partial<InstanceTypeInfo> = {}): InstanceTypeInfo {
  const known = offlineTypes().find(({ InstanceType }) => InstanceType === name);
  if (known === undefined) throw new Error(`the built-in table has no ${name}`);
  return { ...known, ...fields };
}

export interface ListsSetup {
  readonly options?: InstanceTypeOptions;
  readonly reservedCapacity?: boolean;
  /** Zones that sell every type. */
  readonly zones?: readonly string[];
}

export function aList(types: readonly InstanceTypeInfo[], setup: ListsSetup = {}) {
  const world = virtualWorld();
  const prices = new PriceList(REGION);
  const unavailable = new UnavailableOfferings({ clock: world.clock });
  const observedMemory = new ObservedMemory();
  const reservations = {
    sequence: 0,
    free: new Map<string, number>(),
    freeInstances(id: string): number {
      return this.free.get(id) ?? 0;
    },
  };
  const zonalShift = {
    sequence: 0,
    shifted: new Set<string>(),
    isShifted(zoneId: string): boolean {
      return this.shifted.has(zoneId);
    },
    zones(): readonly string[] {
      return [...this.shifted];
    },
  };
  const lists = new TypeLists({
    region: REGION,
    options: setup.options ?? OPTIONS,
    reservedCapacity: setup.reservedCapacity ?? true,
    prices,
    unavailable,
    observedMemory,
    reservations,
    zonalShift,
  });
  lists.setTypes(types);
  const zones = setup.zones ?? ['us-east-1a', 'us-east-1b', 'us-east-1c'];
  lists.setZones(types.flatMap(({ InstanceType }) => zones.map((Location) => ({ InstanceType, Location }))));
  return { lists, prices, unavailable, observedMemory, reservations, zonalShift, world };
}
