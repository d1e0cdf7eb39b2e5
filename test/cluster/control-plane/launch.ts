/**
 * A real control plane for one test run: etcd and kube-apiserver, and on demand the garbage collector and
 * namespace controllers, or the whole kube-controller-manager and kube-scheduler. Everything listens on loopback, or
 * where the options say, and keeps its files in a temporary folder, which stop() deletes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { endProcess, freePort } from './processes.ts';

export interface ControlPlane {
  readonly url: string;
  readonly token: string;
  readonly caFile: string;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** `collectors` runs only garbage collection and namespace deletion, so that nothing else changes objects. */
  readonly controllers: 'none' | 'collectors' | 'all';
  readonly scheduler: boolean;
  /** Where kube-apiserver listens, and pods find it. Default 127.0.0.1. */
  readonly address?: string;
  /** Pods get a ServiceAccount with its token, as in a cluster. Default false. */
  readonly serviceAccounts?: boolean;
  /** Additional flags, after our own. The function writes the files that they name into the folder. */
  readonly moreFlags?: (folder: string) => {
    readonly server?: readonly string[];
    readonly controllers?: readonly string[];
  };
}

/** Users of the token file: an administrator, and a user without any permission. */
export const ADMIN_TOKEN = 'admin-token';
export const ALICE_TOKEN = 'alice-token';

const READY_TIMEOUT_MS = 120_000;

export async function launchControlPlane(
  binaries: string,
  options: ControlPlaneOptions,
): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-control-plane-'));
  const children: ChildProcess[] = [];
  const stop = async () => {
    for (const child of children.toReversed()) await endProcess(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    return { ...(await startAll(binaries, folder, children, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

async function startAll(
  binaries: string,
  folder: string,
  children: ChildProcess[],
  options: ControlPlaneOptions,
) {
  const start = (program: string, args: readonly string[]) => {
    const output = openSync(join(folder, `${program}.log`), 'w');
    const child = spawn(join(binaries, program), args, { stdio: ['ignore', output, output] });
    closeSync(output);
    children.push(child);
    return child;
  };
  const [etcdPort, peerPort, port] = await Promise.all([freePort(), freePort(), freePort()]);
  writeKeys(folder);
  start('etcd', etcdFlags(folder, etcdPort!, peerPort!));
  const { address = '127.0.0.1' } = options;
  const url = `https://${address}:${port}`;
  const more = options.moreFlags?.(folder) ?? {};
  const ports = { etcd: etcdPort!, own: port! };
  const server = start('kube-apiserver', [
    ...serverFlags(folder, ports, { address, ...options }),
    ...(more.server ?? []),
  ]);
  await untilReady(url, server, join(folder, 'kube-apiserver.log'));
  const caFile = join(folder, 'certs', 'apiserver.crt');
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigText(url, caFile), { mode: 0o600 });
  if (options.controllers !== 'none')
    start('kube-controller-manager', [
      ...controllerFlags(folder, kubeconfig, options),
      ...(more.controllers ?? []),
    ]);
  if (options.scheduler) start('kube-scheduler', schedulerFlags(folder, kubeconfig));
  return { url, token: ADMIN_TOKEN, caFile, kubeconfig };
}

function writeKeys(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  writeFileSync(join(folder, 'sa.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'sa.pub'), publicKey);
  const users = [`${ADMIN_TOKEN},admin,admin,"system:masters"`, `${ALICE_TOKEN},alice,alice,"dev"`];
  writeFileSync(join(folder, 'tokens.csv'), `${users.join('\n')}\n`, { mode: 0o600 });
}

function etcdFlags(folder: string, port: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ];
}

function serverFlags(
  folder: string,
  ports: { readonly etcd: number; readonly own: number },
  { address, serviceAccounts = false }: { readonly address: string; readonly serviceAccounts?: boolean },
): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    `--bind-address=${address}`,
    `--secure-port=${ports.own}`,
    `--cert-dir=${join(folder, 'certs')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--allow-privileged=true',
    ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ];
}

function controllerFlags(folder: string, kubeconfig: string, options: ControlPlaneOptions): string[] {
  const only =
    options.controllers === 'collectors' ? ['garbage-collector-controller', 'namespace-controller'] : ['*'];
  return [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${only.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--service-account-private-key-file=${join(folder, 'sa.key')}`,
    ...(options.serviceAccounts ? [`--root-ca-file=${join(folder, 'certs', 'apiserver.crt')}`] : []),
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}

function schedulerFlags(folder: string, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--cert-dir=${join(folder, 'scheduler-certs')}`,
    '--authentication-skip-lookup',
    '--kube-api-qps=1000',
    '--kube-api-burst=2000',
  ];
}

function kubeconfigText(url: string, caFile: string): string {
  return `${JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': caFile } }],
    users: [{ name: 'admin', user: { token: ADMIN_TOKEN } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  })}\n`;
}

async function untilReady(url: string, server: ChildProcess, logFile: string): Promise<void> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const deadline = Date.now() + READY_TIMEOUT_MS;
  try {
    for (;;) {
      const authorization = `Bearer ${ADMIN_TOKEN}`;
      const status = await request(`${url}/readyz`, { dispatcher, headers: { authorization } }).then(
        async (answer) => {
          await answer.body.dump();
          return answer.statusCode;
        },
        () => 0,
      );
      if (status === 200) return;
      if (server.exitCode !== null || Date.now() > deadline) {
        throw new Error(`kube-apiserver did not get ready: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
      }
      await sleep(200);
    }
  } finally {
    await dispatcher.close();
  }
}
