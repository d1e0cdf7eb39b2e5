/** Decodes the open `kubelet` map of a class as strictly as the kubelet's own types: unknown fields and wrong types. */
import { isDuration, isQuantity } from '@chandler/kube';
import { closestName } from '../../../settings/index.ts';

import { type FieldType, KUBELET_FIELDS } from './kubelet-fields.table.ts';

export interface TypeProblem {
  /** Below `spec.kubelet`: `logging.verbosity`. */
  readonly field: string;
  readonly message: string;
}

/** All of them, in the order of the map. A null is a field that is not set. */
export function kubeletTypeProblems(kubelet: unknown): readonly TypeProblem[] {
  return problemsOf(kubelet, KUBELET_FIELDS, '');
}

// ---------------------------------------------------------------------------------------------------------------

const SCALARS: Readonly<
  Record<Extract<FieldType, string>, { readonly name: string; readonly fits: (value: unknown) => boolean }>
> = {
  text: { name: 'a string', fits: (value) => typeof value === 'string' },
  flag: { name: 'true or false', fits: (value) => typeof value === 'boolean' },
  integer: { name: 'an integer', fits: Number.isInteger },
  number: { name: 'a number', fits: (value) => typeof value === 'number' },
  duration: { name: 'a duration such as 1m30s', fits: isDuration },
  durationOrInteger: {
    name: 'a duration such as 5s, or nanoseconds',
    fits: (value) => isDuration(value) || Number.isInteger(value),
  },
  amount: {
    name: 'a quantity such as 1Gi',
    fits: (value) => typeof value === 'number' || (typeof value === 'string' && isQuantity(value)),
  },
};

function problemsOf(value: unknown, type: FieldType, field: string): readonly TypeProblem[] {
  if (value === null || value === undefined) return [];
  if (typeof type === 'string') {
    const { name, fits } = SCALARS[type];
    return fits(value) ? [] : [{ field, message: `must be ${name}, not ${JSON.stringify(value)}` }];
  }
  if ('listOf' in type) {
    if (!Array.isArray(value)) return [{ field, message: 'must be a list' }];
    return value.flatMap((item, index) => problemsOf(item, type.listOf, `${field}[${index}]`));
  }
  if (typeof value !== 'object' || Array.isArray(value)) return [{ field, message: 'must be an object' }];
  const prefix = field === '' ? '' : `${field}.`;
  return Object.entries(value).flatMap(([name, inner]) => {
    if ('mapOf' in type) return problemsOf(inner, type.mapOf, prefix + name);
    const known = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
    if (known !== undefined) return problemsOf(inner, known, prefix + name);
    const guess = closestName(name, Object.keys(type.fields));
    return [
      {
        field: prefix + name,
        message: `is no field of the kubelet's configuration${guess === undefined ? '' : `; did you mean ${guess}?`}`,
      },
    ];
  });
}
