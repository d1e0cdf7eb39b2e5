import { describe, expect, test } from 'vitest';
import { aNodeInput, env, type InputOverrides } from '../bootstrap.fixture.ts';
import { type BootstrapErrorCode, maskSecrets } from '../bootstrapper.ts';
import { CUSTOM_DATA_LIMIT_BASE64, CUSTOM_DATA_LIMIT_BYTES, customDataOf } from '../custom-data.ts';
import { assignment } from '../shell.ts';
import { renderScript } from './render.ts';
import { TAIL, VARIABLES } from './variables.table.ts';
import { renderVariablesDoc } from './variables-doc.ts';

const variable = (request: InputOverrides, name: string) =>
  renderScript(aNodeInput(request)).variables.find((each) => each.name === name)!;

describe('[001-variables] the variables table', () => {
  test('has the 124 variables of AKS and the four fixed ones, each once', () => {
    const names = [...VARIABLES, ...TAIL].map((row) => row.name);
    expect(VARIABLES).toHaveLength(124);
    expect(new Set(names).size).toBe(128);
    expect(TAIL.map((row) => row.name)).toEqual([
      'MCR_REPOSITORY_BASE',
      'ENABLE_IMDS_RESTRICTION',
      'INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE',
      'CSE_TIMEOUT',
    ]);
  });

  test('names and explains every row, and the page lists them all', () => {
    const page = renderVariablesDoc();
    for (const row of [...VARIABLES, ...TAIL]) {
      expect(row.name).toMatch(/^[A-Z][A-Z0-9_]+$/);
      expect(row.doc).toMatch(/\.$/);
      expect(page).toContain(`| \`${row.name}\` | ${row.group} | ${row.kind} |`);
    }
  });

  test('a hardcoded row is its own default and needs no input', () => {
    for (const row of VARIABLES.filter(({ kind }) => kind === 'hardcoded')) {
      expect(row.resolve(aNodeInput())).toEqual({ value: row.default, source: 'hardcoded', path: '' });
    }
  });

  test('values keep their source', () => {
    expect(variable({}, 'SUBNET')).toMatchObject({ value: 'nodes', source: 'env', path: 'VNET_SUBNET_ID' });
    const own = `/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/mine`;
    expect(variable({ spec: { vnetSubnetID: own } }, 'SUBNET')).toMatchObject({
      value: 'mine',
      source: 'NodeClass',
      path: 'spec.vnetSubnetID',
    });
    expect(variable({}, 'KUBERNETES_VERSION')).toMatchObject({
      source: 'cluster',
      path: 'status.kubernetesVersion',
    });
    expect(variable({}, 'API_SERVER_NAME')).toMatchObject({
      value: 'shop.hcp.eastus.azmk8s.io',
      source: 'env',
      path: 'CLUSTER_ENDPOINT',
    });
  });

  test('a default names the flag or the field that would change it', () => {
    expect(variable({}, 'ADMINUSER')).toMatchObject({ source: 'hardcoded', path: '--linux-admin-username' });
    expect(variable({}, 'THP_ENABLED')).toMatchObject({
      source: 'hardcoded',
      path: 'spec.linuxOSConfig.transparentHugePageEnabled',
    });
  });

  test('the admin user is the one of the option', () => {
    const linuxAdminUsername = env('ops', 'LINUX_ADMIN_USERNAME');
    expect(variable({ options: { linuxAdminUsername } }, 'ADMINUSER').value).toBe('ops');
  });
});

describe('swap, huge pages and sysctls of the node class', () => {
  test('become variables', () => {
    const spec = {
      kubelet: { failSwapOn: false },
      linuxOSConfig: { swapFileSize: '1500M', transparentHugePageDefrag: 'defer' as const },
    };
    expect(variable({ spec }, 'SHOULD_CONFIG_SWAP_FILE').value).toBe('true');
    expect(variable({ spec }, 'SWAP_FILE_SIZE_MB')).toMatchObject({ value: '1431', source: 'NodeClass' });
    expect(variable({ spec }, 'SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE').value).toBe('true');
    expect(variable({ spec }, 'THP_ENABLED').value).toBe('');
    expect(variable({ spec }, 'THP_DEFRAG').value).toBe('defer');
  });

  test('are off without them', () => {
    expect(variable({}, 'SHOULD_CONFIG_SWAP_FILE').value).toBe('false');
    expect(variable({}, 'SWAP_FILE_SIZE_MB').value).toBe('0');
    expect(variable({}, 'SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE').value).toBe('false');
  });
});

describe('secrets', () => {
  test('are in the script for a machine, and masked for people', () => {
    const token = 'abc123.0123456789abcdef';
    expect(renderScript(aNodeInput()).script).toContain(`TLS_BOOTSTRAP_TOKEN="${token}"`);
    const masked = renderScript(aNodeInput(), { masked: true });
    expect(masked.script).not.toContain(token);
    expect(Buffer.from(masked.customData, 'base64').toString()).not.toContain(token);
    expect(JSON.stringify(maskSecrets(renderScript(aNodeInput()).variables))).not.toContain(token);
  });
});

describe('bad input is a named error', () => {
  const refused: [BootstrapErrorCode, InputOverrides][] = [
    ['malformedVersion', { version: 'v1.33.2' }],
    ['malformedVersion', { version: '1.33' }],
    ['malformedVersion', { version: '' }],
    ['malformedSubnetId', { options: { vnetSubnetId: env('subnet', 'VNET_SUBNET_ID') } }],
    ['unknownCloud', { options: { armCloud: env('MoonCloud', 'ARM_CLOUD') } }],
    ['unprintable', { options: { networkPolicy: env('a\0b', 'NETWORK_POLICY') } }],
    ['unsupportedInMode', { spec: { artifactStreaming: { enabled: true } } }],
    ['customDataTooLarge', { node: { labels: { big: 'x'.repeat(CUSTOM_DATA_LIMIT_BYTES) } } }],
  ];
  test.each(refused)('%s: %j', (code, request) => {
    expect(() => renderScript(aNodeInput(request))).toThrow(
      expect.objectContaining({ name: 'BootstrapError', code }),
    );
  });

  test('the largest custom data that Azure takes is still taken', () => {
    const largest = customDataOf('x'.repeat(CUSTOM_DATA_LIMIT_BYTES));
    expect(largest.base64).toHaveLength(CUSTOM_DATA_LIMIT_BASE64);
    expect(() => customDataOf(`${'x'.repeat(CUSTOM_DATA_LIMIT_BYTES)}y`)).toThrow('65536 bytes');
  });
});

describe('quoting', () => {
  test.each([
    ['plain', false, 'X=plain'],
    ['', false, 'X='],
    ['', true, 'X=""'],
    ['https://a/b_c.tgz', false, 'X=https://a/b_c.tgz'],
    ['two words', false, 'X="two words"'],
    ['a"b$c`d\\e', true, 'X="a\\"b\\$c\\`d\\\\e"'],
    ['~', false, 'X="~"'],
  ])('%j quoted=%s', (value, quoted, line) => {
    expect(assignment('X', value, quoted)).toBe(line);
  });
});
