/** A subnet and its addresses: AWS keeps the first four and the last one of every block. */
import type { Subnet, Tag } from './records.ts';

export class SubnetRecord {
  readonly id: string;
  readonly vpcId: string;
  readonly zone: string;
  /** Whether instances reach the API server: the route table has a way out. */
  routed = true;
  /** Where that way leads. */
  gateway: 'nat' | 'internet' | 'transit' = 'nat';
  /** Whether what it leads to is gone. */
  blackhole = false;
  #subnet: Subnet;
  readonly #first: number;
  readonly #size: number;
  readonly #used = new Set<number>();
  #next = RESERVED_FIRST;
  /** Addresses that something else holds. */
  occupied = 0;

  constructor(subnet: Subnet & { readonly SubnetId: string; readonly CidrBlock: string }) {
    this.#subnet = subnet;
    this.id = subnet.SubnetId;
    this.vpcId = subnet.VpcId ?? '';
    this.zone = subnet.AvailabilityZone ?? '';
    const [address = '', bits = ''] = subnet.CidrBlock.split('/');
    this.#first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    this.#size = 2 ** (32 - Number(bits));
  }

  get tags(): readonly Tag[] {
    return this.#subnet.Tags ?? [];
  }

  set tags(tags: readonly Tag[]) {
    this.#subnet = { ...this.#subnet, Tags: [...tags] };
  }

  get free(): number {
    return Math.max(0, this.#size - RESERVED - this.#used.size - this.occupied);
  }

  /** Undefined: none is free. */
  take(): string | undefined {
    if (this.free === 0) return undefined;
    const last = this.#size - 1;
    while (this.#used.has(this.#next)) this.#next = this.#next + 1 < last ? this.#next + 1 : RESERVED_FIRST;
    const offset = this.#next;
    this.#used.add(offset);
    this.#next = offset + 1 < last ? offset + 1 : RESERVED_FIRST;
    return addressText(this.#first + offset);
  }

  release(address: string): void {
    this.#used.delete(address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) - this.#first);
  }

  /** As the API shows it. */
  shown(): Subnet {
    return { ...this.#subnet, AvailableIpAddressCount: this.free };
  }
}

// ---------------------------------------------------------------------------------------------------

const RESERVED = 5;
const RESERVED_FIRST = 4;

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
