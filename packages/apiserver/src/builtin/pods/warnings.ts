/** Warnings about pods and pod templates: deprecated labels, contradictions, fields without effect. */
import type { V1Affinity, V1Container, V1PodSpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import { rowOf } from '../../table-row.ts';
import { labelName, labelValue } from '../validation/names.ts';
import { quantityOf } from './validate-resources.ts';

export type Warn = (text: string) => void;

/** `path` is empty for a pod itself, else where its template is: `spec.template`. */
export function warnAboutPod(template: V1PodTemplateSpec, path: string, warn: Warn): void {
  const spec = template.spec!;
  const at = path === '' ? 'spec' : `${path}.spec`;
  for (const key in spec.nodeSelector) {
    const why = rowOf(OLD_LABELS, key);
    if (why !== undefined) warn(`${at}.nodeSelector[${key}]: ${why}`);
  }
  if (spec.affinity !== undefined) warnAboutNodeAffinity(spec.affinity, `${at}.affinity.nodeAffinity`, warn);
  warnAboutSpread(spec, at, warn);
  const annotations = path === '' ? 'metadata.annotations' : `${path}.metadata.annotations`;
  for (const key in template.metadata?.annotations) {
    const why = rowOf(OLD_ANNOTATIONS, key);
    if (why !== undefined) warn(`${annotations}[${key}]: ${why}`);
  }
  warnAboutContainers(spec, at, warn);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warn(
      `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  }
  if (spec.affinity !== undefined) warnAboutPodAffinity(spec.affinity, `${at}.affinity`, warn);
}

/** A name that becomes a host name should be one. */
export function warnAboutName(name: string | undefined, use: string, warn: Warn): void {
  const messages = labelName(name ?? '');
  if (messages.length === 0) return;
  warn(
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${messages.join(' ')}]`,
  );
}

// ---------------------------------------------------------------------------------------------------

const OLD_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods':
    'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod':
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const NO_SELECTOR = 'a null labelSelector results in matching no pod';

function warnAboutNodeAffinity({ nodeAffinity }: V1Affinity, at: string, warn: Warn): void {
  const expressions = [
    ...(nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? []).map(
      (term, index) => [`${at}.${REQUIRED}.nodeSelectorTerms[${index}]`, term, false] as const,
    ),
    ...(nodeAffinity?.[PREFERRED] ?? []).map(
      ({ preference }, index) => [`${at}.${PREFERRED}[${index}].preference`, preference, true] as const,
    ),
  ];
  for (const [path, term, checksValues] of expressions) {
    (term.matchExpressions ?? []).forEach(({ key, values = [] }, index) => {
      const why = rowOf(OLD_LABELS, key);
      if (why !== undefined) warn(`${path}.matchExpressions[${index}].key: ${key} is ${why}`);
      if (!checksValues) return;
      values.forEach((value, position) => {
        for (const message of labelValue(value)) {
          warn(`${path}.matchExpressions[${index}].values[${position}]: ${value} is invalid, ${message}`);
        }
      });
    });
  }
}

function warnAboutPodAffinity(affinity: V1Affinity, at: string, warn: Warn): void {
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    (affinity[side]?.[REQUIRED] ?? []).forEach(({ labelSelector }, index) => {
      if (labelSelector === undefined)
        warn(`${at}.${side}.${REQUIRED}[${index}].labelSelector: ${NO_SELECTOR}`);
    });
    (affinity[side]?.[PREFERRED] ?? []).forEach(({ podAffinityTerm }, index) => {
      if (podAffinityTerm.labelSelector !== undefined) return;
      warn(`${at}.${side}.${PREFERRED}[${index}].podAffinityTerm.labelSelector: ${NO_SELECTOR}`);
    });
  }
}

function warnAboutSpread(spec: V1PodSpec, at: string, warn: Warn): void {
  (spec.topologySpreadConstraints ?? []).forEach(({ topologyKey, labelSelector }, index) => {
    const path = `${at}.topologySpreadConstraints[${index}]`;
    const why = rowOf(OLD_LABELS, topologyKey);
    if (why !== undefined) warn(`${path}.topologyKey: ${topologyKey} is ${why}`);
    if (labelSelector === undefined) warn(`${path}.labelSelector: ${NO_SELECTOR}`);
  });
}

function warnAboutContainers(spec: V1PodSpec, at: string, warn: Warn): void {
  const all: (readonly [path: string, container: V1Container])[] = [];
  for (const list of ['initContainers', 'containers'] as const) {
    (spec[list] ?? []).forEach((container, index) => {
      all.push([`${at}.${list}[${index}]`, container]);
    });
  }
  for (const [path, container] of all) {
    warnAboutFractions(container, path, warn);
    warnAboutHiddenVariables(container, path, warn);
  }
  warnAboutPorts(all, warn);
}

function warnAboutFractions({ resources }: V1Container, path: string, warn: Warn): void {
  for (const name of ['memory', 'ephemeral-storage']) {
    for (const part of ['limits', 'requests'] as const) {
      const amount = resources?.[part]?.[name];
      if (amount === undefined || !amount.endsWith('m') || quantityOf(amount).milli() % 1000n === 0n)
        continue;
      warn(
        `${path}.resources.${part}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
      );
    }
  }
}

function warnAboutHiddenVariables({ env = [] }: V1Container, path: string, warn: Warn): void {
  if (env.length < 2) return;
  const seen = new Set<string>();
  env.forEach(({ name, value = '', valueFrom }, index) => {
    const reference = `$(${name})`;
    const extendsIt = valueFrom === undefined && value !== reference && value.includes(reference);
    if (seen.has(name) && !extendsIt) {
      warn(
        `${path}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
      );
    }
    seen.add(name);
  });
}

function warnAboutPorts(all: readonly (readonly [path: string, container: V1Container])[], warn: Warn): void {
  const ports = all.flatMap(([path, container]) =>
    (container.ports ?? []).map((port, index) => ({ port, path: `${path}.ports[${index}]` })),
  );
  if (ports.length < 2) return;
  ports.forEach(({ port, path }, index) => {
    for (const other of ports.slice(0, index)) {
      const { port: before } = other;
      if (before.containerPort !== port.containerPort || before.protocol !== port.protocol) continue;
      if (before.hostIP === port.hostIP && before.hostPort === port.hostPort) {
        warn(`${path}: duplicate port definition with ${other.path}`);
      } else if (!port.hostPort || !before.hostPort)
        warn(`${path}: overlapping port definition with ${other.path}`);
      else if (port.hostPort === before.hostPort && Boolean(port.hostIP) !== Boolean(before.hostIP)) {
        warn(`${path}: dangerously ambiguous port definition with ${other.path}`);
      }
    }
  });
  const names = new Map<string, string>();
  for (const { port, path } of ports) {
    if (!port.name) continue;
    const first = names.get(port.name);
    if (first === undefined) names.set(port.name, path);
    else {
      warn(
        `${path}: duplicate port name ${JSON.stringify(port.name)} with ${first}, services and probes that select ports by name will use ${first}`,
      );
    }
  }
}
