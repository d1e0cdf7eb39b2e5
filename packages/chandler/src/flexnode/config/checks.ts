/** Checks of strings in the config. Each returns the failure with a suggestion, or `undefined`. */
import { isIP } from 'node:net';
import { isQuantity } from '@chandler/kube';
import { closestName } from '../../settings/index.ts';
import type { CheckFailure, TextCheck } from './row.ts';

export const GUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
export const VERSION = '^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.]+)?$';
export const ABSOLUTE_PATH = '^/[^\\u0000\\n]+$';
/** For directories, which are written to units and to commands of a shell. */
export const PLAIN_PATH = '^/[\\w./@+-]+$';
export const SHA256 = '^[0-9a-f]{64}$';
/** Of `\w`, as Azure's own names for groups and clusters are; in any case. */
export const CLUSTER_ID =
  '^/subscriptions/[0-9a-fA-F-]{36}/[rR]esource[gG]roups/[-\\w.()]+/providers/[mM]icrosoft\\.[cC]ontainer[sS]ervice/[mM]anaged[cC]lusters/[\\w.-]+$';

export const guid: TextCheck = (text) =>
  new RegExp(GUID).test(text)
    ? undefined
    : mustBe('a GUID such as 01234567-89ab-cdef-0123-456789abcdef', text);

/** For keys that may contain a secret by mistake: the value is not printed. */
export const unshownGuid: TextCheck = (text) =>
  guid(text) === undefined
    ? undefined
    : {
        message: 'must be a GUID',
        suggestion: 'application and tenant IDs are GUIDs; the secret is not',
      };

export const version: TextCheck = (text) => {
  if (new RegExp(VERSION).test(text)) return undefined;
  const bare = text.replace(/^v/i, '');
  if (new RegExp(VERSION).test(bare)) return { ...mustBe('a version without the v', text), suggestion: bare };
  if (/^\d+\.\d+$/.test(bare))
    return { ...mustBe('a full version', text), suggestion: `${bare}.N, with the patch version` };
  return mustBe('a version of the form 1.32.7', text);
};

/** A leading `v` is part of what the Arc agent's packages never have; they have four parts. */
export const packageVersion: TextCheck = (text) =>
  /^\d+\.\d+(\.\d+){0,2}(-\d+)?$/.test(text)
    ? undefined
    : mustBe('a package version such as 1.66.03466.1193', text);

/** Rejects system directories: unbootstrap may have to empty the directory. */
export const ownDirectory: TextCheck = (text) => {
  const failure = absolutePath(text);
  if (failure !== undefined) return failure;
  if (!new RegExp(PLAIN_PATH).test(text)) return mustBe('a path of letters, digits and . _ @ + -', text);
  return /^\/[^/]+$/.test(text) || SYSTEM_DIRECTORIES.has(text)
    ? {
        message: `${quoted(text)} is a system directory`,
        suggestion: `a subdirectory such as ${text}/flexnode`,
      }
    : undefined;
};

export const absolutePath: TextCheck = (text) => {
  if (!new RegExp(ABSOLUTE_PATH).test(text)) return mustBe('an absolute path', text);
  const parts = text.split('/').slice(1);
  const tidy = `/${parts.filter((part) => part !== '' && part !== '.').join('/')}`;
  if (parts.includes('..')) return mustBe('a path without ..', text);
  return tidy === text ? undefined : { ...mustBe('a normalized path', text), suggestion: tidy };
};

/** Within an absolute URL `{version}` and `{arch}` may stand; nothing else in braces. */
export const urlTemplate: TextCheck = (text) => {
  const unknown = /\{(?!version\}|arch\}|name\})[^}]*\}/.exec(text)?.[0];
  if (unknown !== undefined) {
    return {
      message: `unknown placeholder ${unknown}`,
      suggestion: 'supported placeholders: {version} and {arch}',
    };
  }
  return webAddress(text.replaceAll(/\{(version|arch|name)\}/g, 'x'));
};

export const webAddress: TextCheck = (text) => {
  const url = parsed(text);
  if (url === undefined || url.hostname === '' || !/^https?:$/.test(url.protocol))
    return mustBe('a URL such as https://name.example', text);
  // The password would be visible wherever the URL is used: in units, in logs, in /proc.
  return url.username + url.password === ''
    ? undefined
    : {
        message: 'contains a user name or password',
        suggestion: 'a URL without credentials; all users could read them',
      };
};

/** Of Azure: by TLS, the host alone. Plain HTTP only to this machine (a test's stand-in). */
export const azureEndpoint: TextCheck = (text) => {
  const failure = webAddress(text);
  if (failure !== undefined) return failure;
  const url = new URL(text);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return mustBe('an https URL', text);
  return `${url.pathname}${url.search}${url.hash}` === '/' && !text.endsWith('#')
    ? undefined
    : { ...mustBe('a URL without path and query', text), suggestion: url.origin };
};

