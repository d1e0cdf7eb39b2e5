/**
 * The labels and taints that a kubelet is allowed to set on its Node. A kubelet with a forbidden label does not start, so
 * such a label is rejected here, with its line in the config.
 */
import { closestName } from '../../settings/index.ts';
import { mustBe } from './checks.ts';
import type { TextCheck } from './row.ts';

/** Without it the Azure cloud controller deletes a node that has no virtual machine behind it. */
export const MANAGED_LABEL = 'kubernetes.azure.com/managed';

export const labelName: TextCheck = (text) => {
  const failure = qualifiedName(text);
  if (failure !== undefined) return failure;
  const prefix = text.includes('/') ? text.slice(0, text.indexOf('/')) : '';
  if (
    !isKubernetesDomain(prefix) ||
    OWN_LABELS.has(text) ||
    OWN_PREFIXES.some((own) => isWithin(prefix, own))
  )
    return undefined;
  const advice =
    text === 'kubernetes.io/role' || text.startsWith('node-role.kubernetes.io/')
      ? 'an administrator can set roles: kubectl label node'
      : 'your own prefix, or node.kubernetes.io/';
  return { message: `a kubelet is not allowed to set the label ${text} on its own Node`, suggestion: advice };
};

export const labelValue: TextCheck = (text) =>
  text.length <= 63 && /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(text)
    ? undefined
    : mustBe('at most 63 letters, digits, - _ and ., with a letter or digit at both ends', text);

export const taint: TextCheck = (text) => {
  const [, name = '', value = '', effect = ''] = /^([^=:]+)(?:=([^:]*))?:([^:]+)$/.exec(text) ?? [];
  if (name === '') return mustBe('key=value:Effect or key:Effect', text);
  if (!EFFECTS.includes(effect)) {
    const guess = closestName(effect, EFFECTS);
    return {
      ...mustBe(`one of ${EFFECTS.join(', ')}`, effect),
      ...(guess === undefined ? {} : { suggestion: text.replace(/[^:]+$/, guess) }),
    };
  }
  return qualifiedName(name) ?? labelValue(value);
};

// ---------------------------------------------------------------------------------------------------

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Names that the kubelet itself knows. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
]);

const OWN_PREFIXES = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

const qualifiedName: TextCheck = (text) => {
  const at = text.indexOf('/');
  const [prefix, name] = at < 0 ? [undefined, text] : [text.slice(0, at), text.slice(at + 1)];
  if (prefix !== undefined && !(prefix.length <= 253 && DNS_NAME.test(prefix)))
    return mustBe('a DNS name before the /', text);
  return name.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)
    ? undefined
    : mustBe('a name of at most 63 letters, digits, - _ and ., with a letter or digit at both ends', text);
};

const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function isKubernetesDomain(prefix: string): boolean {
  return isWithin(prefix, 'kubernetes.io') || isWithin(prefix, 'k8s.io');
}

function isWithin(prefix: string, domain: string): boolean {
  return prefix === domain || prefix.endsWith(`.${domain}`);
}
