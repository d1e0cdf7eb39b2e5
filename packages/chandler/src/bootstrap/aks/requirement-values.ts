/**
 * Which values a list of requirements leaves for a label. Bootstrapping asks it for two things only: whether exactly
 * one is left (then it is set on the node), and whether a given one is. Scheduling decides which instances are possible.
 */

export interface ValueRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** The labels for which exactly one value is left. */
export function singleValuedLabels(requirements: readonly ValueRequirement[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const key of new Set(requirements.map((requirement) => requirement.key))) {
    const values = valuesOf(requirements, key);
    if (values?.length === 1) labels[key] = values[0]!;
  }
  return labels;
}

/** The values left, in the order in which they were first listed; undefined where no list limits them. */
export function valuesOf(requirements: readonly ValueRequirement[], key: string): string[] | undefined {
  const own = requirements.filter((requirement) => requirement.key === key);
  const first = own.find((requirement) => requirement.operator === 'In');
  if (first === undefined) return own.some(({ operator }) => operator === 'DoesNotExist') ? [] : undefined;
  return [...new Set(first.values ?? [])].filter((value) => own.every((other) => allows(other, value)));
}

/** Whether the label may have this value. */
export function allowsValue(requirements: readonly ValueRequirement[], key: string, value: string): boolean {
  return requirements.every((requirement) => requirement.key !== key || allows(requirement, value));
}

// ---------------------------------------------------------------------------------------------------

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  Gt: (value, bound) => value > bound,
  Lt: (value, bound) => value < bound,
  Gte: (value, bound) => value >= bound,
  Lte: (value, bound) => value <= bound,
};

function allows(requirement: ValueRequirement, value: string): boolean {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return values.includes(value);
    case 'NotIn':
      return !values.includes(value);
    case 'Exists':
      return true;
    case 'DoesNotExist':
      return false;
    default: {
      const compare = COMPARISONS[requirement.operator];
      const isNumber = /^-?\d+$/.test(value) && values.length === 1;
      return compare !== undefined && isNumber && compare(Number(value), Number(values[0]));
    }
  }
}
