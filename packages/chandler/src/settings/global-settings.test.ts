import { describe, expect, test } from 'vitest';
import { DES_ID, GOOD_ENV, resolveAzure, TOKEN } from '../cloud/azure/testing.ts';
import { applySettingsChange, GlobalSettings, settingsEvents } from './global-settings.ts';

const OTHER_DES = DES_ID.replace(/des$/, 'other');

describe('the ConfigMap changes while the controller runs', () => {
  test('live options change at once; the others keep their value and are reported', () => {
    const start = resolveAzure({ configMap: { logLevel: 'info' } });
    const change = applySettingsChange(start, { logLevel: 'debug', metricsPort: '9000' });
    expect(change.changed.map(({ name }) => name)).toEqual(['logLevel']);
    expect(change.needRestart.map(({ name }) => name)).toEqual(['metricsPort']);
    expect(change.values.logLevel).toMatchObject({ value: 'debug', source: 'settings' });
    expect(change.values.metricsPort).toMatchObject({ value: 8080, source: 'hardcoded' });
  });

  test('an option that needs a restart keeps its source too, also when it is set to its default', () => {
    const start = resolveAzure();
    const { values, changed, needRestart } = applySettingsChange(start, { metricsPort: '8080' });
    expect(values.metricsPort).toEqual({ value: 8080, source: 'hardcoded', path: '' });
    expect(changed).toEqual([]);
    expect(needRestart).toMatchObject([
      { name: 'metricsPort', from: { source: 'hardcoded' }, to: { value: 8080, source: 'settings' } },
    ]);
    const live = applySettingsChange(start, { logLevel: 'info' });
    expect(live.values.logLevel).toMatchObject({ value: 'info', source: 'settings' });
    expect(live.needRestart).toEqual([]);
  });

  test('[000-L1.1] the disk encryption set can be set without a restart, and has its source', () => {
    const start = resolveAzure();
    expect(start.values.nodeOsdiskDiskencryptionsetId).toEqual({ value: '', source: 'hardcoded', path: '' });
    const { values } = applySettingsChange(start, { 'azure.nodeOsdiskDiskencryptionsetId': DES_ID });
    expect(values.nodeOsdiskDiskencryptionsetId).toEqual({
      value: DES_ID,
      source: 'settings',
      path: 'karpenter-global-settings/data/azure.nodeOsdiskDiskencryptionsetId',
    });
  });

  test('a flag or variable still takes precedence', () => {
    const start = resolveAzure({ env: { ...GOOD_ENV, NODE_OSDISK_DISKENCRYPTIONSET_ID: DES_ID } });
    const { values, changed } = applySettingsChange(start, {
      'azure.nodeOsdiskDiskencryptionsetId': OTHER_DES,
    });
    expect(changed).toEqual([]);
    expect(values.nodeOsdiskDiskencryptionsetId).toMatchObject({ value: DES_ID, source: 'env' });
  });

  test('a bad value leaves the earlier one in force and is a warning', () => {
    const start = resolveAzure({ configMap: { batchIdleDuration: '5s' } });
    const { values, warnings, changed } = applySettingsChange(start, { batchIdleDuration: 'soon' });
    expect(changed).toEqual([]);
    expect(values.batchIdleDuration).toMatchObject({ value: 5000, source: 'settings' });
    expect(warnings).toEqual([
      {
        code: 'BadValue',
        where: 'karpenter-global-settings/data/batchIdleDuration',
        message:
          'expected a duration such as 1m30s, got "soon"; the previous value is still used, and the controller cannot start again with this one',
      },
    ]);
  });

  test('a required value that is removed stays in force', () => {
    const { SSH_PUBLIC_KEY: key, ...env } = GOOD_ENV;
    const start = resolveAzure({ env, configMap: { 'azure.sshPublicKey': key! } });
    const { values, warnings, changed } = applySettingsChange(start, {});
    expect(changed).toEqual([]);
    expect(values.sshPublicKey.value).toBe(key);
    expect(warnings).toMatchObject([{ code: 'BadValue', message: expect.stringContaining('is required') }]);
  });

  test('a value out of range leaves the earlier one in force, and the warning says what a restart does', () => {
    const start = resolveAzure({ configMap: { batchMaxDuration: '10s' } });
    const { values, warnings } = applySettingsChange(start, { 'azure.vmMemoryOverheadPercent': '7' });
    expect(values.vmMemoryOverheadPercent.value).toBe(start.values.vmMemoryOverheadPercent.value);
    expect(warnings).toMatchObject([
      { message: expect.stringContaining('and the controller cannot start again with this one') },
    ]);
  });

  test('a change with which the controller could not start again is a warning', () => {
    const { warnings, needRestart } = applySettingsChange(resolveAzure(), {
      'azure.provisionMode': 'aksmachineapi',
    });
    expect(needRestart).toMatchObject([{ name: 'provisionMode' }]);
    expect(warnings).toMatchObject([
      { message: expect.stringContaining('the controller cannot start with this value') },
    ]);
  });

  test('a deleted ConfigMap: defaults are in force again, and no change is waiting for a restart', () => {
    const start = resolveAzure();
    const changed = applySettingsChange(start, { logLevel: 'debug', metricsPort: '1' });
    const gone = applySettingsChange(changed.next, undefined);
    expect(gone.values).toEqual(start.values);
    expect(gone.needRestart).toEqual([]);
  });
});

