/** What the causes make of evidence in tests: with the tables of Azure, and as ids. */

import { type Evidence, type Finding, findCauses } from '../../causes/index.ts';
import { evidence } from '../../causes/testing.ts';
import { azureDiagnosis } from '../../cloud/azure/index.ts';

import { causesOf } from './index.ts';

export const TABLES = causesOf(azureDiagnosis());

export function findings(...records: readonly Evidence[]): readonly Finding[] {
  return findCauses(TABLES, evidence(records));
}

/** The id at the top. */
export function verdict(...records: readonly Evidence[]): string | undefined {
  return findings(...records)[0]?.id;
}

/** Everything that is broken, in order. */
export function broken(...records: readonly Evidence[]): readonly string[] {
  return findings(...records)
    .filter(({ weight }) => weight === 'broken')
    .map(({ id }) => id);
}
