/**
 * How many pods a node may have. Every pod has an address of one of the node's interfaces, unless the class says another
 * number or the family does not use them.
 */
import type { NetworkInterface } from '../../../api/index.ts';

import { AMI_FAMILY_TRAITS } from './ami-families.table.ts';
import type { CniSettings } from './cni.ts';
import { defaultCard, type UsableInstanceType } from './instance-type-info.ts';
import type { Parameters } from './parameters.ts';

/** What pods the interfaces of the default card have addresses for; 0 when no interface is left for pods. */
export function eniPods(
  info: UsableInstanceType,
  reservedEnis: number,
  interfaces: readonly NetworkInterface[] | undefined,
): number {
  return podsWith(usableEnis(info, reservedEnis, interfaces), info.NetworkInfo.Ipv4AddressesPerInterface - 1);
}

/** With prefixes instead of addresses; AWS recommends no more than 110 pods, or 250 from 30 vCPUs on. */
export function prefixPods(
  info: UsableInstanceType,
  reservedEnis: number,
  interfaces: readonly NetworkInterface[] | undefined,
): number {
  const slots = info.NetworkInfo.Ipv4AddressesPerInterface - 1;
  const pods = podsWith(usableEnis(info, reservedEnis, interfaces), slots * ADDRESSES_PER_PREFIX);
  return Math.min(pods, info.VCpuInfo.DefaultVCpus < LARGE_VCPUS ? MAX_PODS_SMALL : MAX_PODS_LARGE);
}

/** For how many pods a node has addresses, whatever its kubelet allows. */
export function addressedPods(
  info: UsableInstanceType,
  { prefixDelegation, customNetworking }: CniSettings,
): number {
  const slots = info.NetworkInfo.Ipv4AddressesPerInterface - 1;
  const addresses = prefixDelegation && takesPrefixes(info) ? slots * ADDRESSES_PER_PREFIX : slots;
  return podsWith(usableEnis(info, customNetworking ? 1 : 0, undefined), addresses);
}

export function podsOf(info: UsableInstanceType, parameters: Parameters): number {
  const { podsPerCore = 0 } = parameters.kubelet;
  const pods = podsBeforeCores(info, parameters);
  return podsPerCore > 0 && AMI_FAMILY_TRAITS[parameters.amiFamily].podsPerCore
    ? Math.min(podsPerCore * info.VCpuInfo.DefaultVCpus, pods)
    : pods;
}

// ---------------------------------------------------------------------------------------------------------------

/** Pods of the host network, which need no address: the CNI and kube-proxy. */
const HOST_NETWORK_PODS = 2;
const ADDRESSES_PER_PREFIX = 16;
const LARGE_VCPUS = 30;
const MAX_PODS_SMALL = 110;
const MAX_PODS_LARGE = 250;
/** Where the interfaces do not limit them. */
const DEFAULT_MAX_PODS = 110;

function podsBeforeCores(info: UsableInstanceType, parameters: Parameters): number {
  const { kubelet, amiFamily, reservedEnis, networkInterfaces, prefixDelegation } = parameters;
  if (kubelet.maxPods !== undefined) return kubelet.maxPods;
  if (!AMI_FAMILY_TRAITS[amiFamily].eniLimitedPods) return DEFAULT_MAX_PODS;
  if (prefixDelegation && takesPrefixes(info)) return prefixPods(info, reservedEnis, networkInterfaces);
  return eniPods(info, reservedEnis, networkInterfaces);
}

function takesPrefixes({ Hypervisor, BareMetal }: UsableInstanceType): boolean {
  return Hypervisor === 'nitro' || BareMetal === true;
}

/** An interface for EFA alone takes the place of one with addresses. */
function usableEnis(
  info: UsableInstanceType,
  reservedEnis: number,
  interfaces: readonly NetworkInterface[] | undefined,
): number {
  const all = defaultCard(info)?.MaximumNetworkInterfaces ?? 0;
  const efaOnly = (interfaces ?? []).filter(
    ({ networkCardIndex, interfaceType }) => networkCardIndex === 0 && interfaceType === 'efa-only',
  );
  return Math.max(0, all - reservedEnis - efaOnly.length);
}

function podsWith(enis: number, podsPerEni: number): number {
  return enis === 0 ? 0 : enis * podsPerEni + HOST_NETWORK_PODS;
}
