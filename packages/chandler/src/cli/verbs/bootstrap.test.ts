import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chandler, variablesOf } from './bootstrap.fixture.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-bootstrap-verb-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const EXAMPLE_TOKEN = 'abcdef.0123456789abcdef';

describe('chandler bootstrap', () => {
  test('explains every variable of a built-in example, offline', async () => {
    const { code, out } = await chandler(['explain', '-o', 'json']);
    expect(code).toBe(0);
    const { variables, ...rest } = JSON.parse(out) as { variables: object[] };
    expect(rest).toEqual({});
    expect(variables).toHaveLength(128);
    for (const variable of variables) {
      expect(Object.keys(variable)).toEqual(['name', 'group', 'value', 'source', 'path', 'default']);
    }
  });

  test.each(['osDiskDiskEncryptionSetID', 'vnetSubnetID'])('reads a node class with %s', async (field) => {
    const id = {
      osDiskDiskEncryptionSetID:
        '/SUBSCRIPTIONS/s/resourceGroups/r/providers/Microsoft.Compute/diskEncryptionSets/d',
      vnetSubnetID:
        '/subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
    }[field];
    const head = 'apiVersion: karpenter.azure.com/v1beta1\nkind: AKSNodeClass\nmetadata: { name: c }\n';
    const good = await chandler(['explain', '-f', file('good.yaml', `${head}spec: { ${field}: ${id} }\n`)]);
    expect(good).toMatchObject({ code: 0, err: '' });
    const bad = await chandler(['explain', '-f', file('bad.yaml', `${head}spec: { ${field}: nonsense }\n`)]);
    expect(bad.code).toBe(1);
    expect(bad.err).toContain(`"nonsense" is not of the form`);
  });

  test('without a subcommand it explains', async () => {
    expect((await chandler([])).out).toBe((await chandler(['explain'])).out);
    expect((await chandler([])).out).toMatch(/^ADMINUSER +azureuser +default of --linux-admin-username$/m);
  });

  test('shows one variable in full', async () => {
    const { out } = await chandler(['explain', 'kubelet_flags']);
    expect(out).toContain('KUBELET_FLAGS');
    expect(out).toContain('--tls-private-key-file=/etc/kubernetes/certs/kubeletserver.key');
    expect(out).not.toContain('ADMINUSER');
  });

  test('renders the script, as text, JSON and custom data', async () => {
    const { out } = await chandler(['render']);
    expect(out).toMatch(/^#!\/bin\/bash\n/);
    const base64 = (await chandler(['render', '-o', 'base64'])).out;
    expect(Buffer.from(base64, 'base64').toString()).toBe(out);
    const json = JSON.parse((await chandler(['render', '-o', 'json'])).out);
    expect(json.script).toBe(out);
    expect(json.bytes).toBe(Buffer.byteLength(out));
  });

  test('masks the token unless render is called with --show-secrets', async () => {
    for (const args of [['render'], ['render', '-o', 'json'], ['explain'], ['explain', '-o', 'json']]) {
      expect((await chandler(args)).out).not.toContain(EXAMPLE_TOKEN);
    }
    expect((await chandler(['render', '--show-secrets'])).out).toContain(EXAMPLE_TOKEN);
    expect(await chandler(['explain', '--show-secrets'])).toMatchObject({ code: 2, out: '' });
  });

  test('reads the token from a file, as the controller does', async () => {
    const token = 'fedcba.fedcba9876543210';
    const path = file('token', `${token}\n`);
    const render = ['render', '--show-secrets'];
    const { out } = await chandler([...render, '--kubelet-bootstrap-token-file', path]);
    expect(out).toContain(token);
    expect(out).not.toContain(EXAMPLE_TOKEN);
    expect((await chandler(render, { KUBELET_BOOTSTRAP_TOKEN_FILE: path })).out).toContain(token);
    const explained = await chandler(['explain', '-o', 'json'], { KUBELET_BOOTSTRAP_TOKEN_FILE: path });
    expect(explained.out).not.toContain(token);
    expect(explained.out).toContain('"KUBELET_BOOTSTRAP_TOKEN_FILE"');
  });

  test.each([
    [
      'that does not exist',
      [],
      { KUBELET_BOOTSTRAP_TOKEN_FILE: '/gone' },
      'the file /gone cannot be read (ENOENT)',
    ],
    [
      'beside the token itself',
      ['--kubelet-bootstrap-token-file', '/gone', '--kubelet-bootstrap-token', 'abcdef.0123456789abcdef'],
      {},
      'set only one of them',
    ],
    [
      'for a node of AWS',
      ['--cloud', 'aws', '--kubelet-bootstrap-token-file', '/dev/null'],
      {},
      '--kubelet-bootstrap-token-file: has no effect on a node of AWS',
    ],
  ])('a file of the token %s is a usage error', async (_, args, env, message) => {
    const { code, err } = await chandler(['explain', ...args], env);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('an empty ARM_CLOUD is the public cloud, and a file names another one', async () => {
    const cloudOf = async (env: Record<string, string>) =>
      variablesOf((await chandler(['explain', '-o', 'json'], env)).out).get('TARGET_CLOUD');
    expect(await cloudOf({ ARM_CLOUD: '' })).toMatchObject({
      value: 'AzurePublicCloud',
      source: 'hardcoded',
    });
    const path = file(
      'cloud.json',
      JSON.stringify({
        name: 'AzureChinaCloud',
        resourceManagerEndpoint: 'https://arm.own',
        activeDirectoryEndpoint: 'https://login.own',
      }),
    );
    expect(await cloudOf({ AZURE_ENVIRONMENT_FILEPATH: path })).toMatchObject({
      value: 'AzureChinaCloud',
      source: 'env',
      path: 'AZURE_ENVIRONMENT_FILEPATH',
    });
  });

  test('flags and environment variables are those of the controller, and show as sources', async () => {
    const { out } = await chandler(['explain', '-o', 'json', '--location', 'westeurope'], {
      LINUX_ADMIN_USERNAME: 'ops',
      KUBERNETES_VERSION: '1.34.0',
    });
    const variables = variablesOf(out);
    expect(variables.get('LOCATION')).toMatchObject({
      value: 'westeurope',
      source: 'flag',
      path: '--location',
    });
    expect(variables.get('ADMINUSER')).toMatchObject({ value: 'ops', source: 'env' });
    expect(variables.get('KUBERNETES_VERSION')).toMatchObject({
      value: '1.34.0',
      path: 'KUBERNETES_VERSION',
    });
  });

  test('a region outside the catalogue has the same sizes', async () => {
    const { out } = await chandler(['explain', '-o', 'json', '--location', 'francecentral']);
    expect(variablesOf(out).get('KUBELET_NODE_LABELS')!.value).toContain(
      'topology.kubernetes.io/region=francecentral',
    );
  });

  test('uses a class, a pool and a claim of yours', async () => {
    const yaml = file(
      'own.yaml',
      `apiVersion: karpenter.azure.com/v1beta1
kind: AKSNodeClass
metadata: { name: batch }
spec:
  imageFamily: AzureLinux
  kubelet: { failSwapOn: false }
  linuxOSConfig: { swapFileSize: 4Gi }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: other }
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: batch }
spec:
  template:
    metadata: { labels: { team: research } }
    spec:
      nodeClassRef: { group: karpenter.azure.com, kind: AKSNodeClass, name: batch }
      requirements: [{ key: kubernetes.io/arch, operator: In, values: [arm64] }]
      taints: [{ key: batch, effect: NoSchedule }]
`,
    );
    const variables = variablesOf((await chandler(['explain', '-o', 'json', '-f', yaml])).out);
    expect(variables.get('SWAP_FILE_SIZE_MB')).toMatchObject({
      value: '4096',
      source: 'NodeClass',
      path: 'spec.linuxOSConfig.swapFileSize',
    });
    const labels = variables.get('KUBELET_NODE_LABELS')!.value;
    expect(labels).toContain('team=research');
    expect(labels).toContain('kubernetes.io/arch=arm64');
    expect(labels).toContain('os-sku=AzureLinux');
    expect(variables.get('KUBELET_FLAGS')!.value).toContain('--register-with-taints=batch:NoSchedule,');
  });

  test('shows a GPU size', async () => {
    const { out } = await chandler(['explain', '-o', 'json', '--instance-type', 'Standard_NC24ads_A100_v4']);
    expect(variablesOf(out).get('GPU_DRIVER_TYPE')!.value).toBe('cuda-lts');
  });
});

describe('chandler bootstrap says what is wrong', () => {
  const bad = (name: string, spec: string) =>
    file(
      name,
      `apiVersion: karpenter.azure.com/v1beta1\nkind: AKSNodeClass\nmetadata: { name: a }\nspec:\n  ${spec}\n`,
    );

  test.each<[string, () => string[], string]>([
    ['another word', () => ['rendr'], 'did you mean render?'],
    ['a variable that is none', () => ['explain', 'KUBELET_FLAG'], 'did you mean KUBELET_FLAGS?'],
    ['variables for a render', () => ['render', 'ADMINUSER'], 'only explain takes variables'],
    ['base64 of an explanation', () => ['explain', '-o', 'base64'], 'only works with render'],
    [
      'a size that is none',
      () => ['render', '--instance-type', 'Standard_D4s_v55'],
      'did you mean Standard_D4s_v5?',
    ],
    ['a file that is not there', () => ['render', '-f', join(folder, 'nowhere.yaml')], 'no such file'],
    [
      'a file without our kinds',
      () => ['render', '-f', file('x.yaml', 'kind: Pod\napiVersion: v1\n')],
      'no AKSNodeClass',
    ],
    [
      'a field of the wrong type',
      () => ['render', '-f', bad('t.yaml', 'maxPods: many')],
      'spec.maxPods: expected a whole number',
    ],
    [
      'a field without effect',
      () => ['render', '-f', bad('e.yaml', 'artifactStreaming: { enabled: true }')],
      'spec.artifactStreaming.enabled: true has no effect',
    ],
    ['a version that is none', () => ['render', '--kubernetes-version', 'latest'], 'kubernetes-version'],
  ])('%s', async (_, args, message) => {
    const { code, out, err } = await chandler(args());
    expect(code).not.toBe(0);
    expect(out).toBe('');
    expect(err).toContain(message);
  });
});
