import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TEST_CA_DATA } from '../../../../../test/flexnode/test-ca.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import { clusterFacts, kubeletFiles, obsoleteKubeletFiles } from './files.ts';

const CLUSTER = {
  server: 'https://harbour-abc.hcp.westus2.azmk8s.io:443',
  caData: TEST_CA_DATA,
  dnsServiceIp: '10.2.0.10',
};
const MACHINE = { resolvConf: '/run/systemd/resolve/resolv.conf' };

function rendered(config: FlexConfig) {
  const files = kubeletFiles(config, CLUSTER, MACHINE);
  return {
    files,
    paths: files.map(({ path }) => path),
    file: (path: string) => files.find((each) => each.path === path)!,
    text: (path: string) => files.find((each) => each.path === path)!.content,
  };
}

/** All of it as one page: path, mode, bytes. */
function page(config: FlexConfig): string {
  return kubeletFiles(config, CLUSTER, MACHINE)
    .map(({ path, mode, content }) => `=== ${path} ${mode.toString(8).padStart(4, '0')}\n${content}`)
    .join('\n');
}

const ARC_TOKEN = sampleConfig({ security: { tlsBootstrap: false } });

const CONFIGS: Readonly<Record<string, FlexConfig>> = {
  default: sampleConfig(),
  'arc-token': ARC_TOKEN,
  'everything-1.35': sampleConfig({
    kubernetes: { version: '1.35.1' },
    agent: { nodeName: 'edge-07.site.example' },
    node: {
      maxPods: 40,
      labels: { zone: 'b', 'example.com/rack': 'r1', 'kubernetes.azure.com/managed': 'true' },
      taints: ['dedicated=edge:NoSchedule', 'slow:PreferNoSchedule'],
      kubelet: {
        kubeReserved: { memory: '500Mi', cpu: '100m' },
        evictionHard: { 'nodefs.available': '10%', 'memory.available': '100Mi' },
        nodeIp: '192.0.2.7',
        verbosity: 4,
        extraConfig: { shutdownGracePeriod: '30s', imageGCHighThresholdPercent: 88 },
      },
    },
    networking: { dnsServiceIp: '10.9.0.10', dnsServiceIpGiven: true },
    proxy: {
      http: 'http://user:pa$s%20"word@proxy.example:3128',
      https: 'http://proxy.example:3128',
      noProxy: ['.internal'],
    },
  }),
  'document-mode': sampleConfig({ security: { documentMode: true } }),
};

