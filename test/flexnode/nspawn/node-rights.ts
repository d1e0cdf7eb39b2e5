/**
 * What the node and its Arc identity may do, as the API server itself answers (`kubectl auth can-i`). A node may do what
 * the Node authorizer allows for its own pods, and nothing for those of others.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RightsInput {
  readonly kubectl: string;
  readonly folder: string;
  readonly server: string;
  readonly caFile: string;
  /** PEM of certificate and key, as the kubelet keeps them. */
  readonly nodeCertificate: string;
  readonly nodeName: string;
  /** A token of the Arc identity. */
  readonly arcToken: string;
}

/** Lines of `auth can-i --list` that every authenticated user has: reviews about oneself, and discovery. */
const EVERYBODY = [
  /^selfsubject(?:reviews|accessreviews|rulesreviews)\.\S+ +\[\] +\[\] +\[create\]$/,
  /^ +\[\/\S*\] +\[\] +\[get\]$/,
];
const RENEWAL = /^certificatesigningrequests\.certificates\.k8s\.io\/selfnodeclient +\[\] +\[\] +\[create\]$/;

export function checkNodeRights(input: RightsInput): readonly string[] {
  const node = kubeconfigOf(input, 'node', () => {
    const file = join(input.folder, 'node.pem');
    writeFileSync(file, input.nodeCertificate, { mode: 0o600 });
    return { 'client-certificate': file, 'client-key': file };
  });
  const arc = kubeconfigOf(input, 'arc', () => ({ token: input.arcToken }));

  // By RBAC a node has nothing but the renewal of its own certificate; all else is decided by the Node authorizer.
  const listed = list(input.kubectl, node);
  assert.deepEqual(
    listed.filter((line) => ![...EVERYBODY, RENEWAL].some((known) => known.test(line))),
    [],
  );
  assert.ok(
    listed.some((line) => RENEWAL.test(line)),
    'the node may renew its certificate',
  );
  assert.deepEqual(
    list(input.kubectl, arc).filter((line) => !EVERYBODY.some((known) => known.test(line))),
    [],
    'the Arc identity has no right in the cluster',
  );

  const own = [
    ['get', `node/${input.nodeName}`],
    ['patch', `node/${input.nodeName}`, '--subresource=status'],
    ['create', 'certificatesigningrequests.certificates.k8s.io'],
    ['create', 'pods'],
    ['update', `lease/${input.nodeName}`, '-n', 'kube-node-lease'],
  ];
  for (const words of own) assert.equal(may(input.kubectl, node, words), true, `may ${words.join(' ')}`);
  const foreign = [
    ['get', 'secrets', '--all-namespaces'],
    ['list', 'secrets', '--all-namespaces'],
    ['get', 'secret/other', '-n', 'kube-system'],
    ['get', 'configmaps', '--all-namespaces'],
    ['create', 'serviceaccounts/default', '--subresource=token', '-n', 'kube-system'],
    ['delete', 'nodes'],
    ['create', 'clusterrolebindings'],
    ['create', 'certificatesigningrequests.certificates.k8s.io', '--subresource=nodeclient'],
    ['update', 'lease/other', '-n', 'kube-node-lease'],
    ['*', '*'],
  ];
  for (const user of [node, arc]) {
    for (const words of foreign)
      assert.equal(may(input.kubectl, user, words), false, `may not ${words.join(' ')}`);
  }
  for (const words of own)
    assert.equal(may(input.kubectl, arc, words), false, `Arc may not ${words.join(' ')}`);
  return listed;
}

// ---------------------------------------------------------------------------------------------------

function kubeconfigOf(input: RightsInput, name: string, user: () => object): string {
  const file = join(input.folder, `${name}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: input.server, 'certificate-authority': input.caFile } }],
    users: [{ name, user: user() }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: name } }],
    'current-context': 'c',
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

function list(kubectl: string, kubeconfig: string): readonly string[] {
  const run = spawnSync(kubectl, ['--kubeconfig', kubeconfig, 'auth', 'can-i', '--list'], {
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout
    .split('\n')
    .slice(1)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

function may(kubectl: string, kubeconfig: string, words: readonly string[]): boolean {
  const run = spawnSync(kubectl, ['--kubeconfig', kubeconfig, 'auth', 'can-i', ...words], {
    encoding: 'utf8',
  });
  const answer = run.stdout.trim().split('\n').at(-1) ?? '';
  assert.match(answer, /^(?:yes|no)/, `${words.join(' ')}: ${run.stdout}${run.stderr}`);
  return answer.startsWith('yes');
}
