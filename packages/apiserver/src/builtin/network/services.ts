/** Services: defaults, the addresses and ports they get, and what may not change. */
import type { V1Service, V1ServicePort, V1ServiceSpec } from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import { checkPortOrName } from '../pods/validate-handlers.ts';
import type { KindRules } from '../rules.ts';
import { BAD_ADDRESS, BAD_CIDR, isAddress, isCidr } from '../validation/addresses.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkLabels } from '../validation/labels.ts';
import { dotlessName, labelName, portNumber, qualifiedName } from '../validation/names.ts';
import { allocate } from './allocation.ts';

export const serviceRules: KindRules = {
  revalidatesMetadata: true,
  name: dotlessName,
  generation: false,
  allowCreateOnUpdate: true,
  defaults: (object) => defaultService((object as unknown as V1Service).spec!),
  prepareForCreate: (object, context) => {
    object['status'] = { loadBalancer: {} };
    allocate(object as unknown as V1Service, undefined, context);
  },
  prepareForUpdate: (next, current, context) => {
    if (context.subresource !== undefined) return;
    const service = next as unknown as V1Service;
    const before = current as unknown as V1Service;
    carryAllocations(service.spec!, before.spec!);
    dropForType(service.spec!, before.spec!);
    allocate(service, before, context);
  },
  validateStatus: (next, _current, errors) => {
    const { spec, status } = next as unknown as V1Service;
    const ingress = status?.loadBalancer?.ingress ?? [];
    if (spec!.type !== 'LoadBalancer' && ingress.length > 0) {
      errors.forbidden('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'");
    }
  },
  validate: (object, errors) => checkService((object as unknown as V1Service).spec!, errors),
  validateUpdate: (next, current, errors) => {
    const spec = (next as unknown as V1Service).spec!;
    const before = (current as unknown as V1Service).spec!;
    const keepsAddress =
      before.type !== 'ExternalName' && spec.type !== 'ExternalName' && Boolean(before.clusterIP);
    if (!keepsAddress || spec.clusterIP === before.clusterIP) return;
    errors.invalid('spec.clusterIPs[0]', spec.clusterIPs ?? null, 'may not change once set');
  },
};

// ---------------------------------------------------------------------------------------------------

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const POLICIES = ['Cluster', 'Local'];
const AFFINITY_SECONDS = 10_800;
const MAX_AFFINITY_SECONDS = 86_400;

function defaultService(spec: V1ServiceSpec): void {
  spec.sessionAffinity ??= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    spec.sessionAffinityConfig ??= {};
    spec.sessionAffinityConfig.clientIP ??= {};
    spec.sessionAffinityConfig.clientIP.timeoutSeconds ??= AFFINITY_SECONDS;
  }
  spec.type ??= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    if (!port.targetPort) port.targetPort = port.port;
  }
  const outside = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (outside) spec.externalTrafficPolicy ??= 'Cluster';
  if (outside || spec.type === 'ClusterIP') spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

/** A client that sends what it once read, or less, keeps what the server gave. */
function carryAllocations(spec: V1ServiceSpec, before: V1ServiceSpec): void {
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return;
  if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
  if (
    spec.clusterIPs === undefined &&
    before.clusterIPs !== undefined &&
    spec.clusterIP === before.clusterIP
  ) {
    spec.clusterIPs = before.clusterIPs;
  }
  if (spec.ipFamilies === undefined && before.ipFamilies !== undefined) spec.ipFamilies = before.ipFamilies;
  if (spec.ipFamilyPolicy === undefined && before.ipFamilyPolicy !== undefined)
    spec.ipFamilyPolicy = before.ipFamilyPolicy;
  if (spec.type === 'ClusterIP') return;
  for (const port of spec.ports ?? []) {
    if (port.nodePort) continue;
    const old = (before.ports ?? []).find((one) => one.port === port.port && one.protocol === port.protocol);
    if (old?.nodePort) port.nodePort = old.nodePort;
  }
  if (!spec.healthCheckNodePort && before.healthCheckNodePort)
    spec.healthCheckNodePort = before.healthCheckNodePort;
}

/** A client that changes only the type also means its consequences: fields that only the old type needs are cleared. */
function dropForType(spec: V1ServiceSpec, before: V1ServiceSpec): void {
  const had = usesNodePorts(before);
  if (had && !usesNodePorts(spec)) {
    const same = (spec.ports ?? []).every(
      (port, index) => (port.nodePort ?? 0) === (before.ports?.[index]?.nodePort ?? 0),
    );
    if (same) for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (had && !usesNodePorts(spec) && spec.externalTrafficPolicy === before.externalTrafficPolicy) {
    delete spec.externalTrafficPolicy;
  }
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    for (const field of [
      'allocateLoadBalancerNodePorts',
      'healthCheckNodePort',
      'loadBalancerClass',
    ] as const) {
      if (spec[field] === before[field]) delete spec[field];
    }
  }
  if (spec.type === 'ExternalName' && before.type !== 'ExternalName') {
    for (const field of [
      'clusterIP',
      'clusterIPs',
      'ipFamilies',
      'ipFamilyPolicy',
      'internalTrafficPolicy',
    ] as const) {
      if (sameValue(spec[field], before[field])) delete spec[field];
    }
  }
}

