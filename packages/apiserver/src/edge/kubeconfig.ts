/**
 * The kubeconfig of the embedded server: rendered, and written where only its owner can read it. A file that holds
 * other clusters belongs to the user and is not overwritten unless the caller forces it.
 */
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pid } from 'node:process';
import { KUBE_YAML } from '@chandler/kube';
import { parse, stringify } from 'yaml';

/** The name of cluster, user and context: it identifies a file that this server wrote. */
export const KUBECONFIG_NAME = 'chandler-playground';

export type KubeconfigCredential =
  | { readonly token: string }
  | { readonly certificatePem: string; readonly privateKeyPem: string };

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  readonly caPem: string;
  readonly credential: KubeconfigCredential;
  readonly namespace?: string;
}

export function renderKubeconfig(options: KubeconfigOptions): string {
  const { credential } = options;
  const user =
    'token' in credential
      ? { token: credential.token }
      : {
          'client-certificate-data': base64(credential.certificatePem),
          'client-key-data': base64(credential.privateKeyPem),
        };
  const context = {
    cluster: KUBECONFIG_NAME,
    user: KUBECONFIG_NAME,
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
  };
  const cluster = { server: options.server, 'certificate-authority-data': base64(options.caPem) };
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: KUBECONFIG_NAME, cluster }],
    users: [{ name: KUBECONFIG_NAME, user }],
    contexts: [{ name: KUBECONFIG_NAME, context }],
    'current-context': KUBECONFIG_NAME,
    preferences: {},
  };
  return stringify(content, { ...KUBE_YAML, lineWidth: 0 });
}

/** The file exists and was not written by this server. */
export class ForeignKubeconfigError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} exists and was not written by the playground`);
    this.name = 'ForeignKubeconfigError';
    this.path = path;
  }
}

/** Writes the file whole or not at all, readable by its owner only. */
export async function writeKubeconfig(
  path: string,
  content: string,
  options: { force?: boolean } = {},
): Promise<void> {
  const existing = await readIfThere(path);
  if (existing !== undefined && options.force !== true && !isOurs(existing))
    throw new ForeignKubeconfigError(path);
  const folder = dirname(path);
  await makeFolder(folder);
  const temporary = join(folder, `.${KUBECONFIG_NAME}-${pid}`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** An empty file may be overwritten; otherwise every cluster in it must belong to this server. */
function isOurs(content: string): boolean {
  if (content.trim() === '') return true;
  try {
    const { clusters } = parse(content, KUBE_YAML) as { clusters?: { name?: unknown }[] };
    return (
      Array.isArray(clusters) &&
      clusters.length > 0 &&
      clusters.every((cluster) => cluster.name === KUBECONFIG_NAME)
    );
  } catch {
    return false;
  }
}

/** Level by level: the recursive mkdir of Node.js never ends below /proc. */
async function makeFolder(folder: string, parentTried = false): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || parentTried) throw error;
    await makeFolder(dirname(folder));
    await makeFolder(folder, true);
  }
}
