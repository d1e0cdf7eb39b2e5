/**
 * Zones that the cluster is shifted away from, by name. EC2 may leave out instances of an impaired zone, and may not be able to
 * end them: what it does not show there may well exist.
 */
import type { Stored } from '@chandler/kube';
import { AwsLabel, type NodeClaim } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

import { SHIFTED_RETRY_MS, type ZonalShiftReader } from '../offerings/index.ts';
import { parseProviderId } from './provider-id.ts';

export interface KnownZone {
  readonly zone: string;
  readonly zoneId: string | undefined;
}

export class ShiftedZones {
  readonly #shift: Pick<ZonalShiftReader, 'isShifted' | 'zones'>;
  /** By name: the same name is another zone in another account. */
  readonly #ids = new Map<string, string>();

  constructor(shift: Pick<ZonalShiftReader, 'isShifted' | 'zones'>) {
    this.#shift = shift;
  }

  observe(zones: readonly KnownZone[]): void {
    for (const { zone, zoneId } of zones) if (zoneId !== undefined) this.#ids.set(zone, zoneId);
  }

  /** Also while its ID is not known: it may be any of them. @param zone its name. */
  has(zone: string | undefined): boolean {
    const id = this.#ids.get(zone ?? '');
    return id === undefined ? this.#shift.zones().length > 0 : this.#shift.isShifted(id);
  }

  /** The ID of a zone; empty where it is not known. */
  idOf(zone: string): string {
    return this.#ids.get(zone) ?? '';
  }

  /** Whether the instance of the claim is there. */
  hasInstanceOf({ metadata, status }: Stored<NodeClaim>): boolean {
    const named = parseProviderId(status?.providerID);
    if (named === undefined) return false;
    const labelled = metadata.labels?.[AwsLabel.zoneId];
    return labelled === undefined ? this.has(named.zone) : this.#shift.isShifted(labelled);
  }

  /** It is not an answer: neither that the instance is gone nor that it exists. */
  error(zone: string, what: string): CloudError {
    return new CloudError('Unreachable', `the cluster is shifted away from zone ${zone}: ${what}`, {
      reason: 'ZoneShifted',
      advice: { retry: 'after', ms: SHIFTED_RETRY_MS },
    });
  }
}