describe('the files of the kubelet', () => {
  test.each(Object.keys(CONFIGS))('[004-S10] golden: %s', async (name) => {
    await expect(page(CONFIGS[name]!)).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  test('[004-checklist] step 10: defaults, token.sh, kubeconfig 0600, both drop-ins and the unit, where the document wants them', () => {
    const { paths, file } = rendered(ARC_TOKEN);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/etc/default/kubelet',
        '/var/lib/kubelet/token.sh',
        '/var/lib/kubelet/kubeconfig',
        '/etc/systemd/system/kubelet.service.d/10-containerd.conf',
        '/etc/systemd/system/kubelet.service.d/10-kubeadm.conf',
        '/etc/systemd/system/kubelet.service',
      ]),
    );
    expect(file('/var/lib/kubelet/kubeconfig').mode).toBe(0o600);
    expect(file('/etc/default/kubelet').mode).toBe(0o644);
  });

  test('[004-checklist] step 10: labels, systemd cgroup driver, Webhook, pod limit and reservations reach the flags', () => {
    const { text } = rendered(CONFIGS['everything-1.35']!);
    const defaults = text('/etc/default/kubelet');
    for (const flag of [
      '--cgroup-driver=systemd',
      '--authorization-mode=Webhook',
      '--max-pods=40',
      '--kube-reserved=cpu=100m,memory=500Mi',
      '--eviction-hard=memory.available<100Mi,nodefs.available<10%',
      '--register-with-taints=dedicated=edge:NoSchedule,slow:PreferNoSchedule',
      '--node-ip=192.0.2.7',
      '--hostname-override=edge-07.site.example',
    ]) {
      expect(defaults).toContain(flag);
    }
  });

  test('[004-checklist] step 10: kubeconfig has CA, server, arc-user and exec v1beta1 of token.sh without cluster info', () => {
    const kubeconfig = parse(rendered(ARC_TOKEN).text('/var/lib/kubelet/kubeconfig'));
    expect(kubeconfig.clusters[0]).toEqual({
      cluster: { 'certificate-authority-data': TEST_CA_DATA, server: CLUSTER.server },
      name: 'harbour',
    });
    expect(kubeconfig['current-context']).toBe('arc-context');
    expect(kubeconfig.users).toEqual([
      {
        name: 'arc-user',
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1beta1',
            command: '/var/lib/kubelet/token.sh',
            env: null,
            interactiveMode: 'Never',
            provideClusterInfo: false,
          },
        },
      },
    ]);
  });

  test('[004-checklist] after the start: cluster DNS and the CA for logs and exec are configured', () => {
    const { text } = rendered(sampleConfig());
    const config = parse(text('/var/lib/kubelet/config.yaml'));
    expect(config.clusterDNS).toEqual(['10.2.0.10']);
    expect(config.authentication.x509.clientCAFile).toBe('/etc/kubernetes/certs/apiserver-client-ca.crt');
    expect(new X509Certificate(text('/etc/kubernetes/certs/apiserver-client-ca.crt')).subject).toContain(
      'test authority',
    );
    expect(config.nodeStatusUpdateFrequency).toBe('10s');
  });

  test('an address of the DNS service that the operator named comes before what the cluster says', () => {
    const { text } = rendered(CONFIGS['everything-1.35']!);
    expect(parse(text('/var/lib/kubelet/config.yaml')).clusterDNS).toEqual(['10.9.0.10']);
  });

  test('no flag is passed that the version refuses', () => {
    const flags = (version: string) =>
      rendered(sampleConfig({ kubernetes: { version } })).text('/etc/default/kubelet');
    expect(flags('1.34.9')).toContain(
      '--pod-infra-container-image=mcr.microsoft.com/oss/kubernetes/pause:3.6',
    );
    expect(flags('1.35.0')).not.toContain('pod-infra-container-image');
    expect(flags('2.0.0')).not.toContain('pod-infra-container-image');
  });

  test('empty reservations and thresholds are left out, so that the built-in thresholds stay on', () => {
    const { text } = rendered(sampleConfig());
    expect(text('/etc/default/kubelet')).not.toMatch(/eviction-hard|kube-reserved/);
    expect(text('/var/lib/kubelet/config.yaml')).not.toMatch(/evictionHard|kubeReserved/);
  });

  test('the node says that it is not managed, whatever the config says, and labels are sorted', () => {
    const { text } = rendered(CONFIGS['everything-1.35']!);
    expect(text('/etc/default/kubelet')).toContain(
      'KUBELET_NODE_LABELS="example.com/rack=r1,kubernetes.azure.com/managed=false,zone=b"',
    );
  });

  test('a field of extraConfig beats ours, in the file and by taking the flag away', () => {
    const { text } = rendered(
      sampleConfig({
        node: {
          kubelet: {
            extraConfig: {
              cgroupDriver: 'cgroupfs',
              cgroupsPerQOS: false,
              enforceNodeAllocatable: [],
              authentication: { anonymous: { enabled: true } },
            },
          },
        },
      }),
    );
    const config = parse(text('/var/lib/kubelet/config.yaml'));
    expect(config).toMatchObject({
      cgroupDriver: 'cgroupfs',
      cgroupsPerQOS: false,
      enforceNodeAllocatable: [],
    });
    expect(config.authentication).toMatchObject({ anonymous: { enabled: true }, webhook: { enabled: true } });
    expect(text('/etc/default/kubelet')).not.toMatch(/cgroup|enforce-node-allocatable|anonymous-auth/);
    expect(text('/etc/default/kubelet')).toContain('--authentication-token-webhook=true');
  });

  test('the same config gives the same bytes, in any order of its keys', () => {
    const one = sampleConfig({
      node: { labels: { a: '1', b: '2' }, kubelet: { evictionHard: { x: '1', y: '2' } } },
    });
    const other = sampleConfig({
      node: { labels: { b: '2', a: '1' }, kubelet: { evictionHard: { y: '2', x: '1' } } },
    });
    expect(page(other)).toBe(page(one));
  });

  test('[004-checklist] [004-SEC-12] TLS suites have forward secrecy, TLS 1.2 is the least, and pids of a pod are bounded', () => {
    for (const config of Object.values(CONFIGS)) {
      const { text } = rendered(config);
      const file = parse(text('/var/lib/kubelet/config.yaml'));
      for (const suite of file.tlsCipherSuites) expect(suite).toMatch(/^TLS_ECDHE_/);
      expect(file.tlsMinVersion).toBe('VersionTLS12');
      expect(file.podPidsLimit).toBeGreaterThan(0);
      expect(text('/etc/default/kubelet')).not.toMatch(/TLS_RSA_|pod-max-pids=-1/);
    }
  });

  test('[004-SEC-11] the kubelet serves without anonymous access and without its read-only port', () => {
    const file = parse(rendered(sampleConfig()).text('/var/lib/kubelet/config.yaml'));
    expect(file.authentication.anonymous.enabled).toBe(false);
    expect(file.authorization.mode).toBe('Webhook');
    expect(file.readOnlyPort).toBe(0);
  });

  test('[004-checklist] [004-SEC-9] token.sh is for root alone and only calls the program; the document mode alone opens it', () => {
    const secure = rendered(sampleConfig()).file('/var/lib/kubelet/token.sh');
    expect(secure.mode).toBe(0o700);
    expect(secure.content).toBe('#!/bin/sh\nexec /usr/local/bin/chandler-flexnode token "$@"\n');
    expect(rendered(CONFIGS['document-mode']!).file('/var/lib/kubelet/token.sh').mode).toBe(0o755);
  });

  test.each([
    ['', 'no CA at all'],
    [Buffer.from('not a certificate').toString('base64'), 'something else'],
  ])('[004-SEC-10] without a CA nothing is written: no connection trusts an unknown server', (caData) => {
    const render = () => kubeletFiles(sampleConfig(), { ...CLUSTER, caData }, MACHINE);
    expect(render).toThrow(FlexError);
    expect(page(sampleConfig())).not.toContain('insecure-skip-tls-verify');
  });

  test('an API server over plain http is refused', () => {
    expect(() => kubeletFiles(sampleConfig(), { ...CLUSTER, server: 'http://harbour' }, MACHINE)).toThrow(
      /https/,
    );
  });

  test('[004-SEC-2] by default the Arc token only requests a certificate, and the kubelet renews it', () => {
    const { paths, text } = rendered(sampleConfig());
    expect(paths).toContain('/var/lib/kubelet/bootstrap-kubeconfig');
    expect(paths).not.toContain('/var/lib/kubelet/kubeconfig');
    expect(text('/etc/systemd/system/kubelet.service.d/10-kubeadm.conf')).toContain(
      '--bootstrap-kubeconfig /var/lib/kubelet/bootstrap-kubeconfig --kubeconfig /var/lib/kubelet/kubeconfig --rotate-certificates',
    );
    expect(parse(text('/var/lib/kubelet/config.yaml')).rotateCertificates).toBe(true);
    expect(obsoleteKubeletFiles(ARC_TOKEN)).toContain('/var/lib/kubelet/bootstrap-kubeconfig');
  });

  test('a proxy with its password is in a file for root alone, and not in the unit', () => {
    const { file, text } = rendered(CONFIGS['everything-1.35']!);
    expect(file('/etc/kubernetes/kubelet-proxy.env').mode).toBe(0o600);
    expect(text('/etc/systemd/system/kubelet.service.d/20-proxy.conf')).not.toContain('proxy.example');
    expect(text('/etc/kubernetes/kubelet-proxy.env')).toContain(
      'NO_PROXY="localhost,127.0.0.1,::1,.internal,169.254.169.254,.svc,.cluster.local"',
    );
  });

  test('before the credentials step it is said that the cluster is not known', () => {
    expect(() => clusterFacts({ get: () => undefined })).toThrow(/not known yet/);
  });
});
