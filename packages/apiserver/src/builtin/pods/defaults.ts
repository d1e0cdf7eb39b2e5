/**
 * Defaults of a pod: policies, probe timings, volume modes, requests from limits. The same for pod templates, except what
 * only a real pod gets. Validation and admission follow.
 */
import { parseQuantity, Quantity } from '@chandler/kube';
import type {
  V1Container,
  V1ContainerPort,
  V1HTTPGetAction,
  V1Pod,
  V1PodSpec,
  V1PodTemplateSpec,
  V1Probe,
  V1ResourceRequirements,
} from '@kubernetes/client-node';
import { defaultVolume } from './default-volumes.ts';
import { pullPolicyOf } from './image-pull-policy.ts';

/** A pod itself: also service links, and requests that follow from limits. */
export function defaultPod(pod: V1Pod): void {
  const spec = pod.spec!;
  defaultPodSpec(spec);
  spec.enableServiceLinks ??= true;
  if (spec.terminationGracePeriodSeconds! < 0) spec.terminationGracePeriodSeconds = 1;
  for (const container of spec.containers ?? []) requestFromLimits(container.resources);
  for (const container of spec.initContainers ?? []) requestFromLimits(container.resources);
  if (spec.hostNetwork) {
    for (const container of spec.containers ?? []) defaultHostPorts(container.ports);
    for (const container of spec.initContainers ?? []) defaultHostPorts(container.ports);
  }
}

export function defaultPodTemplate(template: V1PodTemplateSpec | undefined | null): void {
  if (template?.spec) defaultPodSpec(template.spec);
}

export function defaultPodSpec(spec: V1PodSpec): void {
  spec.restartPolicy ??= 'Always';
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.schedulerName ??= 'default-scheduler';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  // Two names for one field: the old one follows the new one, and is used when it is alone.
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account !== undefined) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const container of spec.containers ?? []) defaultContainer(container);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container as V1Container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  if (spec.resources !== undefined) roundAll(spec.resources);
}

// ---------------------------------------------------------------------------------------------------

function defaultContainer(container: V1Container): void {
  container.imagePullPolicy ??= pullPolicyOf(container.image);
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  if (container.resources !== undefined) roundAll(container.resources);
  for (const variable of container.env ?? []) {
    const source = variable.valueFrom;
    if (source?.fieldRef) source.fieldRef.apiVersion ??= 'v1';
    const file = (source as { fileKeyRef?: { optional?: boolean } } | undefined)?.fileKeyRef;
    if (file) file.optional ??= false;
  }
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  if (container.lifecycle === undefined) return;
  defaultHttpGet(container.lifecycle.postStart?.httpGet);
  defaultHttpGet(container.lifecycle.preStop?.httpGet);
}

function defaultProbe(probe: V1Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function defaultHttpGet(action: V1HTTPGetAction | undefined): void {
  if (action === undefined) return;
  action.path ??= '/';
  action.scheme ??= 'HTTP';
}

function defaultHostPorts(ports: V1ContainerPort[] | undefined): void {
  for (const port of ports ?? []) port.hostPort ??= port.containerPort;
}

function requestFromLimits(resources: V1ResourceRequirements | undefined): void {
  const limits = resources?.limits;
  if (limits === undefined) return;
  resources!.requests ??= {};
  for (const name in limits) resources!.requests[name] ??= limits[name]!;
}

/** Quantities are rounded up to a thousandth. */
function roundAll(resources: V1ResourceRequirements): void {
  for (const list of [resources.limits, resources.requests]) {
    for (const name in list) {
      const text = list[name]!;
      if (text.endsWith('u') || text.endsWith('n')) {
        const quantity = parseQuantity(text);
        list[name] = Quantity.ofMilli(quantity.milli(), quantity.format).toString();
      }
    }
  }
}
