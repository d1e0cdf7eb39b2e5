/**
 * Turns a capacity error into entries of the unavailable offerings: which zones and capacity types
 * of the failed size a row of the error table covers.
 */
import type { UnavailableOfferings } from '../../index.ts';
import { REGIONAL_ZONE } from '../sizes/index.ts';
import type { Block } from './error-rows.ts';

/** The offering that failed, and what else of its size there is. */
export interface FailedOffering {
  readonly instanceType: string;
  /** The family in which Azure counts quota. */
  readonly family: string;
  readonly vcpus: number;
  readonly zone: string;
  readonly capacityType: string;
  /** Every zone in which the size is offered, the regional one among them. */
  readonly zones: readonly string[];
}

export function blockOfferings(
  memory: UnavailableOfferings,
  block: Block,
  failed: FailedOffering,
  reason: string,
  text: string,
): void {
  const capacityTypes = block.capacityTypes === 'both' ? ['on-demand', 'spot'] : [failed.capacityType];
  if (block.what === 'spot') {
    memory.markCapacityType('spot', ttlOf(block, 'spot', text), reason);
    return;
  }
  if (block.what === 'cores') {
    const ttlMs = ttlOf(block, failed.capacityType, text);
    for (const capacityType of capacityTypes) memory.markCores(capacityType, failed.vcpus, ttlMs, reason);
    return;
  }
  for (const zone of zonesOf(block.what, failed)) {
    for (const capacityType of capacityTypes) {
      const { instanceType, family, vcpus } = failed;
      const ttlMs = ttlOf(block, failed.capacityType, text);
      memory.mark({ instanceType, family, vcpus, zone, capacityType }, ttlMs, reason);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function zonesOf(what: 'type' | 'scope' | 'zone', failed: FailedOffering): readonly string[] {
  switch (what) {
    case 'zone':
      return [failed.zone];
    case 'type':
      return failed.zones;
    case 'scope': {
      const regional = failed.zone === REGIONAL_ZONE;
      const same = failed.zones.filter((zone) => (zone === REGIONAL_ZONE) === regional);
      return same.length === 0 ? [failed.zone] : same;
    }
  }
}

function ttlOf(block: Block, capacityType: string, text: string): number {
  const { when, spot, onDemand } = block.ttlMs;
  if (when !== undefined && text.includes(when.says)) return when.ms;
  return capacityType === 'spot' ? spot : onDemand;
}
