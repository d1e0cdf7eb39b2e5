/** The addresses and address families of a service: they must agree before any are given out. */
import type { V1ServiceSpec } from '@kubernetes/client-node';
import { BAD_ADDRESS, isAddress, isIpv6Address } from '../validation/addresses.ts';
import type { FieldErrors } from '../validation/field-errors.ts';

export function checkClusterAddresses(spec: V1ServiceSpec, errors: FieldErrors): void {
  const addresses = spec.clusterIPs ?? [];
  if (spec.clusterIP) {
    if (addresses.length === 0) errors.required(IPS);
    else if (addresses[0] !== spec.clusterIP)
      errors.invalid(IPS, addresses, 'first value must match `clusterIP`');
  } else if (addresses.length > 0) {
    errors.invalid(IPS, addresses, 'must be empty when `clusterIP` is not specified');
  }
  checkFamilies(spec, errors);
  const headless = addresses[0] === 'None';
  if (headless && addresses.length > 1)
    errors.invalid(IPS, addresses, "'None' must be the first and only value");
  const known = errors.list.length;
  addresses.forEach((address, index) => {
    if (index === 0 && headless) return;
    if (!isAddress(address)) errors.invalid(`${IPS}[${index}]`, address, BAD_ADDRESS);
  });
  if (addresses.length > 2) errors.invalid(IPS, addresses, 'may only hold up to 2 values');
  if (errors.list.length > known || headless) return;
  checkAgreement(spec, addresses, errors);
}

// ---------------------------------------------------------------------------------------------------

const IPS = 'spec.clusterIPs';
const FAMILIES = ['IPv4', 'IPv6'];
const FAMILY_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

function checkFamilies(spec: V1ServiceSpec, errors: FieldErrors): void {
  const seen = new Set<string>();
  (spec.ipFamilies ?? []).forEach((family, index) => {
    const at = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.notSupported(at, family, FAMILIES);
    if (seen.has(family)) errors.duplicate(at, family);
    seen.add(family);
  });
  const policy = spec.ipFamilyPolicy;
  if (policy !== undefined && !FAMILY_POLICIES.includes(policy)) {
    errors.notSupported('spec.ipFamilyPolicy', policy, FAMILY_POLICIES);
  }
}

function checkAgreement(spec: V1ServiceSpec, addresses: readonly string[], errors: FieldErrors): void {
  if (addresses.length > 1 && isIpv6Address(addresses[0]) === isIpv6Address(addresses[1])) {
    errors.invalid(IPS, addresses, 'may specify no more than one IP for each IP family');
  }
  addresses.forEach((address, index) => {
    const family = spec.ipFamilies?.[index];
    if (family === undefined || (family === 'IPv6') === isIpv6Address(address)) return;
    errors.invalid(
      `${IPS}[${index}]`,
      address,
      `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
    );
  });
}
