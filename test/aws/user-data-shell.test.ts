import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UserDataError } from '../../packages/chandler/src/bootstrap/index.ts';
import { everyNth } from '../part.ts';
import { CASES, renderCase } from './user-data-cases.ts';

const HAS_BASH = spawnSync('bash', ['-c', 'true']).status === 0;
if (!HAS_BASH) process.stdout.write('skipped: there is no bash here to run rendered scripts with\n');

/** Values that would break out of careless quoting; each tries to leave a file behind. */
const HOSTILE: Readonly<Record<string, string>> = {
  quote: '"; touch owned; echo "',
  'single-quote': "'; touch owned; echo '",
  substitution: '$(touch owned)',
  backtick: '`touch owned`',
  newline: 'a\ntouch owned\nb',
  backslash: '\\',
  glob: '* ? [a-z] ~ {a,b}',
  comment: '# & | ; < > ( )',
};

/** What bootstrap.sh would be called with. */
function bootstrapArguments(userData: string, folder: string): readonly string[] {
  const script = /#!\/bin\/bash -xe\n.*\n([\s\S]*)\n--\/\/--\n$/.exec(userData)![1]!;
  const called = script.replace('/etc/eks/bootstrap.sh', 'called');
  const run = spawnSync('bash', ['-c', `called() { printf '%s\\0' "$@"; }\n${called}`], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  return run.stdout.split('\0').slice(0, -1);
}

describe.skipIf(!HAS_BASH)('the script of AL2 under bash', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'chandler-user-data-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.keys(CASES).filter((name) => name.startsWith('al2-')))(
    'in %s every argument has exactly its value',
    (name) => {
      const rendered = renderCase(CASES[name]!);
      const [cluster, ...args] = bootstrapArguments(rendered.text, folder);
      const value = (wanted: string) => rendered.values.find((each) => each.name === wanted)?.value;
      expect(cluster).toBe(value('cluster name'));
      const names = args.filter((_, index) => index % 2 === 0);
      for (const [index, argument] of names.entries()) {
        if (argument !== '--kubelet-extra-args') expect(args[index * 2 + 1]).toBe(value(argument));
      }
      expect(names).toContain('--kubelet-extra-args');
      const flags = args[args.indexOf('--kubelet-extra-args') + 1]!.split(' ');
      for (const flag of flags) {
        const [flagName, ...rest] = flag.split('=');
        expect(rest.join('=').replaceAll('"', '')).toBe(value(`kubelet ${flagName}`));
      }
    },
  );

  test.each(everyNth('hostile values', Object.keys(HOSTILE), 4))(
    'a %s in a label, a taint or the cluster escapes nowhere',
    (name) => {
      const evil = HOSTILE[name]!;
      const tries = [
        { labels: { 'example.com/evil': evil } },
        { taints: [{ key: 'evil', value: evil, effect: 'NoSchedule' as const }] },
        { cluster: { name: { value: evil, source: 'env' as const, path: 'CLUSTER_NAME' } } },
        { spec: { kubelet: { clusterDNS: [evil] } } },
      ];
      for (const each of tries) {
        try {
          const args = bootstrapArguments(renderCase({ family: 'AL2', ...each }).text, folder);
          expect(args.join(' ')).toContain(evil);
        } catch (error) {
          expect(error).toBeInstanceOf(UserDataError);
          expect(['quote', 'single-quote', 'newline', 'backslash']).toContain(name);
        }
      }
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});
