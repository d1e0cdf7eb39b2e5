import { describe, expect, test } from 'vitest';
import { GOOD_ENV, resolveAzure, TOKEN } from '../cloud/azure/testing.ts';
import { MASK, printable } from './printable.ts';

test('a URL with a password is refused without the password', () => {
  const args = ['--pricing-url', 'https://me:hunter2secret@mirror.example'];
  const { problems } = resolveAzure({ args, env: GOOD_ENV });
  expect(problems.map(({ message }) => message).join()).toContain(
    'expected a URL without a user and password',
  );
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

describe('the layers of an option', () => {
  test('a flag beats the environment, which beats the ConfigMap, which beats the default; each value knows its place', () => {
    const configMap = { logLevel: 'error', batchIdleDuration: '2s', 'azure.linuxAdminUsername': 'captain' };
    const { values, problems } = resolveAzure({
      args: ['--log-level=debug'],
      env: { ...GOOD_ENV, LOG_LEVEL: 'warn', BATCH_IDLE_DURATION: '3s' },
      configMap,
    });
    expect(problems).toEqual([]);
    expect(values.logLevel).toEqual({ value: 'debug', source: 'flag', path: '--log-level' });
    expect(values.batchIdleDuration).toEqual({ value: 3000, source: 'env', path: 'BATCH_IDLE_DURATION' });
    expect(values.linuxAdminUsername).toEqual({
      value: 'captain',
      source: 'settings',
      path: 'karpenter-global-settings/data/azure.linuxAdminUsername',
    });
    expect(values.batchMaxDuration).toEqual({ value: 10_000, source: 'hardcoded', path: '' });
  });

  test('a negated flag takes no value', () => {
    for (const value of ['false', 'true', 'banana']) {
      const { problems } = resolveAzure({ args: [`--no-disable-leader-election=${value}`], env: GOOD_ENV });
      expect(problems).toMatchObject([{ where: '--no-disable-leader-election' }]);
    }
  });

  test('a required option may come from the ConfigMap alone', () => {
    const { CLUSTER_NAME: _, ...env } = GOOD_ENV;
    expect(resolveAzure({ env }).problems).toHaveLength(1);
    const { values, problems } = resolveAzure({ env, configMap: { 'azure.clusterName': 'from-map' } });
    expect(problems).toEqual([]);
    expect(values.clusterName).toMatchObject({ value: 'from-map', source: 'settings' });
  });

  test('a variable that is set to nothing is set: it beats the ConfigMap and the default', () => {
    const { values, problems } = resolveAzure({
      env: { ...GOOD_ENV, NETWORK_PLUGIN_MODE: '' },
      configMap: { 'azure.networkPluginMode': 'overlay' },
    });
    expect(problems).toEqual([]);
    expect(values.networkPluginMode).toEqual({ value: '', source: 'env', path: 'NETWORK_PLUGIN_MODE' });
  });

  test('the first of several variables that is set is used', () => {
    const both = { ...GOOD_ENV, AZURE_SUBSCRIPTION_ID: '00000000-0000-0000-0000-000000000001' };
    expect(resolveAzure({ env: both }).values.azureSubscriptionId).toMatchObject({
      value: both.AZURE_SUBSCRIPTION_ID,
      path: 'AZURE_SUBSCRIPTION_ID',
    });
    expect(resolveAzure().values.azureSubscriptionId.path).toBe('ARM_SUBSCRIPTION_ID');
  });

  test('an empty variable does not hide the next one of the same option', () => {
    const { values, problems } = resolveAzure({ env: { ...GOOD_ENV, AZURE_SUBSCRIPTION_ID: '' } });
    expect(problems).toEqual([]);
    expect(values.azureSubscriptionId).toMatchObject({
      value: GOOD_ENV.ARM_SUBSCRIPTION_ID,
      path: 'ARM_SUBSCRIPTION_ID',
    });
    const tenant = { ...GOOD_ENV, AZURE_TENANT_ID: '', ARM_TENANT_ID: 'own' };
    expect(resolveAzure({ env: tenant }).values.azureTenantId).toMatchObject({
      value: 'own',
      path: 'ARM_TENANT_ID',
    });
    const none = { ...GOOD_ENV, AZURE_TENANT_ID: '', ARM_TENANT_ID: '' };
    expect(resolveAzure({ env: none }).values.azureTenantId).toEqual({
      value: '',
      source: 'env',
      path: 'AZURE_TENANT_ID',
    });
  });

  test('one dash is accepted, as in Go programs', () => {
    const { values, problems } = resolveAzure({ args: ['-log-level', 'debug', '-metrics-port=9'] });
    expect(problems).toEqual([]);
    expect([values.logLevel.value, values.metricsPort.value]).toEqual(['debug', 9]);
  });

  test('all errors are reported together: flags, variables, ConfigMap, missing and contradicting options', () => {
    const { CLUSTER_NAME: _, ...env } = GOOD_ENV;
    const { problems } = resolveAzure({
      args: ['--lgo-level=x', '--metrics-port=many'],
      env: { ...env, KUBE_CLIENT_QPS: '', CLUSTER_ENDPOINT: 'not a url', NETWORK_PLUGIN: 'none' },
      configMap: { batchMaxDuration: 'ten seconds' },
    });
    expect(problems.map(({ where }) => where)).toEqual([
      '--lgo-level',
      '--metrics-port',
      'KUBE_CLIENT_QPS',
      'karpenter-global-settings/data/batchMaxDuration',
      'CLUSTER_ENDPOINT',
      '--cluster-name',
      'NETWORK_PLUGIN',
    ]);
    expect(problems[0]!.message).toContain('did you mean --log-level?');
    expect(problems[2]!.message).toBe('expected a whole number, got ""');
    expect(problems[5]!.message).toBe('is required: set --cluster-name, CLUSTER_NAME or azure.clusterName');
  });
});

describe('options of Karpenter with special meaning', () => {
  test('CPU_REQUESTS of 0 is a container without a request, as the downward API reports it', () => {
    const { values, problems } = resolveAzure({ env: { ...GOOD_ENV, CPU_REQUESTS: '0' } });
    expect(problems).toEqual([]);
    expect(values.cpuRequests.value).toBe(0);
  });

  test.each(['CapacityBuffer'])(
    'the gate %s is known and does nothing yet: switching it on is a warning',
    (gate) => {
      const { warnings, problems } = resolveAzure({ env: { ...GOOD_ENV, FEATURE_GATES: `${gate}=true` } });
      expect(problems).toEqual([]);
      expect(warnings).toEqual([
        {
          code: 'NoEffect',
          where: 'FEATURE_GATES',
          message: expect.stringMatching(`^feature gate ${gate} has no effect: `),
        },
      ]);
    },
  );

  test('gates that have an effect, and gates with their default, give no warning', () => {
    const FEATURE_GATES =
      'NodeRepair=true,NodeOverlay=true,StaticCapacity=true,ReservedCapacity=false,CapacityBuffer=false';
    expect(resolveAzure({ env: { ...GOOD_ENV, FEATURE_GATES } }).warnings).toEqual([]);
  });
});

describe('keys of the ConfigMap', () => {
  test('an unknown key is a warning with the nearest known name, not an error', () => {
    const { warnings, problems } = resolveAzure({
      configMap: { 'azure.clusterNmae': 'x', clusterName: 'y', zzzzzz: '1' },
    });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      {
        code: 'UnknownKey',
        where: 'karpenter-global-settings/data/azure.clusterNmae',
        message: 'is not a known setting; did you mean azure.clusterName?',
      },
      {
        code: 'UnknownKey',
        where: 'karpenter-global-settings/data/clusterName',
        message: 'is not a known setting; did you mean azure.clusterName?',
      },
      {
        code: 'UnknownKey',
        where: 'karpenter-global-settings/data/zzzzzz',
        message: 'is not a known setting',
      },
    ]);
  });

  test('a secret is rejected there, and its value is not printed', () => {
    const { KUBELET_BOOTSTRAP_TOKEN: _, ...env } = GOOD_ENV;
    const resolved = resolveAzure({ env, configMap: { 'azure.kubeletBootstrapToken': TOKEN } });
    expect(resolved.warnings).toMatchObject([{ code: 'SecretRefused' }]);
    expect(resolved.problems).toMatchObject([{ options: ['kubeletBootstrapToken'] }]);
    expect(JSON.stringify([resolved.warnings, resolved.problems, resolved.values])).not.toContain(TOKEN);
  });

  test('names from an object prototype are ordinary unknown keys', () => {
    const { warnings } = resolveAzure({ configMap: { constructor: 'x', ['__proto__']: 'y' } });
    expect(warnings.every(({ code }) => code === 'UnknownKey')).toBe(true);
  });
});

