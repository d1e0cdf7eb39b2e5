/** What the causes make of evidence in tests: with the tables of AWS. */

import { type Evidence, type Finding, findCauses } from '../../../causes/index.ts';
import { evidence } from '../../../causes/testing.ts';
import { causesOf } from '../../../diagnose/index.ts';

import { awsDiagnosis } from '../diagnosis.ts';

const TABLES = causesOf(awsDiagnosis());

export function findings(...records: readonly Evidence[]): readonly Finding[] {
  return findCauses(TABLES, evidence(records));
}

/** Everything that was found, in order, with its weight. */
export function weights(...records: readonly Evidence[]): readonly (readonly [string, string])[] {
  return findings(...records).map(({ id, weight }) => [id, weight]);
}
