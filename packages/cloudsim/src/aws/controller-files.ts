/**
 * What a controller needs to run against the AWS of a playground: its environment, as variables and as files next to the
 * kubeconfig. Each secret is in a separate file that only its owner can read.
 */
import { chmod, mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AwsServer } from './aws-server.ts';

export interface ControllerFiles {
  /** All variables, for `set -a; . aws.env`. */
  readonly envFile: string;
  /** Profile `default`, in the format of the AWS command line. */
  readonly credentialsFile: string;
  /** The header with the secret of `/playground/faults`, for `curl -H @FILE`. */
  readonly faultHeaderFile: string;
}

export interface ControllerEnvironment {
  readonly server: AwsServer;
  /** Of the API server. */
  readonly serverUrl: string;
  readonly kubeconfig: string;
  /** Of the controller. Default kube-system. */
  readonly namespace?: string;
}

export function filesIn(folder: string): ControllerFiles {
  return {
    envFile: join(folder, 'aws.env'),
    credentialsFile: join(folder, 'credentials'),
    faultHeaderFile: join(folder, 'fault-header'),
  };
}

/** By the names of the controller's options and of the SDKs; no value is a secret. */
export function controllerEnvironment(
  { server, serverUrl, kubeconfig, namespace = 'kube-system' }: ControllerEnvironment,
  files: ControllerFiles,
): Readonly<Record<string, string>> {
  const [queue] = server.account.queues.keys();
  return {
    KUBECONFIG: kubeconfig,
    SYSTEM_NAMESPACE: namespace,
    CLUSTER_NAME: server.settings.clusterName,
    CLUSTER_ENDPOINT: serverUrl,
    ...(queue === undefined ? {} : { INTERRUPTION_QUEUE: queue }),
    AWS_REGION: server.settings.region,
    AWS_ENDPOINT_URL: server.url,
    AWS_SHARED_CREDENTIALS_FILE: files.credentialsFile,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

/** Creates the folder with access for its owner only, and writes the files. */
export async function writeControllerFiles(
  folder: string,
  environment: ControllerEnvironment,
): Promise<ControllerFiles> {
  const files = filesIn(folder);
  const { credentials, faultSecret } = environment.server;
  const variables = Object.entries(controllerEnvironment(environment, files));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all([
    writeOwn(
      files.credentialsFile,
      `[default]\naws_access_key_id = ${credentials.accessKeyId}\naws_secret_access_key = ${credentials.secretAccessKey}\n`,
    ),
    writeOwn(files.faultHeaderFile, `Authorization: Bearer ${faultSecret}\n`),
    writeOwn(files.envFile, variables.map(([name, value]) => `${name}=${shellWord(value)}\n`).join('')),
  ]);
  return files;
}

export async function removeControllerFiles(folder: string): Promise<void> {
  await Promise.all(Object.values(filesIn(folder)).map((file) => rm(file, { force: true })));
  // Files of others are not removed.
  await rmdir(folder).catch(() => undefined);
}

// ---------------------------------------------------------------------------------------------------

async function writeOwn(file: string, content: string): Promise<void> {
  await writeFile(file, content, { mode: 0o600 });
  // An existing file would otherwise keep its mode.
  await chmod(file, 0o600);
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
