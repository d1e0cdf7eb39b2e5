/** Amounts and sentences that all renderings share. */
import { Quantity } from '@chandler/kube';
import type { Packing, Summary } from './report.ts';

/** `$12.40`, with more digits for small amounts. */
export function money(amount: number): string {
  return `$${amount.toFixed(Math.abs(amount) < 1 && amount !== 0 ? 3 : 2)}`;
}

/** `$12.40/h, at most 2.1 % above the lowest possible price`. */
export function priceSentence({ pricePerHour, bound, nodes }: Summary): string {
  if (nodes === 0) return 'No new nodes needed';
  const price = `${money(pricePerHour)}/h`;
  if (bound === null) return price;
  if (bound.gapPercent === null) return `${price}; no lower bound is known`;
  if (bound.gapPercent < 0.05) return `${price}, the lowest possible price`;
  return `${price}, at most ${bound.gapPercent.toFixed(1)} % above the lowest possible price`;
}

/** `Preferences of pods cost $1.20/h of it (10.7 %): $11.20/h without them`; nothing when no pod has any. */
export function preferenceSentence({ preferences, nodes }: Summary): string | undefined {
  if (preferences === null || nodes === 0) return undefined;
  const { withoutPerHour, costPerHour, costPercent, ignoredPods } = preferences;
  const ignored = ignoredPods === 0 ? '' : `; those of ${count(ignoredPods, 'pod')} are ignored`;
  if (costPerHour === 0) return `Preferences of pods cost nothing${ignored}`;
  const percent = costPercent === null ? '' : ` (${costPercent.toFixed(1)} %)`;
  return `Preferences of pods cost ${money(costPerHour)}/h of it${percent}: ${money(withoutPerHour)}/h without them${ignored}`;
}

export function podSentence({ pods, placed, placedOnExisting, refused, nodes }: Summary): string {
  if (pods === 0) return 'No pending pods';
  const launched = `${placed - placedOnExisting} of ${count(pods, 'pod')} on ${count(nodes, 'new node')}`;
  const existing = placedOnExisting === 0 ? '' : `, ${placedOnExisting} on existing nodes`;
  const none = refused === 0 ? '' : `, ${refused} unschedulable`;
  return `${launched}${existing}${none}`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** `3.5`, `13.2Gi`, `7`: short, for bars and tables. */
export function amountText(resource: string, amount: number): string {
  if (resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')) {
    return amount >= GIB ? `${trimmed(amount / GIB)}Gi` : `${trimmed(amount / MIB)}Mi`;
  }
  return Number.isInteger(amount) ? Quantity.of(amount).toString() : trimmed(amount);
}

export function packingText({ percent }: Packing): string {
  return `${Math.round(percent)}%`;
}

// ---------------------------------------------------------------------------------------------------------------

const MIB = 2 ** 20;
const GIB = 2 ** 30;

function trimmed(value: number): string {
  return String(Number(value.toFixed(value < 10 ? 2 : 1)));
}
