/** What a pod of the controller may do, seen from its process on the node and tried from within. */
import assert from 'node:assert/strict';
import type { KubeObject } from '@chandler/kube';
import { NONROOT } from '../../scripts/image/root-files.ts';
import { type InstallCluster, NAMESPACE } from './cluster.ts';

/** User, groups, capabilities, seccomp and the root mount of the process, as the kernel of the node has them. */
export async function checkProcess(cluster: InstallCluster, pod: KubeObject): Promise<void> {
  const { nodeName } = pod['spec'] as { nodeName: string };
  const machine = cluster.machines.get(nodeName)!;
  const script =
    'for each in /proc/[0-9]*; do if tr "\\0" " " < $each/cmdline | grep -q "chandler[^ ]* [c]ontroller"; then cat $each/status; grep " / / " $each/mountinfo; fi; done';
  const { stdout } = await machine.run(['sh', '-c', script]);
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(stdout)?.[1];
  assert.deepEqual(
    {
      users: field('Uid')?.split(/\s+/),
      groups: field('Gid')?.split(/\s+/),
      capabilities: [field('CapPrm'), field('CapEff'), field('CapBnd')],
      noNewPrivileges: field('NoNewPrivs'),
      seccomp: field('Seccomp'),
      root: /^\d+ \d+ \S+ \/ \/ (\w+)/m.exec(stdout)?.[1],
    },
    {
      users: Array(4).fill(String(NONROOT)),
      groups: Array(4).fill(String(NONROOT)),
      capabilities: Array(3).fill('0000000000000000'),
      noNewPrivileges: '1',
      // A filter.
      seccomp: '2',
      root: 'ro',
    },
    `on ${nodeName}: ${stdout}`,
  );
}

/** Writes everywhere, with `kubectl exec`: only /tmp takes it. And whose token it has. */
export function checkWrites(cluster: InstallCluster, pod: KubeObject): void {
  const answer = inPod(
    cluster,
    pod,
    `const { readFileSync, writeFileSync } = require('node:fs');
    const tries = ['/a', '/opt/chandler/a', '/home/nonroot/a', '/etc/a', '/tmp/a'].map((file) => {
      try { writeFileSync(file, ''); return 'written'; } catch (error) { return error.code; }
    });
    const token = readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8');
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
    console.log(JSON.stringify({ tries, sub, uid: process.getuid() }));`,
  );
  assert.deepEqual(JSON.parse(answer), {
    tries: ['EROFS', 'EROFS', 'EROFS', 'EROFS', 'written'],
    sub: `system:serviceaccount:${NAMESPACE}:chandler`,
    uid: NONROOT,
  });
}

/** What a program of Node prints in the container of the controller. */
export function inPod({ kubectl }: InstallCluster, { metadata }: KubeObject, program: string): string {
  const where = ['--namespace', NAMESPACE, metadata.name!, '--container', 'controller'];
  return kubectl('exec', ...where, '--', '/usr/local/bin/node', '-e', program);
}
