/**
 * Which offering to launch for a NodeClaim: all that match, the best first. The order is the same for the same claim at
 * the same time: by price, spot before on-demand, zonal before regional, by the size's name. Zones cost the same, so
 * there the claim's name decides: claims spread over the zones, and a claim that is tried again asks in the same zone.
 * What quota says no to comes last: the figures are minutes old, and Azure has the last word.
 */
import { parseQuantity } from '@chandler/kube';
import { AzureLabel, type ResourceList } from '../../../api/index.ts';
import { Algebra, type LabelRequirement, type Requirement } from '../../../scheduling/index.ts';
import { CloudError } from '../../index.ts';

import type { AzureInstanceType } from './instance-type.ts';
import type { AzureOffering, BuyableCapacityType } from './offerings.ts';

export interface RankRequest {
  readonly types: readonly AzureInstanceType[];
  /** Of the claim. */
  readonly requirements: readonly LabelRequirement[];
  /** What the claim asks for in sum. */
  readonly requests?: ResourceList | undefined;
  /** Spreads claims over zones. */
  readonly claimName: string;
  /** Whether quota is left now, VMs requested since the last figures included. */
  readonly hasQuota?: (family: string, vcpus: number, capacityType: BuyableCapacityType) => boolean;
}

export interface RankedOffering {
  readonly type: AzureInstanceType;
  readonly offering: AzureOffering;
  /** The last known figures say that Azure will refuse. */
  readonly overQuota: boolean;
}

/** @throws {CloudError} for a requirement that is none. */
export function rankOfferings(request: RankRequest): readonly RankedOffering[] {
  const wanted = new Wanted(request.requirements);
  const fits = fitTest(request.requests);
  const zoneRank = zoneRanks(request.claimName);
  const ranked: Ranked[] = [];
  for (const type of request.types) {
    if (!wanted.allows(type.requirements) || !fits(type)) continue;
    for (const offering of type.offerings) {
      if (offering.available === false || !wanted.allows(offering.requirements)) continue;
      const { family, vcpus } = type.sku;
      const overQuota = request.hasQuota?.(family, vcpus, offering.capacityType) === false;
      const spread = zoneRank(offering.zone);
      ranked.push({ type, offering, overQuota, spread });
    }
  }
  return ranked.sort(compare).map(({ type, offering, overQuota }) => ({ type, offering, overQuota }));
}

/** Whether the claim insists on a VM that can have ultra disks: it requires true, and does not accept false. */
export function wantsUltraSsd(requirements: readonly LabelRequirement[]): boolean {
  const wanted = new Wanted(requirements.filter(({ key }) => key === AzureLabel.skuStorageUltraSsd));
  const value = (text: string): LabelRequirement[] => [
    { key: AzureLabel.skuStorageUltraSsd, operator: 'In', values: [text] },
  ];
  return wanted.allows(value('true')) && !wanted.allows(value('false'));
}

// ---------------------------------------------------------------------------------------------------------------

interface Ranked extends RankedOffering {
  readonly spread: number;
}

function compare(first: Ranked, second: Ranked): number {
  return (
    Number(first.overQuota) - Number(second.overQuota) ||
    first.offering.price - second.offering.price ||
    Number(second.offering.capacityType === 'spot') - Number(first.offering.capacityType === 'spot') ||
    Number(second.offering.placementScope === 'zonal') - Number(first.offering.placementScope === 'zonal') ||
    byText(first.type.name, second.type.name) ||
    first.spread - second.spread ||
    byText(first.offering.zone, second.offering.zone)
  );
}

function byText(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** The claim's requirements, ready to be compared with many lists. Only the labels that the claim names are compared. */
class Wanted {
  readonly #algebra = new Algebra();
  readonly #byKey = new Map<string, Requirement>();
  /** The same few requirements stand in many lists. */
  readonly #answers = new Map<LabelRequirement, boolean>();

  constructor(requirements: readonly LabelRequirement[]) {
    for (const requirement of requirements) {
      const parsed = this.#parse(requirement);
      const known = this.#byKey.get(requirement.key);
      this.#byKey.set(requirement.key, known === undefined ? parsed : this.#algebra.meet(known, parsed));
    }
  }

  allows(list: readonly LabelRequirement[]): boolean {
    for (const requirement of list) {
      const wanted = this.#byKey.get(requirement.key);
      if (wanted === undefined) continue;
      const { operator, values } = requirement;
      const listed = operator === 'In' && values !== undefined && values.length > 0;
      if (!(listed ? this.#hasOneOf(wanted, values) : this.#overlaps(wanted, requirement))) return false;
    }
    return true;
  }

  #overlaps(wanted: Requirement, requirement: LabelRequirement): boolean {
    const known = this.#answers.get(requirement);
    if (known !== undefined) return known;
    const answer = this.#algebra.overlaps(wanted, this.#parse(requirement));
    this.#answers.set(requirement, answer);
    return answer;
  }

  /** Labels of a size are lists of values, nearly always: looking these up is quicker than combining two sets. */
  #hasOneOf(wanted: Requirement, values: readonly string[]): boolean {
    return values.some((value) => this.#algebra.has(wanted, this.#algebra.labels.value(wanted.key, value)));
  }

  #parse({ key, operator, values }: LabelRequirement): Requirement {
    const parsed = this.#algebra.parse(key, operator, values);
    if (!('problem' in parsed)) return parsed;
    throw new CloudError('CreateFailed', `requirement ${key} of the claim: ${parsed.problem}`, {
      reason: 'InvalidRequirement',
      advice: { retry: 'never' },
    });
  }
}

function fitTest(requests: ResourceList | undefined): (type: AzureInstanceType) => boolean {
  const wanted = Object.entries(requests ?? {})
    .map(([name, amount]) => ({ name, amount: parseQuantity(amount) }))
    .filter(({ amount }) => !amount.isZero());
  return ({ allocatable }) =>
    wanted.every(({ name, amount }) => amount.compare(parseQuantity(allocatable[name] ?? 0)) <= 0);
}

/** An order of the zones that is the claim's own. */
function zoneRanks(claimName: string): (zone: string) => number {
  const known = new Map<string, number>();
  return (zone) => {
    const rank = known.get(zone) ?? hash(`${zone}/${claimName}`);
    known.set(zone, rank);
    return rank;
  };
}

/** FNV-1a with 32 bits. The zone comes first in the text, so that every character of the name mixes it. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  // The last characters reach only some of the bits.
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  return (sum ^ (sum >>> 13)) >>> 0;
}