function usesNodePorts({ type }: V1ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function checkService(spec: V1ServiceSpec, errors: FieldErrors): void {
  const headless = spec.clusterIP === 'None';
  const ports = spec.ports ?? [];
  if (ports.length === 0 && !headless && spec.type !== 'ExternalName') errors.required('spec.ports');
  checkByType(spec, headless, errors);
  checkPorts(ports, errors);
  checkLabels(spec.selector, 'spec.selector', errors);
  if (!spec.sessionAffinity) errors.required('spec.sessionAffinity');
  else if (!AFFINITIES.includes(spec.sessionAffinity))
    errors.notSupported('spec.sessionAffinity', spec.sessionAffinity, AFFINITIES);
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (spec.sessionAffinity === 'ClientIP' && (seconds! <= 0 || seconds! > MAX_AFFINITY_SECONDS)) {
    errors.invalid(
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
      seconds,
      `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`,
    );
  }
  (spec.externalIPs ?? []).forEach((address, index) => {
    if (!isAddress(address)) errors.invalid(`spec.externalIPs[${index}]`, address, BAD_ADDRESS);
  });
  errors.oneOf('spec.type', spec.type, TYPES);
  checkPortConflicts(spec, ports, errors);
  checkBalancer(spec, errors);
  checkPolicies(spec, errors);
  const spread = spec.trafficDistribution;
  if (spread !== undefined && !DISTRIBUTIONS.includes(spread)) {
    errors.notSupported('spec.trafficDistribution', spread, DISTRIBUTIONS);
  }
}

function checkByType(spec: V1ServiceSpec, headless: boolean, errors: FieldErrors): void {
  if (spec.type === 'LoadBalancer' && headless) {
    errors.invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for LoadBalancer services");
  }
  if (spec.type === 'NodePort' && headless) {
    errors.invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for NodePort services");
  }
  if (spec.type !== 'ExternalName') return;
  for (const field of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
    if ((spec[field] ?? []).length > 0)
      errors.forbidden(`spec.${field}`, 'may not be set for ExternalName services');
  }
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') errors.required('spec.externalName');
  else if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) {
    errors.invalid(
      'spec.externalName',
      name,
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  }
}

function checkPorts(ports: readonly V1ServicePort[], errors: FieldErrors): void {
  const names = new Set<string>();
  ports.forEach((port, index) => {
    checkPort(port, ports.length > 1, names, `spec.ports[${index}]`, errors);
  });
}

/** Ports must be unique, and a node port is allowed only for types that have one. */
function checkPortConflicts(spec: V1ServiceSpec, ports: readonly V1ServicePort[], errors: FieldErrors): void {
  const seen = new Set<string>();
  ports.forEach((port, index) => {
    if (spec.type === 'ClusterIP' && port.nodePort) {
      errors.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'");
    }
    const key = `${port.protocol}/${port.port}`;
    if (seen.has(key))
      errors.duplicate(
        `spec.ports[${index}]`,
        internalValue('core.ServicePort', { protocol: port.protocol, port: port.port }),
      );
    seen.add(key);
  });
}

function checkPort(
  port: V1ServicePort,
  needsName: boolean,
  names: Set<string>,
  path: string,
  errors: FieldErrors,
): void {
  if (needsName && !port.name) errors.required(`${path}.name`);
  else if (port.name) {
    errors.invalidFor(`${path}.name`, port.name, labelName(port.name));
    if (names.has(port.name)) errors.duplicate(`${path}.name`, port.name);
    names.add(port.name);
  }
  errors.invalidFor(`${path}.port`, port.port, portNumber(port.port));
  errors.oneOf(`${path}.protocol`, port.protocol, PROTOCOLS);
  checkPortOrName(port.targetPort, `${path}.targetPort`, errors);
  if (port.appProtocol !== undefined) {
    errors.invalidFor(`${path}.appProtocol`, port.appProtocol, qualifiedName(port.appProtocol));
  }
}

function checkBalancer(spec: V1ServiceSpec, errors: FieldErrors): void {
  const only = "may only be used when `type` is 'LoadBalancer'";
  const balances = spec.type === 'LoadBalancer';
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (!balances && ranges.length > 0) errors.forbidden('spec.LoadBalancerSourceRanges', only);
  ranges.forEach((range, index) => {
    if (!isCidr(range.trim()))
      errors.invalid(`spec.LoadBalancerSourceRanges[${index}]`, range.trim(), BAD_CIDR);
  });
  if (!balances && spec.allocateLoadBalancerNodePorts !== undefined) {
    errors.forbidden('spec.allocateLoadBalancerNodePorts', only);
  }
  const balancerClass = spec.loadBalancerClass;
  if (balancerClass === undefined) return;
  if (!balances) errors.forbidden('spec.loadBalancerClass', only);
  else errors.invalidFor('spec.loadBalancerClass', balancerClass, qualifiedName(balancerClass));
}

function checkPolicies(spec: V1ServiceSpec, errors: FieldErrors): void {
  const { externalTrafficPolicy, internalTrafficPolicy } = spec;
  const outside =
    spec.type === 'NodePort' || spec.type === 'LoadBalancer' || (spec.externalIPs ?? []).length > 0;
  if (externalTrafficPolicy !== undefined) {
    if (!outside) {
      errors.invalid(
        'spec.externalTrafficPolicy',
        externalTrafficPolicy,
        'may only be set for externally-accessible services',
      );
    } else if (!POLICIES.includes(externalTrafficPolicy)) {
      errors.notSupported('spec.externalTrafficPolicy', externalTrafficPolicy, POLICIES);
    }
  }
  const health = spec.healthCheckNodePort;
  if (health && !(spec.type === 'LoadBalancer' && externalTrafficPolicy === 'Local')) {
    errors.invalid(
      'spec.healthCheckNodePort',
      health,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
  }
  if (internalTrafficPolicy !== undefined && !POLICIES.includes(internalTrafficPolicy)) {
    errors.notSupported('spec.internalTrafficPolicy', internalTrafficPolicy, POLICIES);
  }
}
