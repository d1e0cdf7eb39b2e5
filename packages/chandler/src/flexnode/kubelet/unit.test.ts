import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sampleConfig } from '../config/config.fixture.ts';
import { renderKubeadmDropIn, renderOwnProgram, renderUnit } from './unit.ts';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the unit of the kubelet', () => {
  test('[004-checklist] step 10: EnvironmentFile, --enable-server, labels, then the flag variables in order, multi-user', () => {
    const unit = renderUnit(sampleConfig());
    expect(unit).toContain('EnvironmentFile=/etc/default/kubelet\n');
    const start = unit.slice(unit.indexOf('ExecStart=/usr/local/bin/kubelet'), unit.indexOf('[Install]'));
    const places = [
      '--enable-server',
      `--node-labels="\${KUBELET_NODE_LABELS}"`,
      '$KUBELET_TLS_BOOTSTRAP_FLAGS',
      '$KUBELET_CONFIG_FILE_FLAGS',
      '$KUBELET_CONTAINERD_FLAGS',
      '$KUBELET_FLAGS',
    ].map((words) => start.indexOf(words));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(unit).toContain('WantedBy=multi-user.target');
  });

  test('[004-S10] it comes after containerd, and waits a little before it is started again', () => {
    const unit = renderUnit(sampleConfig());
    expect(unit).toMatch(/^After=.*containerd\.service/m);
    expect(unit).toMatch(/^Wants=.*containerd\.service/m);
    expect(unit).toMatch(/^RestartSec=\d+$/m);
  });

  test('another directory of the kubelet is passed as flags, and a percent sign in it is escaped', () => {
    const unit = renderUnit(sampleConfig({ paths: { kubernetes: { kubeletDir: '/data/100%/kubelet' } } }));
    expect(unit).toContain('--root-dir=/data/100%%/kubelet ');
    expect(unit).toContain('--cert-dir=/data/100%%/kubelet/pki ');
    expect(unit).not.toContain('/var/lib/kubelet');
  });

  test('[004-checklist] step 10: 10-kubeadm.conf has the value of the document', () => {
    expect(renderKubeadmDropIn(sampleConfig({ security: { tlsBootstrap: false } }))).toBe(
      '[Service]\nEnvironment=KUBELET_TLS_BOOTSTRAP_FLAGS="--kubeconfig /var/lib/kubelet/kubeconfig"\n',
    );
  });

  test('our own program is started with its words as they are', () => {
    expect(renderOwnProgram(['/opt/my node/bin', "it's"])).toBe(
      `#!/bin/sh\nexec '/opt/my node/bin' 'it'\\''s' "$@"\n`,
    );
  });

  test.runIf(hasSystemd)('systemd takes it without a word', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubelet-unit-'));
    try {
      const path = join(folder, 'kubelet.service');
      // The program and the variables are not on this machine.
      const unit = renderUnit(sampleConfig()).replaceAll('/usr/local/bin/kubelet', '/bin/true');
      writeFileSync(path, unit.replace('EnvironmentFile=', 'EnvironmentFile=-'));
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
        encoding: 'utf8',
      });
      const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('kubelet.service'));
      expect(about.filter((line) => !/ebtables|iptables|containerd\.service|himdsd/.test(line))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