describe('secrets', () => {
  const { KUBELET_BOOTSTRAP_TOKEN: _, ...withoutToken } = GOOD_ENV;
  const readFile = (path: string) => (path === '/run/token' ? `${TOKEN}\n` : '');

  test('a flag is accepted, with a warning that it is visible to other users', () => {
    const { values, warnings, problems } = resolveAzure({
      env: withoutToken,
      args: ['--kubelet-bootstrap-token', TOKEN],
    });
    expect(problems).toEqual([]);
    expect(values.kubeletBootstrapToken).toMatchObject({ value: TOKEN, source: 'flag' });
    expect(warnings).toMatchObject([
      { code: 'SecretOnCommandLine', message: expect.stringContaining('KUBELET_BOOTSTRAP_TOKEN_FILE') },
    ]);
  });

  test('a file named by variable or flag is read without its trailing newline, without a warning', () => {
    for (const from of [
      { env: { ...withoutToken, KUBELET_BOOTSTRAP_TOKEN_FILE: '/run/token' } },
      { env: withoutToken, args: ['--kubelet-bootstrap-token-file=/run/token'] },
    ]) {
      const { values, warnings, problems } = resolveAzure({ ...from, readFile });
      expect([problems, warnings]).toEqual([[], []]);
      expect(values.kubeletBootstrapToken.value).toBe(TOKEN);
    }
    const env = { ...withoutToken, KUBELET_BOOTSTRAP_TOKEN_FILE: '/run/token' };
    expect(resolveAzure({ env, readFile }).values.kubeletBootstrapToken.path).toBe(
      'KUBELET_BOOTSTRAP_TOKEN_FILE',
    );
  });

  test.each([
    [{ KUBELET_BOOTSTRAP_TOKEN_FILE: '/nowhere' }, 'the file /nowhere cannot be read (ENOENT)'],
    [{ KUBELET_BOOTSTRAP_TOKEN_FILE: '' }, 'names no file'],
    [
      { KUBELET_BOOTSTRAP_TOKEN: TOKEN, KUBELET_BOOTSTRAP_TOKEN_FILE: '/run/token' },
      'is set, and so is KUBELET_BOOTSTRAP_TOKEN_FILE; set only one of them',
    ],
  ])('%j is rejected', (extra, message) => {
    expect(resolveAzure({ env: { ...withoutToken, ...extra } }).problems).toMatchObject([{ message }]);
  });

  test('an invalid one is reported without its value', () => {
    const { problems } = resolveAzure({ env: { ...GOOD_ENV, KUBELET_BOOTSTRAP_TOKEN: 'hunter2' } });
    expect(problems).toMatchObject([{ message: 'expected a bootstrap token of the form id.secret' }]);
  });

  test('are masked when printed; an unset one is shown as empty', () => {
    const { table, values } = resolveAzure();
    const shown = printable(table, values);
    expect(shown.find(({ name }) => name === 'kubeletBootstrapToken')).toMatchObject({
      value: MASK,
      secret: true,
    });
    expect(shown.find(({ name }) => name === 'azureClientSecret')).toMatchObject({ value: '' });
    expect(JSON.stringify(shown)).not.toContain(TOKEN);
    expect(shown).toHaveLength(Object.keys(table).length);
  });
});
