/**
 * The files themselves: read, checked, joined, and the chosen context taken out of them. Errors name the file and
 * the entry that is missing, because the user has to fix them.
 */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { parseDocument } from 'yaml';
import { KUBE_YAML } from '../values/kube-yaml.ts';
import type { ExecEntry } from './exec-plugin.ts';

export class CredentialsError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CredentialsError';
  }
}

export interface ClusterEntry {
  readonly server: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[] | null;
}

export interface UserEntry {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecEntry;
  readonly 'auth-provider'?: object;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>> | null;
}

export interface KubeconfigDocument {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  /** Impersonation headers. */
  readonly impersonation?: Readonly<Record<string, string | string[]>>;
}

export interface ChosenContext extends KubeconfigDocument {
  readonly context: string;
  readonly namespace?: string;
}

/** The file as read, with absolute paths. An empty one of several adds nothing, as in kubectl. */
export async function readKubeconfig(file: string, oneOfSeveral: boolean): Promise<RawKubeconfig> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as { code?: string }).code;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? String(error)})`;
    throw new CredentialsError(`kubeconfig ${file} ${why}`, { cause: error });
  }
  const raw = parse(text, file);
  if (oneOfSeveral && raw === null) return {};
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw new CredentialsError(`kubeconfig ${file} is empty or not a mapping`);
  }
  assertLists(raw, file);
  return withAbsolutePaths(raw as RawKubeconfig, dirname(file));
}

/** The first entry of a name wins, as in kubectl. */
export function mergeKubeconfigs(
  files: readonly string[],
  documents: readonly RawKubeconfig[],
  wanted?: string,
): ChosenContext {
  const where = `kubeconfig ${files.join(', ')}`;
  const find = <K extends 'contexts' | 'clusters' | 'users'>(list: K, name: string) =>
    documents.flatMap((document) => (document[list] ?? []) as Named[]).find((entry) => entry.name === name);
  const names = (list: 'contexts' | 'clusters' | 'users') =>
    documents.flatMap((document) => (document[list] ?? []) as Named[]).map(({ name }) => name);

  const contextName = wanted ?? documents.map((document) => document['current-context']).find(Boolean);
  if (!contextName)
    throw new CredentialsError(`${where}: no context is selected and current-context is not set`);
  const context = (find('contexts', contextName) as Raw<'context'> | undefined)?.context;
  if (!context)
    throw new CredentialsError(
      `${where}: context "${contextName}" does not exist${existing(names('contexts'))}`,
    );
  const cluster = (find('clusters', context.cluster ?? '') as Raw<'cluster'> | undefined)?.cluster;
  if (!cluster) {
    const has = existing(names('clusters'));
    throw new CredentialsError(
      `${where}: context "${contextName}" names cluster "${context.cluster ?? ''}", which does not exist${has}`,
    );
  }
  if (!cluster.server) throw new CredentialsError(`${where}: cluster "${context.cluster}" has no server`);
  const server = String(cluster.server);
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new CredentialsError(`${where}: cluster "${context.cluster}": "${server}" is not a URL`);
  const user = context.user ? (find('users', context.user) as Raw<'user'> | undefined) : { user: {} };
  if (!user) {
    const has = existing(names('users'));
    throw new CredentialsError(
      `${where}: context "${contextName}" names user "${context.user}", which does not exist${has}`,
    );
  }
  const entry: UserEntry = user.user ?? {};
  if (entry.exec && !entry.exec.command)
    throw new CredentialsError(`${where}: the exec entry has no command`);
  if (entry.exec) assertTexts(entry.exec, `${where}: user "${context.user}"`);
  return {
    context: contextName,
    ...(context.namespace ? { namespace: context.namespace } : {}),
    cluster: { ...cluster, server: server.replace(/\/$/, '') },
    user: entry,
    impersonation: impersonationHeaders(entry),
  };
}

// ------------------------------------------------------------------------------------------------

/** YAML reads an argument such as 6443 or true as something else, and programs only take text. */
function assertTexts({ command, args, env }: ExecEntry, where: string): void {
  for (const [name, value] of Object.entries({ args, env })) {
    if (Array.isArray(value ?? [])) continue;
    throw new CredentialsError(`${where}: exec.${name} is not a list but ${typeof value}`);
  }
  const fields: [name: string, value: unknown][] = [
    ['command', command],
    ...(args ?? []).map((value, index): [string, unknown] => [`args[${index}]`, value]),
    ...(env ?? []).flatMap((row, index): [string, unknown][] => [
      [`env[${index}].name`, row?.name],
      [`env[${index}].value`, row?.value ?? ''],
    ]),
  ];
  for (const [name, value] of fields) {
    if (typeof value === 'string') continue;
    const kind = value === null ? 'null' : typeof value;
    throw new CredentialsError(`${where}: exec.${name} is not text but ${kind}: put it in quotes`);
  }
}

interface Named {
  readonly name: string;
}

interface Raw<K extends 'context' | 'cluster' | 'user'> extends Named {
  readonly context?: K extends 'context' ? { cluster?: string; user?: string; namespace?: string } : never;
  readonly cluster?: K extends 'cluster' ? ClusterEntry : never;
  readonly user?: K extends 'user' ? UserEntry : never;
}

export interface RawKubeconfig {
  readonly contexts?: readonly Raw<'context'>[];
  readonly clusters?: readonly Raw<'cluster'>[];
  readonly users?: readonly Raw<'user'>[];
  readonly 'current-context'?: string;
}

function parse(text: string, file: string): unknown {
  try {
    const document = parseDocument(text, KUBE_YAML);
    if (document.errors[0]) throw document.errors[0];
    return document.toJS();
  } catch (error) {
    const [detail] = (error as Error).message.split('\n');
    throw new CredentialsError(`kubeconfig ${file} is not YAML: ${detail}`);
  }
}

function assertLists(raw: object, file: string): void {
  for (const list of ['contexts', 'clusters', 'users'] as const) {
    const entries: unknown = (raw as Record<string, unknown>)[list] ?? [];
    if (!Array.isArray(entries)) throw new CredentialsError(`kubeconfig ${file}: ${list} is not a list`);
    if (!entries.every((entry) => typeof entry?.name === 'string'))
      throw new CredentialsError(`kubeconfig ${file}: ${list} has an entry without a name`);
  }
}

function existing(names: readonly string[]): string {
  return names.length === 0 ? '' : ` (available: ${names.join(', ')})`;
}

const PATH_FIELDS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'] as const;

function withAbsolutePaths(raw: RawKubeconfig, dir: string): RawKubeconfig {
  const absolute = <E extends object>(entry: E): E => {
    const changed = { ...entry } as Record<string, unknown>;
    for (const field of PATH_FIELDS) {
      const path = changed[field];
      if (typeof path === 'string' && path !== '' && !isAbsolute(path)) changed[field] = join(dir, path);
    }
    const exec = changed['exec'] as ExecEntry | undefined;
    // A bare name is looked up in PATH; a path is relative to the file.
    const command: unknown = exec?.command;
    if (typeof command === 'string' && command.includes('/') && !isAbsolute(command)) {
      changed['exec'] = { ...exec, command: join(dir, command) };
    }
    return changed as E;
  };
  return {
    ...raw,
    clusters: (raw.clusters ?? []).map((each) => ({
      ...each,
      ...(each.cluster ? { cluster: absolute(each.cluster) } : {}),
    })),
    users: (raw.users ?? []).map((each) => ({
      ...each,
      ...(each.user ? { user: absolute(each.user) } : {}),
    })),
  };
}

/** As client-go: lower case, and percent-encoded where a header name allows no such character (`example.com/scopes`). */
function headerName(key: string): string {
  return [...Buffer.from(key.toLowerCase())]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function impersonationHeaders(user: UserEntry): Record<string, string | string[]> {
  return {
    ...(user.as ? { 'Impersonate-User': user.as } : {}),
    ...(user['as-uid'] ? { 'Impersonate-Uid': user['as-uid'] } : {}),
    ...(user['as-groups']?.length ? { 'Impersonate-Group': [...user['as-groups']] } : {}),
    ...Object.fromEntries(
      Object.entries(user['as-user-extra'] ?? {}).map(([key, values]) => [
        `Impersonate-Extra-${headerName(key)}`,
        [...values],
      ]),
    ),
  };
}
