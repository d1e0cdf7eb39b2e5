/** Endpoints and EndpointSlices: the addresses behind a service. */
import type { V1EndpointSlice, V1Endpoints } from '@kubernetes/client-node';
import type { KindRules } from '../rules.ts';
import { BAD_ADDRESS, isAddress, isIpv4Address, isIpv6Address } from '../validation/addresses.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { labelName, portNumber, qualifiedName, subdomainName } from '../validation/names.ts';

export const endpointsRules: KindRules = {
  defaults: (object) => {
    for (const subset of (object as unknown as V1Endpoints).subsets ?? []) {
      for (const port of subset.ports ?? []) port.protocol ??= 'TCP';
    }
  },
  validate: (object, errors) => {
    ((object as unknown as V1Endpoints).subsets ?? []).forEach(
      ({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
        const at = `subsets[${index}]`;
        if (addresses.length === 0 && notReadyAddresses.length === 0) {
          errors.required(at, 'must specify `addresses` or `notReadyAddresses`');
        }
        for (const [field, list] of [
          ['addresses', addresses],
          ['notReadyAddresses', notReadyAddresses],
        ] as const) {
          list.forEach(({ ip, hostname, nodeName }, position) => {
            const path = `${at}.${field}[${position}]`;
            if (!isAddress(ip)) errors.invalid(`${path}.ip`, ip, BAD_ADDRESS);
            checkReachable(ip, `${path}.ip`, errors);
            if (hostname) errors.invalidFor(`${path}.hostname`, hostname, labelName(hostname));
            if (nodeName) errors.invalidFor(`${path}.nodeName`, nodeName, subdomainName(nodeName));
          });
        }
        ports.forEach((port, position) => {
          const path = `${at}.ports[${position}]`;
          if (ports.length > 1 && !port.name) errors.required(`${path}.name`);
          else if (port.name) errors.invalidFor(`${path}.name`, port.name, labelName(port.name));
          errors.invalidFor(`${path}.port`, port.port, portNumber(port.port));
          errors.oneOf(`${path}.protocol`, port.protocol, PROTOCOLS);
        });
      },
    );
  },
};

export const endpointSliceRules: KindRules = {
  generation: true,
  defaults: (object) => {
    for (const port of (object as unknown as V1EndpointSlice).ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  validate: (object, errors) => {
    const slice = object as unknown as V1EndpointSlice;
    const { addressType } = slice;
    if (addressType && !ADDRESS_TYPES.includes(addressType))
      errors.notSupported('addressType', addressType, ADDRESS_TYPES);
    checkSlicePorts(slice, errors);
    checkEndpoints(slice, errors);
    if (!addressType) errors.required('addressType');
  },
  validateUpdate: (next, current, errors) => {
    if (next['addressType'] !== current['addressType'])
      errors.invalid('addressType', next['addressType'], 'field is immutable');
  },
};

// ---------------------------------------------------------------------------------------------------

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

function checkEndpoints(slice: V1EndpointSlice, errors: FieldErrors): void {
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > 1000) errors.tooMany('endpoints', endpoints.length, 1000);
  endpoints.forEach(({ addresses: given, nodeName, hostname }, index) => {
    const addresses = given ?? [];
    const at = `endpoints[${index}]`;
    if (addresses.length === 0) errors.required(`${at}.addresses`, 'must contain at least 1 address');
    else if (addresses.length > 100) errors.tooMany(`${at}.addresses`, addresses.length, 100);
    addresses.forEach((address, position) => {
      const path = `${at}.addresses[${position}]`;
      if (slice.addressType === 'FQDN') errors.invalidFor(path, address, subdomainName(address));
      else checkSliceAddress(slice.addressType, address, at, path, errors);
    });
    if (nodeName) errors.invalidFor(`${at}.nodeName`, nodeName, subdomainName(nodeName));
    if (hostname) errors.invalidFor(`${at}.hostname`, hostname, labelName(hostname));
  });
}

function checkSliceAddress(
  type: string,
  address: string,
  endpoint: string,
  path: string,
  errors: FieldErrors,
): void {
  if (!isAddress(address)) {
    errors.invalid(path, address, BAD_ADDRESS);
    return;
  }
  const fits = type === 'IPv6' ? isIpv6Address(address) : isIpv4Address(address);
  if (!fits) errors.invalid(`${endpoint}.addresses`, address, `must be an ${type} address`);
  checkReachable(address, path, errors);
}

/** Addresses that only mean something on the machine itself or on its wire. */
function checkReachable(address: string, path: string, errors: FieldErrors): void {
  if (!isAddress(address)) errors.invalid(path, address, 'must be a valid IP address');
  else if (/^(0\.0\.0\.0|::)$/.test(address))
    errors.invalid(path, address, "may not be unspecified ('0.0.0.0' or '::')");
  else if (/^(127\.|::1$)/.test(address)) {
    errors.invalid(path, address, 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  } else if (/^(169\.254\.|fe[89ab])/i.test(address)) {
    errors.invalid(path, address, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  } else if (/^(224\.0\.0\.|ff02:)/i.test(address)) {
    errors.invalid(path, address, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  }
}

function checkSlicePorts(slice: V1EndpointSlice, errors: FieldErrors): void {
  const names = new Set<string>();
  (slice.ports ?? []).forEach((port, index) => {
    const at = `ports[${index}]`;
    const name = port.name ?? '';
    if (name !== '') errors.invalidFor(`${at}.name`, name, labelName(name));
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
    errors.oneOf(`${at}.protocol`, port.protocol, PROTOCOLS);
    if (port.appProtocol !== undefined) {
      errors.invalidFor(`${at}.appProtocol`, port.appProtocol, qualifiedName(port.appProtocol));
    }
  });
}
