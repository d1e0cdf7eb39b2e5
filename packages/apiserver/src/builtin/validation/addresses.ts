/** IP addresses and ranges, as plain checks. */
import { isIP, isIPv4, isIPv6 } from 'node:net';

export function isAddress(text: string | undefined): boolean {
  return text !== undefined && isIP(text) !== 0;
}

export function isIpv4Address(text: string | undefined): boolean {
  return text !== undefined && isIPv4(text);
}

export function isIpv6Address(text: string | undefined): boolean {
  return text !== undefined && isIPv6(text);
}

export function isCidr(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  if (rest.length > 0 || prefix === undefined || !/^\d{1,3}$/.test(prefix)) return false;
  const version = isIP(address ?? '');
  return version !== 0 && Number(prefix) <= (version === 4 ? 32 : 128);
}

export const BAD_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
export const BAD_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
