import { describe, expect, test } from 'vitest';
import { sampleConfig } from '../config/config.fixture.ts';
import { CLUSTER_FACTS, fakeContext, unitCommands } from '../kubelet/step-context.fixture.ts';
import { kubeletStep, resolvConfOf } from './kubelet.ts';

const commands = unitCommands();

/** As the kubelet writes it, for the cluster of these facts. */
const kubeconfigOf = (facts: { readonly 'cluster.server': string; readonly 'cluster.caData': string }) =>
  `clusters:\n- cluster:\n    certificate-authority-data: ${facts['cluster.caData']}\n    server: ${facts['cluster.server']}\nusers:\n- name: default-auth\n`;

describe('configuring the kubelet', () => {
  test('[004-checklist] [004-S10] writes its files and our own program, then reloads systemd', async () => {
    const context = fakeContext({ commands });
    await kubeletStep.execute(context);
    expect(context.host.files.get('/usr/local/bin/chandler-flexnode')).toBe(
      `#!/bin/sh\nexec '/usr/bin/node' '/opt/chandler.js' 'flexnode' "$@"\n`,
    );
    expect(context.host.files.get('/var/lib/kubelet/bootstrap-kubeconfig')).toContain(
      'server: https://harbour.test:443',
    );
    expect(context.host.ran.at(-1)).toBe('systemctl daemon-reload');
  });

  test('[004-S10] a single executable is copied, byte for byte', async () => {
    const context = {
      ...fakeContext({ commands, files: { '/tmp/chandler-flexnode': 'ELF' } }),
      self: { copyFrom: '/tmp/chandler-flexnode', argv: [] },
    };
    await kubeletStep.execute(context);
    expect(context.host.files.get('/usr/local/bin/chandler-flexnode')).toBe('ELF');
  });

  test('an executable that lies elsewhere is the same by its bytes alone; the installed copy is itself', async () => {
    const files = { '/tmp/a': 'ELF one', '/tmp/b': 'ELF one', '/tmp/c': 'ELF two' };
    const context = fakeContext({ commands, files });
    const from = (copyFrom: string) => ({ ...context, self: { copyFrom, argv: [copyFrom] } });
    await kubeletStep.execute(from('/tmp/a'));
    const done = async (copyFrom: string) => ({
      inputs: kubeletStep.inputs(from(copyFrom)),
      isCompleted: await kubeletStep.isCompleted(from(copyFrom)),
    });
    const first = await done('/tmp/a');
    expect(first.isCompleted).toBe(true);
    expect(await done('/tmp/b')).toEqual(first);
    expect(await done('/usr/local/bin/chandler-flexnode')).toEqual(first);
    expect((await done('/tmp/c')).isCompleted).toBe(false);
  });

  test('where there is no systemd-resolved, pods get the servers of /etc/resolv.conf', async () => {
    expect(await resolvConfOf(fakeContext().host)).toBe('/etc/resolv.conf');
    const files = { '/run/systemd/resolve/resolv.conf': 'nameserver 192.0.2.53' };
    expect(await resolvConfOf(fakeContext({ files }).host)).toBe('/run/systemd/resolve/resolv.conf');
  });

  test('with tlsBootstrap an earlier kubeconfig of ours goes, and one of the kubelet stays', async () => {
    const config = sampleConfig({ security: { tlsBootstrap: true } });
    const path = '/var/lib/kubelet/kubeconfig';
    const ours = fakeContext({ commands, config, files: { [path]: 'users:\n- name: arc-user\n' } });
    await kubeletStep.execute(ours);
    expect(ours.host.files.has(path)).toBe(false);
    const theirs = fakeContext({ commands, config, files: { [path]: kubeconfigOf(CLUSTER_FACTS) } });
    await kubeletStep.execute(theirs);
    expect(theirs.host.files.has(path)).toBe(true);
  });

  test.each([
    ['a rotated CA', { 'cluster.caData': Buffer.from('another CA').toString('base64') }],
    ['a new address', { 'cluster.server': 'https://moved.test:443' }],
  ])('with %s of the cluster, the kubelet must request a new certificate', async (_, before) => {
    const [path, certificate] = [
      '/var/lib/kubelet/kubeconfig',
      '/var/lib/kubelet/pki/kubelet-client-current.pem',
    ];
    const files = { [path]: kubeconfigOf({ ...CLUSTER_FACTS, ...before }) };
    const context = fakeContext({ commands, files });
    expect(await kubeletStep.isCompleted(context)).toBe(false);
    await kubeletStep.execute(context);
    expect(context.host.files.has(path)).toBe(false);
    expect(context.host.files.has(certificate)).toBe(false);
    expect(await kubeletStep.isCompleted(context)).toBe(true);
  });

  test('a kubelet newer than the API server is refused before a file is touched', async () => {
    const context = fakeContext({ config: sampleConfig({ kubernetes: { version: '1.34.0' } }) });
    await expect(kubeletStep.validate(context)).rejects.toMatchObject({
      facts: { code: 'kubelet.version-skew', where: 'kubernetes.version' },
    });
    expect(context.host.changed).toEqual([]);
  });

  test('a changed label, version or pause image is another fingerprint; the deadline is not', () => {
    const inputs = (overrides: Parameters<typeof sampleConfig>[0]) =>
      JSON.stringify(kubeletStep.inputs(fakeContext({ config: sampleConfig(overrides) })));
    const same = inputs({});
    expect(inputs({ readiness: { deadlineSeconds: 1 } })).toBe(same);
    expect(inputs({ node: { labels: { a: 'b' } } })).not.toBe(same);
    expect(inputs({ kubernetes: { version: '1.32.8' } })).not.toBe(same);
    expect(inputs({ containerd: { pauseImage: 'other' } })).not.toBe(same);
  });

  test('no secret of a proxy is in what the journal keeps', () => {
    const config = sampleConfig({ proxy: { https: 'http://user:hunter2@proxy.example:3128' } });
    expect(JSON.stringify(kubeletStep.inputs(fakeContext({ config })))).not.toContain('hunter2');
  });
});
