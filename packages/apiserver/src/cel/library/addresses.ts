/** `ip`, `isIP`, `cidr`, `isCIDR` and their methods. Zones and IPv4-mapped IPv6 addresses are rejected. */
import { type FunctionTable, fn, method, type Overload } from '../overloads.ts';
import { BOOL, CIDR, INT, IP, STRING } from '../types.ts';
import { CelError, noSuchOverload, Opaque } from '../values.ts';

export class IpValue extends Opaque {
  readonly typeName = 'net.IP';
  /** 4 or 16 numbers. */
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  equals(other: Opaque): boolean {
    return other instanceof IpValue && this.text() === other.text();
  }

  text(): string {
    return this.bytes.length === 4 ? this.bytes.join('.') : ipv6Text(this.bytes);
  }
}

export class CidrValue extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly ip: IpValue;
  readonly length: number;

  constructor(ip: IpValue, length: number) {
    super();
    this.ip = ip;
    this.length = length;
  }

  equals(other: Opaque): boolean {
    return other instanceof CidrValue && this.length === other.length && this.ip.equals(other.ip);
  }

  text(): string {
    return `${this.ip.text()}/${this.length}`;
  }

  masked(): CidrValue {
    const bytes = this.ip.bytes.map(
      (byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, this.length - index * 8))) & 0xff,
    );
    return new CidrValue(new IpValue(bytes), this.length);
  }

  contains(ip: IpValue): boolean {
    if (ip.bytes.length !== this.ip.bytes.length) return false;
    return new CidrValue(ip, this.length).masked().ip.equals(this.masked().ip);
  }
}

/** undefined when the text is no address. */
export function parseIp(text: string): IpValue | undefined {
  const bytes = text.includes(':') ? parseIpv6(text) : parseIpv4(text);
  if (bytes === undefined) return undefined;
  const mapped =
    bytes.length === 16 &&
    bytes.slice(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 255 &&
    bytes[11] === 255;
  return mapped ? undefined : new IpValue(bytes);
}

export function parseCidr(text: string): CidrValue | undefined {
  const match = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text);
  const ip = match === null ? undefined : parseIp(match[1]!);
  const length = Number(match?.[2]);
  if (ip === undefined || length > ip.bytes.length * 8) return undefined;
  return new CidrValue(ip, length);
}

export const addresses: FunctionTable = new Map<string, readonly Overload[]>([
  ['ip', [fn([STRING], IP, toIp), method([CIDR], IP, (cidr: CidrValue) => cidr.ip)]],
  ['isIP', [fn([STRING], BOOL, (text: string) => parseIp(text) !== undefined)]],
  ['ip.isCanonical', [fn([STRING], BOOL, (text: string) => toIp(text).text() === text)]],
  ['family', [method([IP], INT, (ip: IpValue) => (ip.bytes.length === 4 ? 4n : 6n))]],
  ['isUnspecified', [method([IP], BOOL, isUnspecified)]],
  ['isLoopback', [method([IP], BOOL, isLoopback)]],
  ['isLinkLocalMulticast', [method([IP], BOOL, isLinkLocalMulticast)]],
  ['isLinkLocalUnicast', [method([IP], BOOL, isLinkLocalUnicast)]],
  ['isGlobalUnicast', [method([IP], BOOL, isGlobalUnicast)]],
  ['cidr', [fn([STRING], CIDR, toCidr)]],
  ['isCIDR', [fn([STRING], BOOL, (text: string) => parseCidr(text) !== undefined)]],
  [
    'containsIP',
    [
      method([CIDR, STRING], BOOL, (cidr: CidrValue, ip: string) => cidr.contains(known(parseIp(ip)))),
      method([CIDR, IP], BOOL, (cidr: CidrValue, ip: IpValue) => cidr.contains(ip)),
    ],
  ],
  [
    'containsCIDR',
    [
      method([CIDR, STRING], BOOL, (cidr: CidrValue, other: string) =>
        containsCidr(cidr, known(parseCidr(other))),
      ),
      method([CIDR, CIDR], BOOL, containsCidr),
    ],
  ],
  ['prefixLength', [method([CIDR], INT, (cidr: CidrValue) => BigInt(cidr.length))]],
  ['masked', [method([CIDR], CIDR, (cidr: CidrValue) => cidr.masked())]],
  [
    'string',
    [fn([IP], STRING, (ip: IpValue) => ip.text()), fn([CIDR], STRING, (cidr: CidrValue) => cidr.text())],
  ],
]);

// ---------------------------------------------------------------------------------------------------

function toIp(text: string): IpValue {
  const ip = parseIp(text);
  if (ip === undefined)
    throw new CelError(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
  return ip;
}

function toCidr(text: string): CidrValue {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new CelError('network address parse error during conversion from string');
  return cidr;
}

/** Where a string is used as an address, an invalid one gives the error of a type mismatch. */
function known<T>(value: T | undefined): T {
  if (value === undefined) throw noSuchOverload();
  return value;
}

function parseIpv4(text: string): number[] | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  const dotted = /^(.*:)([\d.]+)$/.exec(text);
  if (dotted !== null && dotted[2]!.includes('.')) {
    const tail = parseIpv4(dotted[2]!);
    if (tail === undefined) return undefined;
    const groups = [tail[0]! * 256 + tail[1]!, tail[2]! * 256 + tail[3]!].map((group) => group.toString(16));
    return parseIpv6(dotted[1]! + groups.join(':'));
  }
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head!.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [
    ...head!,
    ...Array.from({ length: tail === undefined ? 0 : missing }, () => '0'),
    ...(tail ?? []),
  ];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** RFC 5952: lower case, the longest run of zero groups (of two or more) as `::`. */
function ipv6Text(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes[index * 2]! * 256 + bytes[index * 2 + 1]!);
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start < 0) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}

function isUnspecified(ip: IpValue): boolean {
  return ip.bytes.every((byte) => byte === 0);
}

function isLoopback({ bytes }: IpValue): boolean {
  return bytes.length === 4
    ? bytes[0] === 127
    : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

function isLinkLocalMulticast({ bytes }: IpValue): boolean {
  if (bytes.length === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
}

function isLinkLocalUnicast({ bytes }: IpValue): boolean {
  if (bytes.length === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
}

function isGlobalUnicast(ip: IpValue): boolean {
  const { bytes } = ip;
  const multicast = bytes.length === 4 ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;
  const broadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return !(multicast || broadcast || isUnspecified(ip) || isLoopback(ip) || isLinkLocalUnicast(ip));
}

function containsCidr(cidr: CidrValue, other: CidrValue): boolean {
  return cidr.length <= other.length && cidr.contains(other.ip);
}
