/**
 * The columns of services, endpoints, endpoint slices, ingresses and network policies.
 */
import type { KubeObject } from '@chandler/kube';
import type { PrinterColumn } from '../../resource.ts';
import { NONE, UNKNOWN } from '../age.ts';
import {
  AGE,
  at,
  type Fields,
  listAt,
  mapAt,
  NAME,
  numberAt,
  stringAt,
  text,
  textsAt,
  WIDE,
} from './column.ts';
import { labelsText, selectorCell } from './selector-text.ts';

export const SERVICE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Type', (service) => stringAt(service, 'spec', 'type'), {
    description: 'How the service is reached.',
  }),
  text('Cluster-IP', (service) => stringAt(service, 'spec', 'clusterIPs', 0) || NONE, {
    description: 'The first address inside the cluster.',
  }),
  text('External-IP', externalIp, { description: 'The addresses outside the cluster.' }),
  text('Port(s)', servicePorts, { description: 'The ports, with the node port where there is one.' }),
  AGE,
  text('Selector', (service) => labelsText(mapAt(service, 'spec', 'selector')), {
    ...WIDE,
    description: 'Which pods stand behind the service.',
  }),
];

export const ENDPOINTS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Endpoints', endpointAddresses, { description: 'Addresses and ports that are ready.' }),
  AGE,
];

export const ENDPOINT_SLICE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('AddressType', (slice) => stringAt(slice, 'addressType'), {
    description: 'What kind of addresses it holds.',
  }),
  text('Ports', slicePorts, { description: 'The ports of every endpoint.' }),
  text('Endpoints', sliceEndpoints, { description: 'The addresses.' }),
  AGE,
];

export const INGRESS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Class', (ingress) => stringAt(ingress, 'spec', 'ingressClassName') || NONE, {
    description: 'The class that serves it.',
  }),
  text('Hosts', ingressHosts, { description: 'The host names it answers for.' }),
  text('Address', (ingress) => balancerAddresses(ingress).join(','), { description: 'Where it is reached.' }),
  text('Ports', (ingress) => (listAt(ingress, 'spec', 'tls').length > 0 ? '80, 443' : '80'), {
    description: 'The ports it listens on.',
  }),
  AGE,
];

export const NETWORK_POLICY_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Pod-Selector', (policy) => selectorCell(at(policy, 'spec', 'podSelector')), {
    description: 'Which pods the policy is for.',
  }),
  AGE,
];

// ---------------------------------------------------------------------------------------------------

/** More than this many addresses are counted, not shown. */
const SHOWN = 3;

function externalIp(service: KubeObject): string {
  const external = textsAt(service, 'spec', 'externalIPs');
  switch (stringAt(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.length > 0 ? external.join(',') : NONE;
    case 'LoadBalancer': {
      const all = [...balancerAddresses(service), ...external];
      return all.length > 0 ? all.join(',') : '<pending>';
    }
    case 'ExternalName':
      return stringAt(service, 'spec', 'externalName');
    default:
      return UNKNOWN;
  }
}

function balancerAddresses(object: KubeObject): readonly string[] {
  const addresses = listAt(object, 'status', 'loadBalancer', 'ingress')
    .map((ingress) => stringAt(ingress, 'ip') || stringAt(ingress, 'hostname'))
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort();
}

function servicePorts(service: KubeObject): string {
  const pieces = listAt(service, 'spec', 'ports').map((port) => {
    const nodePort = numberAt(port, 'nodePort');
    const number = nodePort > 0 ? `${numberAt(port, 'port')}:${nodePort}` : String(numberAt(port, 'port'));
    return `${number}/${stringAt(port, 'protocol')}`;
  });
  return pieces.length === 0 ? NONE : pieces.join(',');
}

function endpointAddresses(endpoints: KubeObject): string {
  const subsets = listAt(endpoints, 'subsets');
  if (subsets.length === 0) return NONE;
  const all = subsets.flatMap((subset) => {
    const ips = listAt(subset, 'addresses').map((address) => stringAt(address, 'ip'));
    const ports = listAt(subset, 'ports');
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => hostPort(ip, numberAt(port, 'port'))));
  });
  return shortened(all);
}

function hostPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function slicePorts(slice: KubeObject): string {
  const ports = listAt(slice, 'ports').map((port: Fields) =>
    typeof port['port'] === 'number'
      ? String(port['port'])
      : typeof port['name'] === 'string'
        ? port['name']
        : '*',
  );
  return shortened(ports) || '<unset>';
}

function sliceEndpoints(slice: KubeObject): string {
  return (
    shortened(listAt(slice, 'endpoints').flatMap((endpoint) => [...textsAt(endpoint, 'addresses')])) ||
    '<unset>'
  );
}

function shortened(all: readonly string[]): string {
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown;
}

function ingressHosts(ingress: KubeObject): string {
  const rules = listAt(ingress, 'spec', 'rules');
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === SHOWN) more = true;
    const host = stringAt(rule, 'host');
    if (!more && host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - SHOWN} more...` : hosts.join(',');
}