/** As the later schema writes it: a path, with or without `file://`; the version may be filled in. */
export const offlineSource: TextCheck = (text) => {
  if (text.startsWith('oci://'))
    return { message: 'OCI artifacts are not supported', suggestion: 'a directory or file on this machine' };
  const rest = text.replace(/^file:\/\//, '').replaceAll(OFFLINE_VARIABLE, 'x');
  const unknown = /\{\{.*?\}\}/.exec(rest)?.[0];
  return unknown === undefined
    ? absolutePath(rest)
    : {
        message: `unknown placeholder ${unknown}`,
        suggestion: '{{ .KubernetesVersion }} or {{ .KubernetesVersionNoV }}',
      };
};

/** Group 1 is set for the form without the leading `v`. */
export const OFFLINE_VARIABLE = /\{\{\s*\.KubernetesVersion(NoV)?\s*\}\}/g;

export const ipAddress: TextCheck = (text) => (isIP(text) === 0 ? mustBe('an IP address', text) : undefined);

/** A range of IPv4 addresses large enough to take one for the bridge and some for pods. */
export const podCidr: TextCheck = (text) => {
  const [, address = '', bits = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? [];
  return isIP(address) === 4 && Number(bits) >= 8 && Number(bits) <= 28
    ? undefined
    : mustBe('a CIDR range such as 10.244.7.0/24', text);
};

export const hostAndPort: TextCheck = (text) => {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? [];
  const fits = host !== undefined && isIP(host.replace(/^\[|\]$/g, '')) !== 0 && Number(port) <= 65535;
  return fits ? undefined : mustBe('an IP address and a port, such as 127.0.0.1:10257', text);
};

export const subdomain: TextCheck = (text) => {
  if (text.length <= 253 && SUBDOMAIN.test(text)) return undefined;
  const tidy = text.toLowerCase().replaceAll('_', '-');
  const suggestion = SUBDOMAIN.test(tidy) ? { suggestion: tidy } : {};
  return { ...mustBe('a DNS name (a-z, 0-9, - and .)', text), ...suggestion };
};

export const clusterId: TextCheck = (text) =>
  new RegExp(CLUSTER_ID, 'i').test(text) && guid(text.split('/')[2] ?? '') === undefined
    ? undefined
    : mustBe(
        '/subscriptions/<guid>/resourceGroups/<name>/providers/Microsoft.ContainerService/managedClusters/<name>',
        text,
      );

export const resourceGroup: TextCheck = (text) =>
  /^[-\w.()]{1,90}$/.test(text) && !text.endsWith('.')
    ? undefined
    : mustBe('a valid resource group name', text);

export const location: TextCheck = (text) =>
  /^[a-z][a-z0-9 ]*$/i.test(text) ? undefined : mustBe('a region such as westus2', text);

export const arcName: TextCheck = (text) =>
  /^[-\w.]{1,54}$/.test(text) ? undefined : mustBe('at most 54 letters, digits, - _ and .', text);

export const tagName: TextCheck = (text) =>
  /^[^<>%&\\?/,='"]{1,512}$/.test(text)
    ? undefined
    : mustBe(`a tag name without < > % & \\ ? / , = and quotes`, text);

/** The Arc agent takes all tags as one list with commas between. */
export const tagValue: TextCheck = (text) =>
  /^[^,'"]{0,256}$/.test(text) ? undefined : mustBe('at most 256 characters without commas and quotes', text);

export const image: TextCheck = (text) =>
  /^[a-z0-9][\w.:-]*(\/[\w.-]+)+(:[\w.-]{1,128})?(@sha256:[0-9a-f]{64})?$/i.test(text)
    ? undefined
    : mustBe('an image such as mcr.microsoft.com/oss/kubernetes/pause:3.6', text);

export const quantity: TextCheck = (text) =>
  isQuantity(text) && !text.startsWith('-') ? undefined : mustBe('a quantity such as 100m or 256Mi', text);

export const threshold: TextCheck = (text) => {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  const fits = percent === undefined ? quantity(text) === undefined : Number(percent) <= 100;
  return fits ? undefined : mustBe('a quantity or a percentage, such as 100Mi or 10%', text);
};

export const sha256: TextCheck = (text) => {
  if (new RegExp(SHA256).test(text)) return undefined;
  const lower = text.toLowerCase();
  const suggestion = new RegExp(SHA256).test(lower) ? { suggestion: lower } : {};
  return { ...mustBe('a SHA-256 hash: 64 hexadecimal digits in lower case', text), ...suggestion };
};

export const artifactName: TextCheck = (text) => {
  const [kind = '', release = '', architecture = '', ...more] = text.split('/');
  const fits = more.length === 0 && release !== '' && ['amd64', 'arm64'].includes(architecture);
  if (!fits) return mustBe('kind/version/architecture, such as containerd/1.7.20/amd64', text);
  if (ARTIFACTS.includes(kind)) return undefined;
  const guess = closestName(kind, ARTIFACTS);
  return {
    ...mustBe(`one of ${ARTIFACTS.join(', ')} before the first /`, text),
    ...(guess === undefined ? {} : { suggestion: `${guess}/${release}/${architecture}` }),
  };
};

/** A program or host name list entry: name, name with port, address, range; a leading dot or `*`. */
export const noProxyEntry: TextCheck = (text) =>
  /^[\w.*:[\]/-]+$/.test(text) ? undefined : mustBe('a host, a domain, an IP address or a CIDR range', text);

export const notEmpty: TextCheck = (text) => (text.trim() === '' ? { message: 'is empty' } : undefined);

export function mustBe(wanted: string, text: string): CheckFailure {
  return { message: `must be ${wanted}, not ${quoted(text)}` };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

// ---------------------------------------------------------------------------------------------------

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

const ARTIFACTS: readonly string[] = [
  'runc',
  'containerd',
  'kubelet',
  'kubectl',
  'kubeadm',
  'cni-plugins',
  'kubernetes-node',
  'azcmagent',
];

const SYSTEM_DIRECTORIES: ReadonlySet<string> = new Set([
  '/etc/systemd',
  '/etc/systemd/system',
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/local',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/var/lib',
  '/var/log',
  '/var/run',
  '/var/tmp',
]);

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The value, truncated, and without the user name and password of a URL. */
function quoted(text: string): string {
  const shown = text.replace(/^([a-z]+:\/*)?[^@/]*:[^@/]*@/i, '$1…@');
  return JSON.stringify(shown.length > 80 ? `${shown.slice(0, 77)}…` : shown);
}
