/** ConfigMaps, Secrets and service accounts: data that others read. */
import type { KubeObject } from '@chandler/kube';
import type { V1ConfigMap, V1Secret } from '@kubernetes/client-node';
import { setField } from '../../storage/json.ts';
import { rowOf } from '../../table-row.ts';
import type { KindRules } from '../rules.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { configKey } from '../validation/names.ts';

const MAX_BYTES = 1024 * 1024;
const FROZEN = 'field is immutable when `immutable` is set';

export const configMapRules: KindRules = {
  revalidatesMetadata: true,
  revalidates: false,
  validate: (object, errors) => checkConfigMap(object as unknown as V1ConfigMap, errors),
  validateUpdate: (next, current, errors) => {
    if (current['immutable'] === true) {
      if (next['immutable'] !== true) errors.forbidden('immutable', FROZEN);
      for (const field of ['data', 'binaryData'])
        if (!sameValue(next[field], current[field])) errors.forbidden(field, FROZEN);
    }
    checkConfigMap(next as unknown as V1ConfigMap, errors);
  },
};

export const secretRules: KindRules = {
  revalidatesMetadata: true,
  revalidates: false,
  defaults: (object) => {
    const secret = object as unknown as V1Secret;
    secret.type ??= 'Opaque';
    if (secret.stringData === undefined) return;
    // stringData is moved to data; the field itself is never returned.
    secret.data ??= {};
    for (const key in secret.stringData)
      setField(secret.data, key, Buffer.from(secret.stringData[key]!).toString('base64'));
    delete secret.stringData;
  },
  validate: (object, errors) => checkSecret(object as unknown as V1Secret, errors),
  prepareForUpdate: (next, current) => {
    // Clients that omit the type mean the existing one.
    if (next['type'] === undefined || next['type'] === '') next['type'] = current['type'];
  },
  validateUpdate: (next, current, errors) => {
    errors.immutable('type', next['type'], current['type']);
    if (current['immutable'] === true) {
      if (next['immutable'] !== true) errors.forbidden('immutable', FROZEN);
      if (!sameValue(next['data'], current['data'])) errors.forbidden('data', FROZEN);
    }
    checkSecret(next as unknown as V1Secret, errors);
  },
};

export const serviceAccountRules: KindRules = {
  // Secrets of an account are in its own namespace: only their names are kept.
  prepareForCreate: (object) => keepSecretNames(object),
  prepareForUpdate: (next) => keepSecretNames(next),
};

// ---------------------------------------------------------------------------------------------------

function keepSecretNames(object: KubeObject): void {
  const secrets = object['secrets'] as { name?: string }[] | undefined;
  if (secrets === undefined) return;
  object['secrets'] = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

function checkConfigMap(map: V1ConfigMap, errors: FieldErrors): void {
  let size = 0;
  for (const key in map.data) {
    errors.invalidFor(`data[${key}]`, key, configKey(key));
    if (map.binaryData?.[key] !== undefined) {
      errors.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData');
    }
    size += Buffer.byteLength(map.data[key]!);
  }
  for (const key in map.binaryData) {
    errors.invalidFor(`binaryData[${key}]`, key, configKey(key));
    size += Buffer.byteLength(map.binaryData[key]!, 'base64');
  }
  if (size > MAX_BYTES) errors.tooLong('[]', MAX_BYTES);
}

/** Secrets of a known type must have the keys that readers of the type look for. */
const TYPES: Readonly<Record<string, (secret: V1Secret, errors: FieldErrors) => void>> = {
  'kubernetes.io/service-account-token': ({ metadata }, errors) => {
    const key = 'kubernetes.io/service-account.name';
    if (!metadata?.annotations?.[key]) errors.required(`metadata.annotations[${key}]`);
  },
  'kubernetes.io/dockercfg': (secret, errors) => checkJson(secret, '.dockercfg', errors),
  'kubernetes.io/dockerconfigjson': (secret, errors) => checkJson(secret, '.dockerconfigjson', errors),
  'kubernetes.io/basic-auth': ({ data }, errors) => {
    if (data?.['username'] !== undefined || data?.['password'] !== undefined) return;
    errors.required('data[username]');
    errors.required('data[password]');
  },
  'kubernetes.io/ssh-auth': ({ data }, errors) => {
    if (!data?.['ssh-privatekey']) errors.required('data[ssh-privatekey]');
  },
  'kubernetes.io/tls': ({ data }, errors) => {
    for (const key of ['tls.crt', 'tls.key']) if (data?.[key] === undefined) errors.required(`data[${key}]`);
  },
};

function checkSecret(secret: V1Secret, errors: FieldErrors): void {
  let size = 0;
  for (const key in secret.data) {
    errors.invalidFor(`data[${key}]`, key, configKey(key));
    size += Buffer.byteLength(secret.data[key]!, 'base64');
  }
  if (size > MAX_BYTES) errors.tooLong('data', MAX_BYTES);
  rowOf(TYPES, secret.type ?? '')?.(secret, errors);
}

function checkJson({ data }: V1Secret, key: string, errors: FieldErrors): void {
  const value = data?.[key];
  if (value === undefined) {
    errors.required(`data[${key}]`);
    return;
  }
  const text = Buffer.from(value, 'base64').toString('utf8');
  try {
    JSON.parse(text);
  } catch {
    const why =
      text === ''
        ? 'unexpected end of JSON input'
        : `invalid character '${text[0]}' looking for beginning of value`;
    errors.invalid(`data[${key}]`, '<secret contents redacted>', why);
  }
}
