import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, issueClientCertificate } from '@chandler/kube/tls';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  fixturesForTests,
  type IdentityFixture,
  takeStep,
} from '../../../../../test/flexnode/standins/identity-fixture.ts';
import { AKS_SERVER_APP_ID } from '../azure/audience.ts';
import { createDryRunAzureClient, createDryRunClusterClient } from '../azure/dry-run-clients.ts';
import { failure } from '../flex-error.fixture.ts';
import { FlexError } from '../flex-error.ts';
import { CERTIFICATE_AND_KEY } from '../kubelet/step-context.fixture.ts';
import { credentialsStep } from './credentials.ts';
import { deleteTemporaryBindings } from './operator-access.ts';

const PRINCIPAL = 'dddddddd-0000-4000-8000-000000000001';
const ARC_TOKEN = { config: { security: { tlsBootstrap: false } } };
const CSR = 'system:certificates.k8s.io:certificatesigningrequests';
const ADMIN_CONF = '/etc/kubernetes/admin.conf';
let caData = '';
let adminKubeconfig = '';
let userKubeconfig = '';
let adminKey = '';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const kubeconfig = (cluster: string, user: string) =>
  `apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n  context: {cluster: harbour, user: u}\nclusters:\n- name: other\n  cluster: {server: "https://wrong:443"}\n- name: harbour\n  cluster: ${cluster}\nusers:\n- name: u\n  user: ${user}\n`;
const SERVER = 'server: "https://harbour.example.net:443"';

beforeAll(async () => {
  const authority = await createAuthority(Date.now, 'harbour');
  const admin = await issueClientCertificate(authority, {
    commonName: 'admin',
    organizations: ['system:masters'],
  });
  caData = base64(authority.certificatePem);
  adminKey = base64(admin.privateKeyPem);
  adminKubeconfig = kubeconfig(
    `{${SERVER}, certificate-authority-data: ${caData}}`,
    `{client-certificate-data: ${base64(admin.certificatePem)}, client-key-data: ${adminKey}}`,
  );
  userKubeconfig = kubeconfig(
    `{${SERVER}, certificate-authority-data: ${caData}}`,
    '{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: kubelogin}}',
  );
});

const fixture = fixturesForTests((made) => {
  made.facts.set('arc.principalId', PRINCIPAL);
  Object.assign(made.cluster, { adminKubeconfig, userKubeconfig });
});
const bootstrap = (at: IdentityFixture) => takeStep(credentialsStep, at);

describe('[004-S9] the cluster’s address and authority', () => {
  test('are learnt with the operator’s credential from the admin kubeconfig', async () => {
    const at = fixture();
    await bootstrap(at);
    expect(Object.fromEntries(at.facts)).toMatchObject({
      'cluster.server': 'https://harbour.example.net:443',
      'cluster.caData': caData,
      'cluster.dnsServiceIp': '10.1.0.10',
      'cluster.serverVersion': 'v1.32.7',
      'cluster.clientCa': 'PEM of the client authority',
      'cluster.binding':
        'chandler-flexnode:edge-01:request,chandler-flexnode:edge-01:approval,chandler-flexnode:edge-01:renewal',
      'cluster.bindingTemporary': 'chandler-flexnode:edge-01:request,chandler-flexnode:edge-01:approval',
    });
    expect(at.arm.calls.some((call) => call.endsWith('/listClusterAdminCredential'))).toBe(true);
    expect(at.fakeCluster.credentials[0]).toMatchObject({ kind: 'certificate' });
    expect(await credentialsStep.isCompleted(at.context)).toBe(true);
  });

  test('come from the user kubeconfig and a token of the operator where local accounts are disabled', async () => {
    const at = fixture();
    at.cluster.disableLocalAccounts = true;
    await bootstrap(at);
    expect(at.arm.calls.some((call) => call.endsWith('/listClusterAdminCredential'))).toBe(false);
    const [credential] = at.fakeCluster.credentials;
    expect(credential).toMatchObject({ kind: 'token' });
    const token = credential!.kind === 'token' ? credential!.token : '';
    expect(at.tokens.holder(token, AKS_SERVER_APP_ID)).toBe(at.login.objectId);
  });

  test('also when Azure says so only to the call itself', async () => {
    const at = fixture();
    at.arm.fail(/listClusterAdminCredential/, {
      kind: 'status',
      status: 400,
      code: 'BadRequest',
      message:
        'Getting static credential is not allowed because this cluster is set to disable local accounts.',
    });
    await bootstrap(at);
    expect(at.facts.get('cluster.server')).toBe('https://harbour.example.net:443');
  });

  test('are requested only if the machine has an identity', async () => {
    const at = fixture();
    at.facts.delete('arc.principalId');
    expect(await failure(bootstrap(at))).toMatchObject({ code: 'credentials.no-principal' });
  });
});

