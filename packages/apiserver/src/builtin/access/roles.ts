/** Validates roles and bindings: their rules and subjects. Authorization is decided elsewhere. */
import type {
  RbacV1Subject,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1PolicyRule,
  V1Role,
  V1RoleBinding,
} from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import type { KindRules } from '../rules.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkSelector } from '../validation/labels.ts';
import { pathSegmentName, subdomainName } from '../validation/names.ts';

const GROUP = 'rbac.authorization.k8s.io';

export const roleRules: KindRules = {
  revalidatesMetadata: true,
  name: pathSegmentName,
  allowCreateOnUpdate: true,
  validate: (object, errors) => checkRules((object as unknown as V1Role).rules, true, errors),
};

export const clusterRoleRules: KindRules = {
  revalidatesMetadata: true,
  name: pathSegmentName,
  allowCreateOnUpdate: true,
  validate: (object, errors) => {
    const { rules, aggregationRule } = object as unknown as V1ClusterRole;
    checkRules(rules, false, errors);
    if (aggregationRule === undefined) return;
    const selectors = aggregationRule.clusterRoleSelectors ?? [];
    const path = 'aggregationRule.clusterRoleSelectors';
    if (selectors.length === 0) {
      errors.required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
    }
    selectors.forEach((selector, index) => {
      checkSelector(selector, `${path}[${index}]`, errors);
    });
  },
};

export const roleBindingRules = bindingRules(['Role', 'ClusterRole'], true);
export const clusterRoleBindingRules = bindingRules(['ClusterRole'], false);

// ---------------------------------------------------------------------------------------------------

type Binding = V1RoleBinding | V1ClusterRoleBinding;

function bindingRules(kinds: readonly string[], namespaced: boolean): KindRules {
  return {
    name: pathSegmentName,
    revalidatesMetadata: true,
    allowCreateOnUpdate: true,
    defaults: (object) => {
      const binding = object as unknown as Binding;
      // Users and groups belong to the API group of roles; service accounts belong to the core group.
      if (!binding.roleRef.apiGroup) binding.roleRef.apiGroup = GROUP;
      for (const subject of binding.subjects ?? []) {
        if (!subject.apiGroup && (subject.kind === 'User' || subject.kind === 'Group'))
          subject.apiGroup = GROUP;
      }
    },
    validate: (object, errors) => {
      const { roleRef, subjects } = object as unknown as Binding;
      if (roleRef.apiGroup !== GROUP) errors.notSupported('roleRef.apiGroup', roleRef.apiGroup, [GROUP]);
      if (!kinds.includes(roleRef.kind)) errors.notSupported('roleRef.kind', roleRef.kind, kinds);
      if (!roleRef.name) errors.required('roleRef.name');
      else errors.invalidFor('roleRef.name', roleRef.name, pathSegmentName(roleRef.name));
      (subjects ?? []).forEach((subject, index) => {
        checkSubject(subject, namespaced, `subjects[${index}]`, errors);
      });
    },
    validateUpdate: (next, current, errors) => {
      if (sameValue(next['roleRef'], current['roleRef'])) return;
      errors.invalid('roleRef', internalValue('rbac.RoleRef', next['roleRef']), 'cannot change roleRef');
    },
  };
}

function checkRules(
  rules: readonly V1PolicyRule[] | undefined | null,
  namespaced: boolean,
  errors: FieldErrors,
): void {
  (rules ?? []).forEach((rule, index) => {
    const at = `rules[${index}]`;
    if ((rule.verbs ?? []).length === 0)
      errors.required(`${at}.verbs`, 'verbs must contain at least one value');
    const urls = rule.nonResourceURLs ?? [];
    const groups = rule.apiGroups ?? [];
    const resources = rule.resources ?? [];
    if (urls.length > 0) {
      if (namespaced)
        errors.invalid(`${at}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs');
      if (groups.length + resources.length + (rule.resourceNames ?? []).length > 0) {
        errors.invalid(
          `${at}.nonResourceURLs`,
          urls,
          'rules cannot apply to both regular resources and non-resource URLs',
        );
      }
      return;
    }
    if (groups.length === 0)
      errors.required(`${at}.apiGroups`, 'resource rules must supply at least one api group');
    if (resources.length === 0)
      errors.required(`${at}.resources`, 'resource rules must supply at least one resource');
  });
}

function checkSubject(subject: RbacV1Subject, namespaced: boolean, path: string, errors: FieldErrors): void {
  const { kind, name, apiGroup = '', namespace } = subject;
  if (!name) errors.required(`${path}.name`);
  if (kind === 'ServiceAccount') {
    if (name) errors.invalidFor(`${path}.name`, name, subdomainName(name));
    if (apiGroup !== '') errors.notSupported(`${path}.apiGroup`, apiGroup, ['']);
    if (!namespaced && !namespace) errors.required(`${path}.namespace`);
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== GROUP) errors.notSupported(`${path}.apiGroup`, apiGroup, [GROUP]);
  } else {
    errors.notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']);
  }
}
