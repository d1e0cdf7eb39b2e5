/** Labels and label selectors: which keys, values and operators are allowed, and where the error points. */
import type { V1LabelSelector } from '@kubernetes/client-node';
import type { FieldErrors } from './field-errors.ts';
import { labelValue, qualifiedName } from './names.ts';

export type Labels = Readonly<Record<string, string>>;

export function checkLabels(labels: Labels | undefined, path: string, errors: FieldErrors): void {
  for (const key in labels) {
    errors.invalidFor(path, key, qualifiedName(key));
    errors.invalidFor(path, labels[key], labelValue(labels[key]!));
  }
}

export function checkLabelKey(key: string | undefined, path: string, errors: FieldErrors): void {
  errors.invalidFor(path, key ?? '', qualifiedName(key ?? ''));
}

export function checkSelector(
  selector: V1LabelSelector | undefined | null,
  path: string,
  errors: FieldErrors,
): void {
  if (selector === undefined || selector === null) return;
  checkLabels(selector.matchLabels, `${path}.matchLabels`, errors);
  const expressions = selector.matchExpressions ?? [];
  for (let index = 0; index < expressions.length; index++) {
    checkExpression(expressions[index]!, `${path}.matchExpressions[${index}]`, errors);
  }
}

/** Whether a valid selector takes these labels. */
export function selects(selector: V1LabelSelector, labels: Labels | undefined): boolean {
  for (const key in selector.matchLabels) if (labels?.[key] !== selector.matchLabels[key]) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels?.[key];
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      default:
        return value === undefined;
    }
  });
}

/** A selector as Go prints it in an error: fields in their order, labels by key. */
export function shownSelector(selector: V1LabelSelector | undefined | null): unknown {
  if (!selector) return null;
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(matchLabels === undefined ? {} : { matchLabels: sortedLabels(matchLabels) }),
    ...(matchExpressions === undefined
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
            key,
            operator,
            ...(values === undefined ? {} : { values }),
          })),
        }),
  };
}

/** Labels as Go prints them. */
export function shownLabels(labels: Labels | undefined): unknown {
  return labels === undefined ? null : sortedLabels(labels);
}

function sortedLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function isEmptySelector(selector: V1LabelSelector | undefined | null): boolean {
  if (selector === undefined || selector === null) return true;
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
}

// ---------------------------------------------------------------------------------------------------

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

function checkExpression(requirement: Requirement, path: string, errors: FieldErrors): void {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        errors.forbidden(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        );
      }
      break;
    default:
      errors.invalid(`${path}.operator`, requirement.operator, 'not a valid selector operator');
  }
  checkLabelKey(requirement.key, `${path}.key`, errors);
  for (let index = 0; index < values.length; index++) {
    errors.invalidFor(`${path}.values[${index}]`, values[index], labelValue(values[index]!));
  }
}