describe('[004-SEC-10] a cluster that cannot prove who it is', () => {
  test.each([
    ['no authority', `{${SERVER}}`, 'kubeconfig.no-authority'],
    ['checks switched off', `{${SERVER}, insecure-skip-tls-verify: true}`, 'kubeconfig.insecure'],
    [
      'an authority that is none',
      `{${SERVER}, certificate-authority-data: ${base64('junk')}}`,
      'kubeconfig.bad-authority',
    ],
    ['plain http', '{server: "http://harbour:80"}', 'kubeconfig.no-server'],
  ])('%s is a hard error, and nothing is remembered', async (_, cluster, code) => {
    const at = fixture();
    at.cluster.adminKubeconfig = kubeconfig(cluster, '{token: t}');
    expect(await failure(bootstrap(at))).toMatchObject({ code });
    expect(at.facts.get('cluster.server')).toBeUndefined();
    expect(at.fakeCluster.bindings.size).toBe(0);
  });

  test('a kubeconfig that is no YAML is not quoted', async () => {
    const at = fixture();
    at.cluster.adminKubeconfig = '{ token: very-secret-token';
    const facts = await failure(bootstrap(at));
    expect(facts.code).toBe('kubeconfig.not-yaml');
    expect(JSON.stringify(facts)).not.toContain('very-secret');
  });
});

describe('[004-SEC-1] admin.conf', () => {
  test('is never on the disk, so a killed run cannot leave it there', async () => {
    const at = fixture();
    const written: string[] = [];
    const host = {
      ...at.context.host,
      writeFile: async (path: string, content: string | Uint8Array, options: { mode: number }) => {
        written.push(path);
        await at.context.host.writeFile(path, content, options);
      },
    };
    await credentialsStep.execute({ ...at.context, host });
    expect(written).toEqual([]);
    expect(existsSync(join(at.root, ADMIN_CONF))).toBe(false);
    expect(JSON.stringify([[...at.facts], at.said, at.world.lines])).not.toContain(adminKey);
  });

  test('[004-checklist] [004-S9] is kept with 0644 in the document’s own mode', async () => {
    const at = fixture({ config: { security: { documentMode: true } } });
    await bootstrap(at);
    expect(readFileSync(join(at.root, ADMIN_CONF), 'utf8')).toBe(adminKubeconfig);
    expect(statSync(join(at.root, ADMIN_CONF)).mode & 0o777).toBe(0o644);
    expect(await credentialsStep.isCompleted(at.context)).toBe(true);
  });

  test('goes when the document’s own mode is left', async () => {
    const at = fixture({ config: { security: { documentMode: true } } });
    await bootstrap(at);
    const config = { ...at.config, security: { ...at.config.security, documentMode: false } };
    const context = { ...at.context, config };
    expect(await credentialsStep.isCompleted(context)).toBe(false);
    await credentialsStep.execute(context);
    expect(existsSync(join(at.root, ADMIN_CONF))).toBe(false);
    expect(await credentialsStep.isCompleted(context)).toBe(true);
  });

  test('of somebody else is not touched', async () => {
    const at = fixture();
    await at.host.makeDirectory('/etc/kubernetes', 0o755);
    await at.host.writeFile(ADMIN_CONF, 'theirs', { mode: 0o600 });
    await bootstrap(at);
    expect(readFileSync(join(at.root, ADMIN_CONF), 'utf8')).toBe('theirs');
  });
});

