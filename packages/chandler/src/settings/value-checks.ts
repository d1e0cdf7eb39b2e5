/**
 * Format checks of option values. Each returns what is expected, or nothing for a valid value; the texts complete
 * "expected …". They do not check whether the resource exists.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

export function urlProblem(text: string): string | undefined {
  const expected = 'an absolute URL with a host, such as https://name.example:443';
  try {
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol) || url.hostname === '') return expected;
    // A user and password would appear wherever the URL is logged.
    return url.username === '' && url.password === '' ? undefined : 'a URL without a user and password';
  } catch {
    return expected;
  }
}

export function uuidProblem(text: string): string | undefined {
  return UUID.test(text) ? undefined : 'a UUID';
}

export function ipProblem(text: string): string | undefined {
  return isIP(text) === 0 ? 'an IP address' : undefined;
}

/** `/subscriptions/{}/resourceGroups/{}/providers/{namespace}/{type}/{name}…`, types in any case, no part empty. */
export function armIdProblem(text: string, namespace: string, types: readonly string[]): string | undefined {
  const shape = ['', 'subscriptions', '*', 'resourceGroups', '*', 'providers', namespace];
  for (const type of types) shape.push(type, '*');
  const parts = text.split('/');
  const fits =
    parts.length === shape.length &&
    shape.every((wanted, index) => {
      const part = parts[index]!;
      return wanted === '*' ? SEGMENT.test(part) : part.toLowerCase() === wanted.toLowerCase();
    });
  return fits ? undefined : `an ID of the form ${idForm(namespace, types)}`;
}

export const subnetIdProblem = (text: string) =>
  armIdProblem(text, 'Microsoft.Network', ['virtualNetworks', 'subnets']);

export const networkSecurityGroupIdProblem = (text: string) =>
  armIdProblem(text, 'Microsoft.Network', ['networkSecurityGroups']);

export const diskEncryptionSetIdProblem = (text: string) =>
  armIdProblem(text, 'Microsoft.Compute', ['diskEncryptionSets']);

export function identityIdsProblem(ids: readonly string[]): string | undefined {
  for (const id of ids) {
    const problem = armIdProblem(id, 'Microsoft.ManagedIdentity', ['userAssignedIdentities']);
    if (problem !== undefined)
      return `IDs of user-assigned identities: ${problem} (not ${JSON.stringify(id)})`;
  }
  return undefined;
}

export function resourceGroupProblem(text: string): string | undefined {
  return /^[-\w.()]{1,90}$/.test(text) && !text.endsWith('.') ? undefined : 'the name of a resource group';
}

export function adminUsernameProblem(text: string): string | undefined {
  return text.length <= 32 && /^[A-Za-z][-A-Za-z0-9_]*$/.test(text)
    ? undefined
    : 'at most 32 letters, digits, - and _, starting with a letter';
}

export function sshKeyProblem(text: string): string | undefined {
  return /^(ssh|ecdsa|sk)-\S+ +\S+[^\n]*\s*$/.test(text)
    ? undefined
    : 'a public key in the format of a .pub file: "ssh-rsa AAAA…"';
}

/** Azure's limits for tags; keys are compared ignoring case, as Azure does. */
export function tagsProblem(tags: Readonly<Record<string, string>>): string | undefined {
  const seen = new Set<string>();
  for (const [key, value] of Object.entries(tags)) {
    if (key.length > 512) return 'tag names of at most 512 characters';
    if (value.length > 256) return `tag values of at most 256 characters (${key} is longer)`;
    if (/[<>%&\\?/]/.test(key)) return `tag names without any of < > % & \\ ? / (not ${key})`;
    if (seen.has(key.toLowerCase())) return `tag names that differ in more than case (${key})`;
    seen.add(key.toLowerCase());
  }
  return undefined;
}

export function kubernetesVersionProblem(text: string): string | undefined {
  return KUBERNETES_VERSION.test(text) ? undefined : 'a Kubernetes version such as 1.34.2';
}

/** `1.34.2`, `v1.34.2`, with whatever a distribution adds: `v1.34.2+k3s1`, `1.35.0-beta.1`. */
export const KUBERNETES_VERSION = /^v?(\d+)\.(\d+)\.(\d+)([-+][0-9A-Za-z.+-]*)?$/;

export function clusterIdProblem(text: string): string | undefined {
  return /^\d{8}$/.test(text) ? undefined : 'eight digits';
}

/** Base64 of one or more certificates in PEM. */
export function caBundleProblem(text: string): string | undefined {
  const expected = 'base64 of certificates in PEM';
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)) return expected;
  const certificates = pemCertificates(Buffer.from(text, 'base64').toString('utf8'));
  if (certificates.length === 0) return expected;
  try {
    for (const pem of certificates) new X509Certificate(pem);
    return undefined;
  } catch {
    return `${expected} (one of them is invalid)`;
  }
}

export function pemCertificates(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}

/** Kubernetes' own bootstrap tokens are `[a-z0-9]{6}.[a-z0-9]{16}`; only the two parts are required. */
export function bootstrapTokenProblem(text: string): string | undefined {
  return /^[^\s.]+\.[^\s.]+$/.test(text) ? undefined : 'a bootstrap token of the form id.secret';
}

/** For servers that receive a token of the controller. */
export function plainHttpDoubt(text: string): string | undefined {
  return /^http:/i.test(text)
    ? 'is plain http: the token that the controller sends is not encrypted; use https if the server supports it'
    : undefined;
}

export function bootstrapTokenDoubt(text: string): string | undefined {
  return /^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(text)
    ? undefined
    : 'does not look like a Kubernetes bootstrap token (6 characters, a dot, 16 characters): the API server may reject new nodes';
}

// ---------------------------------------------------------------------------------------------------

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Of an ARM id: not empty, and nothing that would make it another URL. */
const SEGMENT = /^[^\s/?#%<>\\]+$/;

function idForm(namespace: string, types: readonly string[]): string {
  const tail = types.map((type) => `${type}/{${type.replace(/ies$/, 'y').replace(/s$/, '')}}`).join('/');
  return `/subscriptions/{subscription}/resourceGroups/{group}/providers/${namespace}/${tail}`;
}
