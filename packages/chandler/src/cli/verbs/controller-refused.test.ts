import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, expect, test } from 'vitest';
import { GOOD_ENV, TOKEN } from '../../cloud/azure/testing.ts';
import { run } from '../run.ts';
import { controller } from './controller.ts';

const folder = mkdtempSync(join(tmpdir(), 'chandler-refused-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a token in the ConfigMap alone: it is said to be missing, and why the one that is there was not taken', async () => {
  const file = join(folder, 'settings.yaml');
  writeFileSync(
    file,
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: karpenter-global-settings}, data: {azure.kubeletBootstrapToken: ${TOKEN}, azure.clusterNames: x}}`,
  );
  const { KUBELET_BOOTSTRAP_TOKEN: _, ...env } = GOOD_ENV;
  let [out, err] = ['', ''];
  const code = await run([controller], {
    args: ['controller', '--print-options', '--settings-file', file],
    env,
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toContain('--kubelet-bootstrap-token: is required');
  expect(err).toContain('azure.kubeletBootstrapToken: is a secret and is not read from a ConfigMap');
  expect(err).toContain('azure.clusterNames: is not a known setting; did you mean azure.clusterName?');
  expect(err).not.toContain(TOKEN);
});