describe('GlobalSettings', () => {
  test('is updated by a watch, notifies listeners, and ignores other ConfigMaps', () => {
    const settings = new GlobalSettings(resolveAzure());
    const heard: string[][] = [];
    const stop = settings.onChange(({ changed }) => heard.push(changed.map(({ name }) => name)));
    const metadata = { name: 'karpenter-global-settings' };
    settings.update({ metadata, data: { logLevel: 'debug', leaderElectionName: 'other' } });
    expect(settings.values.logLevel.value).toBe('debug');
    expect(settings.needRestart).toMatchObject([{ name: 'leaderElectionName' }]);
    expect(settings.update({ metadata: { name: 'other' }, data: { logLevel: 'error' } })).toBeUndefined();
    settings.update(undefined);
    stop();
    settings.update({ metadata, data: { logLevel: 'warn' } });
    expect(heard).toEqual([['logLevel'], ['logLevel']]);
  });

  test('a token file that was rewritten is read again', () => {
    let content = TOKEN;
    const { KUBELET_BOOTSTRAP_TOKEN: _, ...env } = GOOD_ENV;
    const settings = new GlobalSettings(
      resolveAzure({
        env: { ...env, KUBELET_BOOTSTRAP_TOKEN_FILE: '/run/token' },
        readFile: () => {
          if (content === '') throw Object.assign(new Error('gone'), { code: 'ENOENT' });
          return content;
        },
      }),
    );
    content = TOKEN.replace('abcdef.', 'fedcba.');
    expect(settings.reload().changed).toMatchObject([{ name: 'kubeletBootstrapToken' }]);
    expect(settings.values.kubeletBootstrapToken.value).toBe(content);
    const good = content;
    content = '';
    expect(settings.reload().warnings).toMatchObject([{ code: 'BadValue' }]);
    expect(settings.values.kubeletBootstrapToken.value).toBe(good);
  });

  test('invalid options are not used', () => {
    expect(() => new GlobalSettings(resolveAzure({ env: {} }))).toThrow('invalid options');
  });
});

test('events name what changed, what needs a restart, and every unknown key; never a secret', () => {
  const change = applySettingsChange(resolveAzure(), {
    logLevel: 'debug',
    metricsPort: '1',
    'azure.nope': 'x',
    'azure.kubeletBootstrapToken': TOKEN,
  });
  expect(settingsEvents(change).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual([
    'Normal SettingsChanged: applied: log-level (info → debug)',
    'Warning SettingsNeedRestart: restart the controller to apply: metrics-port (8080 → 1)',
    expect.stringContaining(
      'Warning SettingsSecretRefused: karpenter-global-settings/data/azure.kubeletBootstrapToken',
    ),
    'Warning SettingsUnknownKey: karpenter-global-settings/data/azure.nope: is not a known setting',
  ]);
  expect(JSON.stringify(settingsEvents(change))).not.toContain(TOKEN);
});

test('a value that only has another source is not shown as a change from itself to itself', () => {
  const change = applySettingsChange(resolveAzure(), { metricsPort: '8080' });
  expect(settingsEvents(change).map(({ message }) => message)).toEqual([
    'restart the controller to apply: metrics-port (8080, from the ConfigMap instead of the default)',
  ]);
});
