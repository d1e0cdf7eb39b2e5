/** Printer columns that nearly every kind has, under the same names, so that `kubectl get` reads alike for all. */
import type { PrinterColumn } from '../schema/crd.ts';

/** The status of the condition that sums up the others. */
export function readyColumn(description: string): PrinterColumn {
  return conditionColumn('Ready', description);
}

export function conditionColumn(type: string, description: string): PrinterColumn {
  const jsonPath = `.status.conditions[?(@.type=="${type}")].status`;
  return { name: type, type: 'string', jsonPath, description };
}

export function ageColumn(what: string): PrinterColumn {
  return {
    name: 'Age',
    type: 'date',
    jsonPath: '.metadata.creationTimestamp',
    description: `How old the ${what} is.`,
  };
}
