import { readScript } from '@chandler/cloudsim/azure/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignment } from '../../packages/chandler/src/bootstrap/index.ts';
import { goldenScript } from '../../packages/chandler/src/bootstrap/testing.ts';

const read = (script: string) => readScript(`set -a\n${script}\nrun-me`, 'run-me').started?.get('A');

describe('a VM reads the script of the controller', () => {
  test('all variables of a rendered script are read, and only the commands of AKS are run', () => {
    const { commands, started } = readScript(goldenScript('ubuntu-overlay-cilium'), 'provision_start.sh');
    expect(started?.get('KUBERNETES_VERSION')).toBe('1.33.2');
    expect(started?.get('OUTBOUND_COMMAND')).toBe(
      'curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/',
    );
    expect(started!.size).toBeGreaterThan(120);
    const top = commands.filter(({ nested }) => !nested).map(({ words }) => words[0]);
    expect(top).toEqual(['set', 'echo', 'mkdir', 'printf', '/usr/bin/nohup']);
  });

  test('every value that the controller writes is read back unchanged', () => {
    const value = fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(value, fc.boolean(), (text, quoted) => {
        expect(read(assignment('A', text, quoted))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });
});
