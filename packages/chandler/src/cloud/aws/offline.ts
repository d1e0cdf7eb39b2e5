/**
 * Instance types from the built-in tables, for verbs that do not read an account: nothing is sold out, prices are the
 * built-in ones, spot prices are estimated, and a class without subnets in its status has one in every zone of the region.
 * Which zone sells a type is that of the table, unless every zone is asked for.
 */
import type { KubeObject } from '@chandler/kube';
import type { EC2NodeClass } from '../../api/index.ts';
import { hardcoded } from '../../settings/index.ts';
import type { CatalogueProvider, CatalogueRequest, SomeSizes } from '../index.ts';

import { type CniSettings, ObservedMemory } from './instance-types/index.ts';
import { isUsable } from './instance-types/instance-type-info.ts';
import { offlineOfferings, offlineTypes } from './instance-types/offline-types.ts';
import { addressedPods } from './instance-types/pod-density.ts';
import { TypeLists, type TypeOffering } from './instance-types/type-lists.ts';
import { ReservationCounts } from './network/reservation-counts.ts';
import { NO_ZONAL_SHIFT } from './offerings/index.ts';
import { PriceList, type PriceReader } from './prices/index.ts';

/** With the defaults of the controller. */
export function offlineCatalogueProvider({
  region,
  howMany,
  reservedCapacity = true,
  everyZone = false,
}: Pick<CatalogueRequest, 'region' | 'howMany' | 'reservedCapacity' | 'everyZone'>): CatalogueProvider {
  const types = offlineTypes();
  const table = offlineOfferings(region);
  // Nobody says here how many instances of a reservation are free, unless the caller has asked EC2.
  const reservations = new ReservationCounts();
  const known = new Map<string, ReturnType<typeof listsIn>>();
  const listsIn = (own: readonly TypeOffering[], reserved: ReadonlySet<string>) => {
    const offerings = own.length === 0 ? table : [...table, ...own];
    const lists = new TypeLists({
      region,
      options: {
        vmMemoryOverheadPercent: hardcoded(0.075),
        reservedEnis: hardcoded(0),
        prefixDelegation: hardcoded(false),
      },
      reservedCapacity,
      prices: withSpotEstimate(new PriceList(region)),
      unavailable: { sequence: 0, why: () => undefined },
      observedMemory: new ObservedMemory(),
      reservations,
      zonalShift: NO_ZONAL_SHIFT,
    });
    const sold = new Set(offerings.map(({ InstanceType }) => InstanceType));
    const inRegion = types.filter(({ InstanceType }) => sold.has(InstanceType));
    lists.setTypes(howMany === 'all' ? inRegion : chosen(inRegion, howMany, reserved));
    lists.setZones(offerings);
    return { lists, subnets: subnetsOf(offerings) };
  };
  return {
    instanceTypes: (nodeClass, free = new Map()) => {
      reservations.observe([...free].map(([id, freeInstances]) => ({ id, freeInstances })));
      const { zones, reserved } = everyZone ? placesOf(nodeClass) : NO_PLACES;
      const key = JSON.stringify([zones, reserved]);
      const found =
        known.get(key) ??
        listsIn(
          [...inEvery(zones, table), ...reserved],
          new Set(reserved.map(({ InstanceType }) => InstanceType)),
        );
      known.set(key, found);
      return found.lists.forNodeClass(withSubnets(nodeClass, found.subnets));
    },
  };
}

export interface PodAddresses {
  readonly vCpus: number;
  /** Pods that get an address, those of the host network included. */
  readonly pods: number;
}

/** For how many pods each instance type has addresses with these settings of the VPC CNI, by name. */
export function offlinePodAddresses(cni: CniSettings): ReadonlyMap<string, PodAddresses> {
  return new Map(
    offlineTypes()
      .filter(isUsable)
      .map((info) => [
        info.InstanceType,
        { vCpus: info.VCpuInfo.DefaultVCpus, pods: addressedPods(info, cni) },
      ]),
  );
}

// ---------------------------------------------------------------------------------------------------------------

/** `catalogue.ts` says so in a note. */
const SPOT_SHARE = 0.35;
/** Of the rest, so many are left out for one that stays. */
const EVERY = 16;

type Subnets = NonNullable<NonNullable<EC2NodeClass['status']>['subnets']>;

function withSpotEstimate(prices: PriceList): PriceReader {
  return {
    sequence: 0,
    onDemand: (name) => prices.onDemand(name),
    spot: (name) => {
      const price = prices.onDemand(name);
      return price === undefined ? undefined : Number((price * SPOT_SHARE).toPrecision(6));
    },
  };
}

interface Places {
  /** Of its subnets. */
  readonly zones: readonly string[];
  readonly reserved: readonly (TypeOffering & { readonly InstanceType: string })[];
}

const NO_PLACES: Places = { zones: [], reserved: [] };

function placesOf(nodeClass: KubeObject | undefined): Places {
  const { subnets = [], capacityReservations = [] } = (nodeClass as EC2NodeClass | undefined)?.status ?? {};
  return {
    zones: [...new Set(subnets.map(({ zone }) => zone))].sort(),
    reserved: capacityReservations.map(({ instanceType, availabilityZone }) => ({
      InstanceType: instanceType,
      Location: availabilityZone,
    })),
  };
}

/** Every type of the region in each of the zones. */
function inEvery(zones: readonly string[], table: readonly TypeOffering[]): readonly TypeOffering[] {
  const sold = new Set(table.map(({ InstanceType }) => InstanceType));
  return zones.flatMap((Location) => [...sold].map((InstanceType) => ({ InstanceType, Location })));
}

function subnetsOf(offerings: readonly TypeOffering[]): Subnets {
  const zones = new Set(offerings.map(({ Location }) => Location ?? ''));
  return [...zones].sort().map((zone) => ({ id: `subnet-of-${zone}`, zone }));
}

function withSubnets(nodeClass: KubeObject | undefined, subnets: Subnets): EC2NodeClass {
  const own = (nodeClass ?? EMPTY_CLASS) as EC2NodeClass;
  return (own.status?.subnets ?? []).length > 0 ? own : { ...own, status: { ...own.status, subnets } };
}

const EMPTY_CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: '' },
  spec: { amiSelectorTerms: [{ alias: 'al2023@latest' }] },
};

/**
 * The largest of every family, so that what does not fit there fits nowhere, those that are named (`m5.large`, or all of
 * `large`) or reserved, and a few of the rest.
 */
function chosen(
  types: ReturnType<typeof offlineTypes>,
  { named }: SomeSizes,
  reserved: ReadonlySet<string>,
): ReturnType<typeof offlineTypes> {
  const largest = new Map<string, (typeof types)[number]>();
  const amountOf = ({ VCpuInfo, MemoryInfo }: (typeof types)[number]) =>
    (VCpuInfo?.DefaultVCpus ?? 0) * 1e8 + (MemoryInfo?.SizeInMiB ?? 0);
  for (const type of types) {
    const family = type.InstanceType?.split('.')[0] ?? '';
    const known = largest.get(family);
    if (known === undefined || amountOf(type) > amountOf(known)) largest.set(family, type);
  }
  const kept = new Set(largest.values());
  const isNamed = ({ InstanceType: name = '' }: (typeof types)[number]) =>
    named.has(name) || named.has(name.split('.')[1] ?? '') || reserved.has(name);
  return types.filter((type, index) => kept.has(type) || index % EVERY === 0 || isNamed(type));
}
