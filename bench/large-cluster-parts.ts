/** What the large clusters of the clouds have in common: their pods, the stand-ins that run, and how the controller gets in. */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient, KubeObject, ResourceRef } from '@chandler/kube';
import type { Playground } from '../packages/chandler/src/playground/index.ts';
import { accountKubeconfig, accountToken } from '../test/e2e/roles.ts';
import { runningPod } from './pods.ts';

/** Nothing happens by itself. */
export const QUIET_STANDINS = {
  without: ['scheduler', 'workloads', 'disruption', 'volumes', 'service-accounts', 'node-lifecycle'],
  nodeGraceMs: 1000 * 3600_000,
  heartbeatMs: 1000 * 3600_000,
  orphanMs: 1000 * 3600_000,
} as const;

/** A few at a time. */
export async function each(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'chandler-large-'));
}

/** As a file that the API server reads at its start: a hundred thousand requests would take minutes. */
export async function writePods(
  file: string,
  count: number,
  nodeNameOf: (at: number) => string,
): Promise<void> {
  const out = createWriteStream(file);
  const header = {
    format: 'chandler.sh/apiserver-snapshot',
    version: 1,
    revision: count + 1000,
    objects: count,
  };
  out.write(`${JSON.stringify(header)}\n`);
  for (let at = 0; at < count; at++) {
    const pod = runningPod(at);
    const { ownerReferences: _, ...metadata } = pod.metadata;
    const spec = { ...(pod['spec'] as object), nodeName: nodeNameOf(at) };
    const more = out.write(`${JSON.stringify(['pods', { ...pod, metadata, spec }])}\n`);
    if (!more) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** The kubeconfig of the controller's account, which has these roles. */
export async function writeKubeconfig(
  folder: string,
  { server, url }: Pick<Playground, 'server' | 'url'>,
  admin: KubeClient,
  roles: readonly (readonly [ResourceRef, KubeObject])[],
): Promise<string> {
  for (const [resource, object] of roles) await admin.create(resource, object);
  const kubeconfig = join(folder, 'kubeconfig');
  const token = await accountToken(admin);
  writeFileSync(kubeconfig, accountKubeconfig({ server: url!, caPem: server.caPem, token }), { mode: 0o600 });
  return kubeconfig;
}

/** Prints the environment of the controller and what else is given, and ends with the standard input. */
export function serve(folder: string, env: Readonly<Record<string, string>>, more: object = {}): void {
  console.log(JSON.stringify({ env, ...more }));
  process.stdin.resume();
  process.stdin.on('end', () => {
    // A stop in order would write all of it to a file first.
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
}

// ---------------------------------------------------------------------------------------------------

const AT_ONCE = 50;