describe('[004-SEC-2] what the node’s identity may do in the cluster', () => {
  test('with security.tlsBootstrap false it is the ClusterRole system:node, under its own name', async () => {
    const at = fixture(ARC_TOKEN);
    await bootstrap(at);
    expect([...at.fakeCluster.bindings]).toEqual([
      ['chandler-flexnode:edge-01', { clusterRole: 'system:node', user: PRINCIPAL }],
    ]);
  });

  test('[004-SEC-3] by default it is only the request of a node certificate, and no system:node', async () => {
    const at = fixture();
    await bootstrap(at);
    const roles = [...at.fakeCluster.bindings.values()];
    expect(roles.filter((each) => each.user === PRINCIPAL).map((each) => each.clusterRole)).toEqual([
      'system:node-bootstrapper',
      'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    ]);
    expect(roles.map((each) => each.clusterRole)).not.toContain('system:node');
  });

  test('is decided by Azure alone in the document’s own mode', async () => {
    const at = fixture({ config: { security: { documentMode: true } } });
    await bootstrap(at);
    expect(at.fakeCluster.bindings.size).toBe(0);
  });

  test('ends when the Node is Ready: only the renewal of its certificate is left', async () => {
    const at = fixture();
    await bootstrap(at);
    await deleteTemporaryBindings(at.context);
    expect([...at.fakeCluster.bindings.keys()]).toEqual(['chandler-flexnode:edge-01:renewal']);
    expect(at.facts.get('cluster.binding')).toBe('chandler-flexnode:edge-01:renewal');
    expect(at.facts.get('cluster.bindingTemporary')).toBeUndefined();
  });

  test('comes back for a new certificate if the old one is lost or has expired', async () => {
    const at = fixture();
    await bootstrap(at);
    expect(await credentialsStep.isCompleted(at.context)).toBe(true);
    await deleteTemporaryBindings(at.context);
    expect(await credentialsStep.isCompleted(at.context)).toBe(false);
    await at.host.makeDirectory('/var/lib/kubelet/pki', 0o700);
    await at.host.writeFile('/var/lib/kubelet/pki/kubelet-client-current.pem', CERTIFICATE_AND_KEY, {
      mode: 0o600,
    });
    await at.host.writeFile(
      '/var/lib/kubelet/kubeconfig',
      kubeconfig(`{${SERVER}, certificate-authority-data: ${caData}}`, '{}').replace(
        /- name: other\n.*\n/,
        '',
      ),
      { mode: 0o600 },
    );
    expect(await credentialsStep.isCompleted(at.context)).toBe(true);
    const world = { ...at.context.world, clock: { ...at.context.world.clock, now: () => Date.UTC(2200) } };
    expect(await credentialsStep.isCompleted({ ...at.context, world })).toBe(false);
  });

  test('changes with the mode: the old bindings are deleted when the Node is Ready with the new ones', async () => {
    const at = fixture(ARC_TOKEN);
    await bootstrap(at);
    const config = { ...at.config, security: { ...at.config.security, tlsBootstrap: true } };
    const context = { ...at.context, config };
    await credentialsStep.execute(context);
    expect([...at.fakeCluster.bindings.keys()]).toContain('chandler-flexnode:edge-01');
    await deleteTemporaryBindings(context);
    expect([...at.fakeCluster.bindings.keys()]).toEqual(['chandler-flexnode:edge-01:renewal']);
  });

  test('a binding that cannot be deleted is reported, kept in the records, and retried', async () => {
    const at = fixture();
    await bootstrap(at);
    at.fakeCluster.forbidden.add('deleteBinding');
    await deleteTemporaryBindings(at.context);
    expect(at.said.join('\n')).toContain('could not be deleted');
    expect(at.facts.get('cluster.bindingTemporary')).toContain(':approval');
    at.fakeCluster.forbidden.clear();
    await deleteTemporaryBindings(at.context);
    expect([...at.fakeCluster.bindings.keys()]).toEqual(['chandler-flexnode:edge-01:renewal']);
  });

  test('an operator who may not create bindings gets the command for a cluster admin', async () => {
    const at = fixture();
    at.fakeCluster.forbidden.add('bindUser');
    const facts = await failure(bootstrap(at));
    expect(facts).toMatchObject({ class: 'auth', code: 'cluster.forbidden' });
    expect(facts.remedy).toContain(
      `kubectl create clusterrolebinding chandler-flexnode:edge-01:request --clusterrole=system:node-bootstrapper --user=${PRINCIPAL}`,
    );
  });
});

describe('a cluster that changes after bootstrap', () => {
  test.each([
    ['its API server answers with a certificate of another CA', 'cluster.untrusted'],
    ['its API server no longer answers at the address', 'cluster.unreachable'],
  ])('%s: the step runs again and learns the new one', async (_, code) => {
    const at = fixture();
    await bootstrap(at);
    expect(await credentialsStep.isCompleted(at.context)).toBe(true);
    at.fakeCluster.failing = new FlexError({ class: 'network', code, message: 'no' });
    expect(await credentialsStep.isCompleted(at.context)).toBe(false);
    at.fakeCluster.failing = undefined;
    at.cluster.adminKubeconfig = adminKubeconfig.replace('harbour.example.net', 'moved.example.net');
    await credentialsStep.execute(at.context);
    expect(at.facts.get('cluster.server')).toBe('https://moved.example.net:443');
  });

  test('an API server that only rejects the anonymous request is the same one', async () => {
    const at = fixture();
    await bootstrap(at);
    at.fakeCluster.forbidden.add('serverVersion');
    expect(await credentialsStep.isCompleted(at.context)).toBe(true);
  });
});

describe('versions that may not live together', () => {
  test.each([
    ['1.31.0', 'credentials.kubelet-newer-than-server'],
    ['1.36.1', 'credentials.kubelet-too-old'],
  ])('a cluster of %s', async (version, code) => {
    const at = fixture();
    at.cluster.kubernetesVersion = version;
    const facts = await failure(bootstrap(at));
    expect(facts).toMatchObject({ class: 'config', code, where: 'kubernetes.version' });
    expect(at.fakeCluster.bindings.size).toBe(0);
  });

  test('what the API server itself says counts too', async () => {
    const at = fixture();
    at.fakeCluster.version = 'v1.31.4';
    expect(await failure(bootstrap(at))).toMatchObject({ code: 'credentials.kubelet-newer-than-server' });
  });
});

test('a cluster that hides its client authority costs kubectl logs, not the node', async () => {
  const at = fixture();
  at.fakeCluster.forbidden.add('clientCa');
  await bootstrap(at);
  expect(at.facts.get('cluster.clientCa')).toBeUndefined();
  expect(at.said.join('\n')).toContain('kubectl logs');
});

describe('[004-S9] undone', () => {
  test('the bindings and the Node are gone', async () => {
    const at = fixture();
    await bootstrap(at);
    at.fakeCluster.nodes.set('edge-01', { ready: true });
    expect(await credentialsStep.undo(at.context)).toEqual([]);
    expect(at.fakeCluster.bindings.size).toBe(0);
    expect(at.fakeCluster.nodes.size).toBe(0);
    expect([...at.facts.keys()]).toEqual(['arc.principalId']);
  });

  test('a Node that was there before us is not deleted, and said', async () => {
    const at = fixture();
    at.fakeCluster.nodes.set('edge-01', { ready: false });
    await bootstrap(at);
    await credentialsStep.execute(at.context);
    expect(await credentialsStep.undo(at.context)).toMatchObject([{ what: 'Node edge-01' }]);
    expect(at.fakeCluster.nodes.size).toBe(1);
  });

  test('[004-SEC-19] without the operator’s credential what stays is listed with the commands', async () => {
    const at = fixture(ARC_TOKEN);
    await bootstrap(at);
    at.arm.fail(/managedClusters/, { kind: 'status', status: 403, code: 'AuthorizationFailed' }, 9);
    const left = await credentialsStep.undo(at.context);
    expect(left.map((each) => each.what)).toEqual([
      'Node edge-01',
      'ClusterRoleBinding chandler-flexnode:edge-01',
    ]);
    expect(left[1]!.finish).toEqual([
      `az aks get-credentials --admin --subscription ${at.config.azure.subscriptionId} --resource-group rg-cluster --name harbour`,
      'kubectl --context harbour-admin delete clusterrolebinding chandler-flexnode:edge-01',
    ]);
    at.arm.faults.length = 0;
    expect(await credentialsStep.undo(at.context)).toEqual([]);
  });

  test('with the cluster everything in it is gone', async () => {
    const at = fixture();
    await bootstrap(at);
    at.arm.clusters.clear();
    expect(await credentialsStep.undo(at.context)).toEqual([]);
  });
});

test('a dry run reads, hands out no credential and notes every write', async () => {
  const at = fixture();
  const notes: string[] = [];
  const options = { config: at.config, note: (what: string) => void notes.push(what) };
  const azure = createDryRunAzureClient({ ...options, real: at.azure });
  const context = { ...at.context, dryRun: true, azure, cluster: createDryRunClusterClient(options) };
  await credentialsStep.execute(context);
  expect(notes).toEqual([
    'would request from Azure the admin kubeconfig of the cluster harbour',
    `would bind user ${PRINCIPAL} to ClusterRole system:node-bootstrapper (ClusterRoleBinding chandler-flexnode:edge-01:request)`,
    `would bind user ${PRINCIPAL} to ClusterRole ${CSR}:nodeclient (ClusterRoleBinding chandler-flexnode:edge-01:approval)`,
    `would bind user system:node:edge-01 to ClusterRole ${CSR}:selfnodeclient (ClusterRoleBinding chandler-flexnode:edge-01:renewal)`,
  ]);
  expect(at.arm.calls.every((call) => call.startsWith('GET'))).toBe(true);
});
