/** Scheduling constraints of a pod: node affinity, pod affinity, tolerations, topology spread, gates. */
import type {
  V1Affinity,
  V1LabelSelector,
  V1NodeSelector,
  V1NodeSelectorRequirement,
  V1NodeSelectorTerm,
  V1PodAffinityTerm,
  V1Toleration,
  V1TopologySpreadConstraint,
} from '@kubernetes/client-node';
import type { FieldErrors } from '../validation/field-errors.ts';
import { checkLabelKey, checkSelector } from '../validation/labels.ts';
import { labelName, labelValue, qualifiedName, subdomainName } from '../validation/names.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export function checkAffinity(affinity: V1Affinity | undefined, path: string, errors: FieldErrors): void {
  if (affinity === undefined) return;
  const node = affinity.nodeAffinity;
  if (node?.[REQUIRED]) checkNodeSelector(node[REQUIRED], `${path}.nodeAffinity.${REQUIRED}`, errors);
  (node?.[PREFERRED] ?? []).forEach(({ weight, preference }, index) => {
    const at = `${path}.nodeAffinity.${PREFERRED}[${index}]`;
    checkWeight(weight, at, errors);
    checkNodeTerm(preference, false, `${at}.preference`, errors);
  });
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    (affinity[side]?.[REQUIRED] ?? []).forEach((term, index) => {
      checkPodTerm(term, `${path}.${side}.${REQUIRED}[${index}]`, errors);
    });
    (affinity[side]?.[PREFERRED] ?? []).forEach(({ weight, podAffinityTerm }, index) => {
      const at = `${path}.${side}.${PREFERRED}[${index}]`;
      checkWeight(weight, at, errors);
      checkPodTerm(podAffinityTerm, `${at}.podAffinityTerm`, errors);
    });
  }
}

export function checkNodeSelector(selector: V1NodeSelector, path: string, errors: FieldErrors): void {
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0)
    errors.required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term');
  terms.forEach((term, index) => {
    checkNodeTerm(term, true, `${path}.nodeSelectorTerms[${index}]`, errors);
  });
}

export function checkTolerations(
  tolerations: readonly V1Toleration[] | undefined,
  path: string,
  errors: FieldErrors,
): void {
  (tolerations ?? []).forEach((toleration, index) => {
    checkToleration(toleration, `${path}[${index}]`, errors);
  });
}

export function checkTopologySpread(
  constraints: readonly V1TopologySpreadConstraint[] | undefined,
  path: string,
  errors: FieldErrors,
): void {
  (constraints ?? []).forEach((constraint, index) => {
    const at = `${path}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector } = constraint;
    errors.positive(`${at}.maxSkew`, maxSkew);
    if (!topologyKey) errors.required(`${at}.topologyKey`, 'can not be empty');
    if (!SPREAD_ACTIONS.includes(whenUnsatisfiable)) {
      errors.notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, SPREAD_ACTIONS);
    }
    const again = constraints!
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (again) {
      errors.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
    }
    if (minDomains !== undefined) {
      errors.positive(`${at}.minDomains`, minDomains);
      if (whenUnsatisfiable !== 'DoNotSchedule') {
        errors.invalid(
          `${at}.minDomains`,
          minDomains,
          `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
        );
      }
    }
    for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const value = constraint[policy];
      if (value !== undefined && !SPREAD_POLICIES.includes(value)) {
        errors.notSupported(`${at}.${policy}`, value, SPREAD_POLICIES);
      }
    }
    checkMatchLabelKeys(at, constraint.matchLabelKeys, undefined, labelSelector, errors);
    checkSelector(labelSelector, `${at}.labelSelector`, errors);
  });
}

export function checkSchedulingGates(
  gates: readonly { name: string }[] | undefined,
  path: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  (gates ?? []).forEach(({ name }, index) => {
    errors.invalidFor(`${path}[${index}]`, name, qualifiedName(name));
    if (seen.has(name)) errors.duplicate(`${path}[${index}]`, name);
    seen.add(name);
  });
}

// ---------------------------------------------------------------------------------------------------

const SPREAD_ACTIONS: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway'];
const SPREAD_POLICIES: readonly string[] = ['Honor', 'Ignore'];

function checkWeight(weight: number, path: string, errors: FieldErrors): void {
  if (weight <= 0 || weight > 100) errors.invalid(`${path}.weight`, weight, 'must be in the range 1-100');
}

