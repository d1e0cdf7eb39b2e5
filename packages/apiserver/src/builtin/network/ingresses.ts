/** Ingresses, their classes, and network policies. */
import type {
  V1Ingress,
  V1IngressBackend,
  V1IngressClass,
  V1NetworkPolicy,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
} from '@kubernetes/client-node';
import type { KindRules } from '../rules.ts';
import { BAD_CIDR, isCidr } from '../validation/addresses.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { checkSelector } from '../validation/labels.ts';
import { labelName, portName, portNumber, subdomainName } from '../validation/names.ts';

export const ingressRules: KindRules = {
  validate: (object, errors) => {
    const spec = (object as unknown as V1Ingress).spec ?? {};
    if ((spec.rules ?? []).length === 0 && spec.defaultBackend === undefined) {
      errors.invalid('spec', null, 'either `defaultBackend` or `rules` must be specified');
    }
    if (spec.defaultBackend !== undefined) checkBackend(spec.defaultBackend, 'spec.defaultBackend', errors);
    (spec.rules ?? []).forEach(({ host, http }, index) => {
      const at = `spec.rules[${index}]`;
      if (host && !host.startsWith('*.')) errors.invalidFor(`${at}.host`, host, subdomainName(host));
      (http?.paths ?? []).forEach((path, position) => {
        const pathAt = `${at}.http.paths[${position}]`;
        if (!path.pathType) {
          errors.required(`${pathAt}.pathType`, 'pathType must be specified');
          return;
        }
        if (!PATH_TYPES.includes(path.pathType))
          errors.notSupported(`${pathAt}.pathType`, path.pathType, PATH_TYPES);
        else if (path.pathType !== 'ImplementationSpecific' && !path.path?.startsWith('/')) {
          errors.invalid(`${pathAt}.path`, path.path ?? '', 'must be an absolute path');
        }
        checkBackend(path.backend, `${pathAt}.backend`, errors);
      });
      if (http !== undefined && (http.paths ?? []).length === 0) errors.required(`${at}.http.paths`);
    });
    (spec.tls ?? []).forEach(({ secretName }, index) => {
      if (secretName)
        errors.invalidFor(`spec.tls[${index}].secretName`, secretName, subdomainName(secretName));
    });
    const name = spec.ingressClassName;
    if (name !== undefined) errors.invalidFor('spec.ingressClassName', name, subdomainName(name));
  },
};

export const ingressClassRules: KindRules = {
  generation: true,
  validate: (object, errors) => {
    const { controller } = (object as unknown as V1IngressClass).spec ?? {};
    if (!controller) errors.required('spec.controller');
    else if (controller.length > 250) errors.tooLong('spec.controller', 250);
    else if (!/^[^/]+\/.+$/.test(controller)) {
      errors.invalid('spec.controller', controller, 'must be a domain-prefixed path (such as "acme.io/foo")');
    }
  },
  validateUpdate: (next, current, errors) => {
    const spec = (next as unknown as V1IngressClass).spec;
    errors.immutable(
      'spec.controller',
      spec?.controller,
      (current as unknown as V1IngressClass).spec?.controller,
    );
  },
};

export const networkPolicyRules: KindRules = {
  generation: true,
  defaults: (object) => {
    const spec = (object as unknown as V1NetworkPolicy).spec!;
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
    }
    if (spec.policyTypes !== undefined) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  validate: (object, errors) => {
    const spec = (object as unknown as V1NetworkPolicy).spec!;
    checkSelector(spec.podSelector, 'spec.podSelector', errors);
    (spec.ingress ?? []).forEach((rule, index) => {
      checkPorts(rule.ports, `spec.ingress[${index}].ports`, errors);
      checkPeers((rule as { from?: V1NetworkPolicyPeer[] }).from, `spec.ingress[${index}].from`, errors);
    });
    (spec.egress ?? []).forEach(({ ports, to }, index) => {
      checkPorts(ports, `spec.egress[${index}].ports`, errors);
      checkPeers(to, `spec.egress[${index}].to`, errors);
    });
    const types = spec.policyTypes ?? [];
    if (types.length > 2)
      errors.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes');
    types.forEach((type, index) => {
      if (type !== 'Ingress' && type !== 'Egress')
        errors.notSupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']);
    });
  },
};

// ---------------------------------------------------------------------------------------------------

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

function checkBackend(backend: V1IngressBackend | undefined, path: string, errors: FieldErrors): void {
  const { service, resource } = backend ?? {};
  if (service !== undefined && resource !== undefined) {
    errors.invalid(path, '', 'cannot set both resource and service backends');
    return;
  }
  if (resource !== undefined) {
    if (!resource.kind) errors.required(`${path}.resource.kind`);
    if (!resource.name) errors.required(`${path}.resource.name`);
    return;
  }
  if (service === undefined) {
    errors.invalid(path, '', 'resource or service backend is required');
    return;
  }
  if (!service.name) errors.required(`${path}.service.name`);
  else errors.invalidFor(`${path}.service.name`, service.name, labelName(service.name));
  const { name, number } = service.port ?? {};
  if (name && number) errors.invalid(path, '', 'cannot set both port name & port number');
  else if (name) errors.invalidFor(`${path}.service.port.name`, name, portName(name));
  else if (number) errors.invalidFor(`${path}.service.port.number`, number, portNumber(number));
  else errors.required(path, 'port name or number is required');
}

function checkPorts(
  ports: readonly V1NetworkPolicyPort[] | undefined,
  path: string,
  errors: FieldErrors,
): void {
  (ports ?? []).forEach(({ protocol, port, endPort }, index) => {
    const at = `${path}[${index}]`;
    if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
      errors.notSupported(`${at}.protocol`, protocol, PROTOCOLS);
    }
    if (port === undefined) {
      if (endPort !== undefined)
        errors.invalid(`${at}.endPort`, endPort, 'may not be specified when `port` is not specified');
      return;
    }
    errors.invalidFor(`${at}.port`, port, typeof port === 'number' ? portNumber(port) : portName(port));
    if (endPort === undefined) return;
    if (typeof port === 'string')
      errors.invalid(`${at}.endPort`, endPort, 'may not be specified when `port` is non-numeric');
    else if (endPort < port)
      errors.invalid(`${at}.endPort`, endPort, 'must be greater than or equal to `port`');
  });
}

function checkPeers(
  peers: readonly V1NetworkPolicyPeer[] | undefined,
  path: string,
  errors: FieldErrors,
): void {
  (peers ?? []).forEach(({ podSelector, namespaceSelector, ipBlock }, index) => {
    const at = `${path}[${index}]`;
    checkSelector(podSelector, `${at}.podSelector`, errors);
    checkSelector(namespaceSelector, `${at}.namespaceSelector`, errors);
    if (ipBlock !== undefined && !isCidr(ipBlock.cidr))
      errors.invalid(`${at}.ipBlock.cidr`, ipBlock.cidr, BAD_CIDR);
    const selectors = podSelector !== undefined || namespaceSelector !== undefined;
    if (!selectors && ipBlock === undefined) errors.required(at, 'must specify a peer');
    else if (selectors && ipBlock !== undefined)
      errors.forbidden(at, 'may not specify both ipBlock and another peer');
  });
}
