/** The whole of a pod's specification, in the order in which the real server looks at it. */
import type { V1PodDNSConfig, V1PodSpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import { isAddress } from '../validation/addresses.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { checkLabels } from '../validation/labels.ts';
import { checkAnnotations } from '../validation/metadata.ts';
import { labelName, qualifiedName, searchName, subdomainName } from '../validation/names.ts';
import { type ContainerContext, checkContainers, checkInitContainers } from './validate-containers.ts';
import { checkPodClaims, checkPodResources } from './validate-pod-resources.ts';
import { checkResources } from './validate-resources.ts';
import {
  checkAffinity,
  checkSchedulingGates,
  checkTolerations,
  checkTopologySpread,
} from './validate-scheduling.ts';
import { checkPodSecurityContext } from './validate-security.ts';
import { checkVolumes } from './validate-volumes.ts';

export function checkPodTemplate(template: V1PodTemplateSpec, path: string, errors: FieldErrors): void {
  checkLabels(template.metadata?.labels, `${path}.labels`, errors);
  checkAnnotations(template.metadata?.annotations, `${path}.annotations`, errors);
  checkPodAnnotations(template.metadata?.annotations, template.spec, `${path}.annotations`, errors);
  checkPodSpec(template.spec!, '', false, `${path}.spec`, errors);
  if ((template.spec?.ephemeralContainers ?? []).length > 0) {
    errors.forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template');
  }
}

/** `isPod` is false for templates, where some mistakes are only found when a pod is made of them. */
export function checkPodSpec(
  spec: V1PodSpec,
  podName: string,
  isPod: boolean,
  path: string,
  errors: FieldErrors,
): void {
  const context: ContainerContext = {
    volumes: checkVolumes(spec.volumes, podName, `${path}.volumes`, errors),
    claims: checkPodClaims(spec, `${path}.resourceClaims`, errors),
    gracePeriodSeconds: spec.terminationGracePeriodSeconds,
    restartPolicy: spec.restartPolicy,
    os: spec.os?.name,
  };
  checkContainers(spec.containers, context, `${path}.containers`, errors);
  checkInitContainers(spec.initContainers, spec.containers ?? [], context, `${path}.initContainers`, errors);
  if (spec.resources !== undefined) checkPodResources(spec, context.claims, `${path}.resources`, errors);
  if (spec.hostNetwork) checkHostNetworkPorts(spec, isPod, `${path}.containers`, errors);
  errors.oneOf(`${path}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES);
  errors.oneOf(`${path}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES);
  checkLabels(spec.nodeSelector, `${path}.nodeSelector`, errors);
  checkPodSecurityContext(spec.securityContext, `${path}.securityContext`, errors);
  checkAffinity(spec.affinity, `${path}.affinity`, errors);
  checkDns(spec, path, errors);
  (spec.readinessGates ?? []).forEach(({ conditionType }, index) => {
    errors.invalidFor(
      `${path}.readinessGates[${index}].conditionType`,
      conditionType,
      qualifiedName(conditionType),
    );
  });
  checkSchedulingGates(spec.schedulingGates, `${path}.schedulingGates`, errors);
  checkTopologySpread(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`, errors);
  checkRest(spec, path, errors);
}

export function checkPodAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  spec: V1PodSpec | undefined,
  path: string,
  errors: FieldErrors,
): void {
  if (annotations === undefined) return;
  const mirror = annotations[MIRROR];
  if (mirror !== undefined && !spec?.nodeName) {
    errors.invalid(`${path}[${MIRROR}]`, mirror, 'must set spec.nodeName if mirror pod annotation is set');
  }
  const cost = annotations[DELETION_COST];
  if (cost !== undefined && !isInt32(cost))
    errors.invalid(`${path}[${DELETION_COST}]`, cost, 'must be a 32bit integer');
}

// ---------------------------------------------------------------------------------------------------

const NO_CLAIMS: ReadonlySet<string> = new Set();
const MIRROR = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT32 = 2 ** 31 - 1;

/** As kube-apiserver reads it: no plus sign, and no leading zeros unless a minus sign comes first. */
function isInt32(text: string): boolean {
  const value = Number(text);
  return /^(?:-\d+|0|[1-9]\d*)$/.test(text) && value >= -MAX_INT32 - 1 && value <= MAX_INT32;
}

function checkHostNetworkPorts(spec: V1PodSpec, isPod: boolean, path: string, errors: FieldErrors): void {
  (spec.containers ?? []).forEach((container, index) => {
    (container.ports ?? []).forEach(({ hostPort = 0, containerPort }, position) => {
      if ((isPod || hostPort !== 0) && hostPort !== containerPort) {
        errors.invalid(
          `${path}[${index}].ports[${position}].hostPort`,
          hostPort,
          'must match `containerPort` when `hostNetwork` is true',
        );
      }
    });
  });
}

function checkDns(spec: V1PodSpec, path: string, errors: FieldErrors): void {
  const config = spec.dnsConfig as V1PodDNSConfig | undefined;
  if (spec.dnsPolicy === 'None') {
    if (config === undefined) {
      errors.required(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None');
      return;
    }
    if ((config.nameservers ?? []).length === 0) {
      errors.required(
        `${path}.dnsConfig.nameservers`,
        'must provide at least one DNS nameserver when `dnsPolicy` is None',
      );
    }
  }
  const nameservers = config?.nameservers ?? [];
  if (nameservers.length > 3) {
    errors.invalid(`${path}.dnsConfig.nameservers`, nameservers, 'must not have more than 3 nameservers');
  }
  nameservers.forEach((server, index) => {
    if (!isAddress(server)) {
      errors.invalid(
        `${path}.dnsConfig.nameservers[${index}]`,
        server,
        'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      );
    }
  });
  (config?.searches ?? []).forEach((search, index) => {
    // A dot alone is the root, and a dot at the end is no part of the name.
    if (search === '.') return;
    const name = search.replace(/\.$/, '');
    errors.invalidFor(`${path}.dnsConfig.searches[${index}]`, name, searchName(name));
  });
  (config?.options ?? []).forEach(({ name }, index) => {
    if (!name) errors.required(`${path}.dnsConfig.options[${index}]`, 'must not be empty');
  });
}

const NAMES = ['serviceAccountName', 'nodeName'] as const;
const LABEL_NAMES = ['hostname', 'subdomain'] as const;

function checkRest(spec: V1PodSpec, path: string, errors: FieldErrors): void {
  for (const field of NAMES) {
    const value = spec[field];
    if (value) errors.invalidFor(`${path}.${field}`, value, subdomainName(value));
  }
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    errors.invalid(
      `${path}.activeDeadlineSeconds`,
      deadline,
      `must be between 1 and ${MAX_INT32}, inclusive`,
    );
  }
  for (const field of LABEL_NAMES) {
    const value = spec[field];
    if (value) errors.invalidFor(`${path}.${field}`, value, labelName(value));
  }
  checkTolerations(spec.tolerations, `${path}.tolerations`, errors);
  checkHostAliases(spec, path, errors);
  for (const field of ['priorityClassName', 'runtimeClassName'] as const) {
    const value = spec[field];
    if (value !== undefined) errors.invalidFor(`${path}.${field}`, value, subdomainName(value));
  }
  if (spec.preemptionPolicy !== undefined) {
    errors.oneOf(`${path}.preemptionPolicy`, spec.preemptionPolicy, PREEMPTION_POLICIES);
  }
  if (spec.overhead !== undefined)
    checkResources({ limits: spec.overhead }, NO_CLAIMS, `${path}.overhead`, errors);
  const os = spec.os;
  if (os !== undefined) {
    if (!os.name) errors.required(`${path}.os.name`, 'cannot be empty');
    else if (os.name !== 'linux' && os.name !== 'windows')
      errors.notSupported(`${path}.os`, os.name, ['linux', 'windows']);
  }
}

function checkHostAliases(spec: V1PodSpec, path: string, errors: FieldErrors): void {
  (spec.hostAliases ?? []).forEach(({ ip, hostnames }, index) => {
    const at = `${path}.hostAliases[${index}]`;
    if (!isAddress(ip))
      errors.invalid(`${at}.ip`, ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
    (hostnames ?? []).forEach((name, position) => {
      errors.invalidFor(`${at}.hostnames[${position}]`, name, subdomainName(name));
    });
  });
}
