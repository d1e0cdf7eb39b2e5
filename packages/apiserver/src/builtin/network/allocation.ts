/**
 * Allocates the addresses and node ports of services. The lowest free one is used, determined from the existing services:
 * no state is kept between requests, so none can become inconsistent.
 */
import type { KubeObject } from '@chandler/kube';
import type { V1Service, V1ServiceSpec } from '@kubernetes/client-node';
import { invalid } from '../../errors.ts';
import type { RequestContext } from '../../resource.ts';
import { FieldErrors } from '../validation/field-errors.ts';
import { checkClusterAddresses } from './cluster-addresses.ts';

export function allocate(service: V1Service, current: V1Service | undefined, context: RequestContext): void {
  const spec = service.spec!;
  if (spec.type === 'ExternalName') return;
  if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
  const errors = new FieldErrors();
  checkClusterAddresses(spec, errors);
  if (errors.list.length > 0) throw invalid(SERVICE, service.metadata?.name ?? '', errors.list);
  if (!spec.clusterIP) spec.clusterIP = freeAddress(service, context);
  else if (spec.clusterIP !== 'None' && spec.clusterIP !== current?.spec?.clusterIP)
    claimAddress(service, context);
  spec.clusterIPs = spec.clusterIPs?.[0] === spec.clusterIP ? spec.clusterIPs : [spec.clusterIP];
  spec.ipFamilyPolicy ??=
    spec.clusterIP === 'None' && spec.selector === undefined ? 'RequireDualStack' : 'SingleStack';
  spec.ipFamilies ??= spec.ipFamilyPolicy === 'RequireDualStack' ? ['IPv4', 'IPv6'] : ['IPv4'];
  if (needsNodePorts(spec)) allocateNodePorts(service, context);
}

// ---------------------------------------------------------------------------------------------------

const SERVICE = { group: '', kind: 'Service' };
const STORAGE_KEY = 'services';
const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;
/** 10.96.0.1 is the API server's own. */
const FIRST_HOST = 2;
const LAST_HOST = 65_534;

function* others(service: V1Service, context: RequestContext): Iterable<KubeObject> {
  for (const other of context.list(STORAGE_KEY)) {
    if (
      other.metadata.name !== service.metadata?.name ||
      other.metadata.namespace !== service.metadata?.namespace
    )
      yield other;
  }
}

function freeAddress(service: V1Service, context: RequestContext): string {
  const taken = new Set<string>();
  for (const other of others(service, context)) {
    for (const address of (other['spec'] as V1ServiceSpec | undefined)?.clusterIPs ?? []) taken.add(address);
  }
  for (let host = FIRST_HOST; host <= LAST_HOST; host++) {
    const address = `10.96.${host >> 8}.${host & 255}`;
    if (!taken.has(address)) return address;
  }
  throw refuse(service, 'spec.clusterIPs', null, 'failed to allocate IP: range is full');
}

function claimAddress(service: V1Service, context: RequestContext): void {
  const wanted = service.spec!.clusterIP!;
  for (const other of others(service, context)) {
    if (!(other['spec'] as V1ServiceSpec | undefined)?.clusterIPs?.includes(wanted)) continue;
    throw refuse(
      service,
      'spec.clusterIPs',
      [wanted],
      `failed to allocate IP ${wanted}: provided IP is already allocated`,
    );
  }
}

function needsNodePorts(spec: V1ServiceSpec): boolean {
  if (spec.type === 'NodePort') return true;
  return spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
}

function allocateNodePorts(service: V1Service, context: RequestContext): void {
  const taken = new Set<number>();
  for (const other of others(service, context)) {
    const spec = other['spec'] as V1ServiceSpec | undefined;
    for (const port of spec?.ports ?? []) if (port.nodePort) taken.add(port.nodePort);
    if (spec?.healthCheckNodePort) taken.add(spec.healthCheckNodePort);
  }
  const ports = service.spec!.ports ?? [];
  ports.forEach((port, index) => {
    if (!port.nodePort) return;
    const path = `spec.ports[${index}].nodePort`;
    if (port.nodePort < FIRST_PORT || port.nodePort > LAST_PORT) {
      throw refuse(
        service,
        path,
        port.nodePort,
        `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`,
      );
    }
    if (taken.has(port.nodePort))
      throw refuse(service, path, port.nodePort, 'provided port is already allocated');
    taken.add(port.nodePort);
  });
  let next = FIRST_PORT;
  const free = (): number => {
    while (taken.has(next)) next++;
    taken.add(next);
    return next;
  };
  for (const port of ports) port.nodePort ||= free();
  const local = service.spec!.type === 'LoadBalancer' && service.spec!.externalTrafficPolicy === 'Local';
  if (local && !service.spec!.healthCheckNodePort) service.spec!.healthCheckNodePort = free();
}

function refuse(service: V1Service, field: string, value: unknown, detail: string): Error {
  return invalid(SERVICE, service.metadata?.name ?? '', [
    { reason: 'FieldValueInvalid', field, value, detail },
  ]);
}
