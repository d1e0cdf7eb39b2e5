import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignment, assignmentsOf, type Rendered } from '../../packages/chandler/src/bootstrap/index.ts';
import { CASES, renderCase } from './bootstrap-cases.ts';

const HAS_BASH = spawnSync('bash', ['-c', 'true']).status === 0;
if (!HAS_BASH) process.stdout.write('skipped: there is no bash here to run rendered scripts with\n');

/** Values that would break out of careless quoting; each tries to leave a file behind. */
const HOSTILE: Readonly<Record<string, string>> = {
  quote: '"; touch owned; echo "',
  'single-quote': "'; touch owned; echo '",
  substitution: '$(touch owned)',
  backtick: '`touch owned`',
  variable: '$HOME$$$PATH',
  newline: 'a\ntouch owned\nb',
  bang: '!! !touch !-1',
  backslash: '\\"; touch owned #\\',
  'trailing-backslash': 'x\\',
  glob: '* ? [a-z] ~ {a,b}',
  comment: '# & | ; < > ( )',
  'carriage-return': 'a\r\nb',
  unicode: 'żółć 🚢 \u2028',
};

describe.skipIf(!HAS_BASH)('rendered scripts under bash', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'chandler-bootstrap-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.keys(CASES))('%s is valid bash', async (name) => {
    const { script } = await renderCase(CASES[name]!);
    const checked = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
    expect(checked.stderr).toBe('');
    expect(checked.status).toBe(0);
  });

  test.each(Object.keys(CASES))('in %s every variable has exactly its value', async (name) => {
    const rendered = await renderCase(CASES[name]!);
    expect(valuesInBash(rendered, folder)).toEqual(valuesOf(rendered));
  });

  test.each(Object.keys(HOSTILE))(
    'a %s in labels, taints, options and cluster values escapes nowhere',
    async (name) => {
      const evil = HOSTILE[name]!;
      const rendered = await renderCase({
        labels: { [`example.com/${name}`]: evil },
        requirements: [{ key: `example.com/required-${name}`, operator: 'In', values: [evil] }],
        taints: [{ key: 'evil', value: evil, effect: 'NoSchedule' }],
        startupTaints: [{ key: evil, effect: 'NoExecute' }],
        network: { policy: evil },
        options: {
          linuxAdminUsername: { value: evil, source: 'env', path: 'LINUX_ADMIN_USERNAME' },
          azureTenantId: { value: evil, source: 'env', path: 'AZURE_TENANT_ID' },
          kubeletBootstrapToken: { value: evil, source: 'env', path: 'KUBELET_BOOTSTRAP_TOKEN' },
        },
      });
      const values = valuesInBash(rendered, folder);
      expect(values).toEqual(valuesOf(rendered));
      expect(values['ADMINUSER']).toBe(evil);
      expect(values['KUBELET_NODE_LABELS']).toContain(`example.com/${name}=${evil}`);
      expect(values['KUBELET_FLAGS']).toContain(`evil=${evil}:NoSchedule`);
      expect(readdirSync(folder)).toEqual([]);
      const checked = spawnSync('bash', ['-n'], { input: rendered.script, encoding: 'utf8' });
      expect(checked.stderr).toBe('');
    },
  );

  test('any text is read back from bash unchanged, quoted or bare', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...'"\'`$\\!*?~{}()[]<>|&;# \t\nab'), maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.boolean()), { minLength: 1, maxLength: 60 }), (cases) => {
        const values = cases.map(([value]) => value.replaceAll('\0', ''));
        const lines = values.map((value, index) => assignment(`V${index}`, value, cases[index]![1]));
        expect(
          run(
            lines,
            values.map((_, index) => `V${index}`),
            folder,
          ),
        ).toEqual(values);
      }),
      { numRuns: 40 },
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

function valuesOf({ variables }: Rendered): Record<string, string> {
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}

/** The assignments of the script, letter by letter as the script has them. */
function valuesInBash(rendered: Rendered, folder: string): Record<string, string> {
  const lines = assignmentsOf(rendered.variables);
  expect(rendered.script).toContain(`\n${lines.join('\n')}\n`);
  const names = rendered.variables.map(({ name }) => name);
  const values = run(lines, names, folder);
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
}

function run(lines: readonly string[], names: readonly string[], folder: string): string[] {
  const print = `printf '%s\\0' ${names.map((name) => `"$${name}"`).join(' ')}`;
  // As under cloud-init: no profile, not interactive.
  const program = ['set -o allexport', ...lines, print].join('\n');
  const result = spawnSync('bash', ['--noprofile', '--norc', '-c', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(result.stderr).toBe('');
  expect(result.status).toBe(0);
  return result.stdout.split('\0').slice(0, -1);
}
