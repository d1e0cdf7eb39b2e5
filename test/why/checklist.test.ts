/** `why --checklist` and `why value` from dumps: what the maker of a dump read outside the cluster counts, and no secret is printed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import { encodeDump } from '../../packages/chandler/src/diagnose/index.ts';

import { everyNth } from '../part.ts';
import { corpus, dumpOf, runObjects } from './corpus.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-checklist-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @param change of the text of the dump, after its maker has removed secrets. */
async function why(file: string, args: readonly string[], change = (text: string) => text) {
  const dump = dumpOf(corpus().find((one) => one.file === file)!);
  const path = join(folder, file);
  writeFileSync(path, change(Buffer.from(encodeDump(dump, false)).toString()));
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  await run(VERBS, {
    args: ['why', ...args, '--dump', path],
    env: {},
    terminal: { out: print, err: print, color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return printed;
}

describe('why --checklist byok from a dump', () => {
  const broken = [
    ['registration-token-expired.yaml', 'registration.token-expired'],
    ['L5.1-kernel-panic.yaml', 'L5.1'],
    ['boot-hangs.yaml', 'boot.'],
  ] as const;
  test.each(everyNth('cases with a broken step', broken, 3))(
    'uses what it has from Azure and about the token: %s',
    async (file, cause) => {
      const printed = await why(file, ['--checklist', 'byok']);
      expect(printed).toContain(' 8. The VM is created and boots: BROKEN');
      expect(printed).toContain(`[${cause}`);
    },
  );

  test.each(everyNth('cases with a fix', ['registration-stopped.yaml', 'cloud-machine-gone.yaml'], 2))(
    'has the words of the cloud in its fixes: %s',
    async (file) => {
      const printed = await why(file, ['--checklist', 'byok']);
      expect(printed).toMatch(/fix: .*heck the activity log of the resource group\./);
      expect(printed).not.toMatch(/fix: .*\{\w+\}/);
    },
  );
});

describe('why --checklist byok', () => {
  const mixed = ['mixed-set-of-settings-lost.yaml', 'mixed-byok-nothing-configured.yaml'];
  test.each(everyNth('cases without a set', mixed, 2))(
    'calls no step ok beside a set that is not in effect, and leaves no fact of a command open: %s',
    async (file) => {
      const printed = await why(file, ['--checklist', 'byok']);
      expect(printed).toContain('BROKEN');
      expect(printed).toContain('12. The sources of the value, and the one that takes precedence: unknown');
      expect(printed).toContain('NodeClass default: no set is in effect');
      expect(printed).toContain('by hand: az keyvault show -n <vault> --query properties.accessPolicies');
      expect(printed).not.toMatch(/by hand: .*\{\w+\}/);
    },
  );
});

test('commands of every case name what is not known in words', async () => {
  const open: string[] = [];
  const cases = corpus().filter(({ playground }) => playground === undefined);
  for (const one of everyNth('cases with commands', cases, 30)) {
    const { explanation } = await runObjects(one);
    const found = [explanation?.cause, ...(explanation?.also ?? [])];
    for (const command of found.flatMap((each) => each?.confirm ?? []))
      if (/\{\w+\}/.test(command)) open.push(`${one.file}: ${command}`);
  }
  expect(open).toEqual([]);
}, 600_000);

describe('no secret is printed', () => {
  const SIGNATURE = 'hunter2verysecret';
  /** Written into messages and values of the cluster by others. */
  const leaky = (text: string) =>
    text
      .replaceAll('on the linked scope', `on the linked scope password=${SIGNATURE}`)
      .replace(/diskEncryptionSets\/disks(?=\\*")/g, `diskEncryptionSets/disks?sig=${SIGNATURE}`);

  const asked: readonly (readonly [string, string, readonly string[]])[] = [
    ['a checklist', 'L4.2-reader-missing.yaml', ['--checklist', 'byok']],
    [
      'the path of a value',
      'L2.2-lost-at-provider.yaml',
      ['value', 'diskEncryptionSetID', '--nodeclaim', 'default-x7k2p'],
    ],
    ['an object', 'L4.2-reader-missing.yaml', ['pod/shop/web', '--byok']],
  ];
  test.each(everyNth('questions with secrets', asked, 3))(
    'in %s, as text and as JSON',
    async (_, file, args) => {
      for (const output of [[], ['-o', 'json']]) {
        const printed = await why(file, [...args, ...output], leaky);
        expect(printed).toContain('[redacted]');
        expect(printed).not.toContain(SIGNATURE);
      }
    },
  );
});