function checkNodeTerm(
  term: V1NodeSelectorTerm,
  checksValues: boolean,
  path: string,
  errors: FieldErrors,
): void {
  (term.matchExpressions ?? []).forEach((requirement, index) => {
    checkNodeRequirement(requirement, checksValues, `${path}.matchExpressions[${index}]`, errors);
  });
  (term.matchFields ?? []).forEach((requirement, index) => {
    checkFieldRequirement(requirement, `${path}.matchFields[${index}]`, errors);
  });
}

function checkNodeRequirement(
  { key, operator, values = [] }: V1NodeSelectorRequirement,
  checksValues: boolean,
  path: string,
  errors: FieldErrors,
): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.forbidden(
        `${path}.values`,
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      );
    }
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) {
      errors.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.invalid(`${path}.operator`, operator, 'not a valid selector operator');
  }
  checkLabelKey(key, `${path}.key`, errors);
  if (!checksValues) return;
  values.forEach((value, index) => {
    errors.invalidFor(`${path}.values[${index}]`, value, labelValue(value));
  });
}

function checkFieldRequirement(
  { key, operator, values = [] }: V1NodeSelectorRequirement,
  path: string,
  errors: FieldErrors,
): void {
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.invalid(`${path}.operator`, operator, 'not a valid selector operator');
  } else if (values.length !== 1) {
    errors.required(
      `${path}.values`,
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  }
  if (key !== 'metadata.name') errors.invalid(`${path}.key`, key, 'not a valid field selector key');
  else
    values.forEach((value, index) => {
      errors.invalidFor(`${path}.values[${index}]`, value, subdomainName(value));
    });
}

function checkPodTerm(term: V1PodAffinityTerm, path: string, errors: FieldErrors): void {
  checkSelector(term.labelSelector, `${path}.labelSelector`, errors);
  checkSelector(term.namespaceSelector, `${path}.namespaceSelector`, errors);
  for (const name of term.namespaces ?? []) errors.invalidFor(`${path}.namespace`, name, labelName(name));
  checkMatchLabelKeys(path, term.matchLabelKeys, term.mismatchLabelKeys, term.labelSelector, errors);
  if (!term.topologyKey) errors.required(`${path}.topologyKey`, 'can not be empty');
  checkLabelKey(term.topologyKey, `${path}.topologyKey`, errors);
}

function checkMatchLabelKeys(
  path: string,
  match: readonly string[] | undefined,
  mismatch: readonly string[] | undefined,
  selector: V1LabelSelector | undefined,
  errors: FieldErrors,
): void {
  for (const [field, keys] of [
    ['matchLabelKeys', match],
    ['mismatchLabelKeys', mismatch],
  ] as const) {
    if (keys === undefined) continue;
    if (selector === undefined)
      errors.forbidden(`${path}.${field}`, 'must not be specified when labelSelector is not set');
    else
      keys.forEach((key, index) => {
        checkLabelKey(key, `${path}.${field}[${index}]`, errors);
      });
  }
  if (match === undefined) return;
  // A key that the selector contains twice was merged before: merging it again would contradict.
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const { key } of selector?.matchExpressions ?? []) {
    if (seen.has(key) && match.includes(key)) {
      errors.invalid(
        `${path}[${match.indexOf(key)}]`,
        key,
        'exists in both matchLabelKeys and labelSelector',
      );
    }
    seen.add(key);
  }
  match.forEach((key, index) => {
    if (!mismatch?.includes(key)) return;
    errors.invalid(
      `${path}.matchLabelKeys[${index}]`,
      key,
      'exists in both matchLabelKeys and mismatchLabelKeys',
    );
  });
}

function checkToleration(toleration: V1Toleration, path: string, errors: FieldErrors): void {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  if (key !== '') checkLabelKey(key, `${path}.key`, errors);
  else if (operator !== 'Exists') {
    errors.invalid(
      `${path}.operator`,
      operator,
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
    );
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (operator === 'Exists') {
    if (value !== '')
      errors.invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'");
  } else if (operator === 'Equal' || operator === '') {
    const messages = labelValue(value);
    if (messages.length > 0) errors.invalid(`${path}.operator`, value, messages.join(';'));
  } else if (operator === 'Lt' || operator === 'Gt') {
    errors.notSupported(`${path}.operator`, operator, ['Equal', 'Exists', 'Lt', 'Gt']);
  } else {
    errors.notSupported(`${path}.operator`, operator, ['Equal', 'Exists']);
  }
  if (effect !== '' && !(TAINT_EFFECTS as readonly string[]).includes(effect)) {
    errors.notSupported(`${path}.effect`, effect, TAINT_EFFECTS);
  }
}
