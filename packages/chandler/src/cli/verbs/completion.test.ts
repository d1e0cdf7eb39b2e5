import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { SCENARIOS } from '../../playground/index.ts';
import { defineVerb, type Verb } from '../verb.ts';
import { completionVerb } from './completion.ts';
import { flexnode } from './flexnode.ts';
import { playground } from './playground.ts';

describe('chandler completion, for a family of verbs', () => {
  test.each(['bash', 'zsh', 'fish'])(
    '%s knows the verbs of flexnode and the flags of each',
    async (shell) => {
      const text = await script(shell);
      for (const verb of flexnode.verbs!) {
        expect(text).toContain(verb.name);
        for (const row of Object.values(verb.options)) expect(text).toContain(row.flag);
      }
    },
  );

  test.each(['constructor', 'toString', '__proto__'])('%s is no shell', async (shell) => {
    await expect(script(shell)).rejects.toThrow('requires one shell');
  });

  test.each(['zsh', 'fish'])('%s offers the scenarios of the playground', async (shell) => {
    const text = await script(shell);
    for (const { name } of SCENARIOS) expect(text).toContain(name);
  });

  test.each([
    [['fl'], ['flexnode']],
    [['flexnode', 'un'], ['unbootstrap']],
    [['flexnode', 'bootstrap', '--dry'], ['--dry-run']],
    [['flexnode', 'status', '--dry'], []],
    [['other', '--fi'], ['--first']],
    [
      ['other', '--colour', ''],
      ['red', 'green'],
    ],
    [['other', '--colour', 'g'], ['green']],
    [
      ['playground', '--scenario', 'b'],
      ['burst', 'budget-window', 'byok-misconfiguration', 'bad-user-data'],
    ],
    [
      ['playground', '--cloud', 'a'],
      ['azure', 'aws'],
    ],
  ])('in bash, %j becomes %j', async (words, offered) => {
    const typed = ['chandler', ...words].map((word) => `'${word}'`).join(' ');
    const lines = [
      await script('bash'),
      `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _chandler; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ];
    const out = execFileSync('bash', ['--norc', '-c', lines.join('\n')], { encoding: 'utf8' });
    expect(out.split('\n').filter((line) => line !== '')).toEqual(offered);
  });
});

const other = defineVerb({
  name: 'other',
  summary: 'A verb without a family',
  description: '',
  positionals: '',
  examples: [],
  options: {
    first: { flag: 'first', type: 'boolean', default: false, doc: 'a flag' },
    colour: { flag: 'colour', type: 'string', default: '', suggestions: ['red', 'green'], doc: 'a choice' },
  },
  run: async () => 0,
});

async function script(shell: string): Promise<string> {
  let out = '';
  const terminal = {
    out: (text: string) => {
      out += text;
    },
    err: () => undefined,
    color: false,
  };
  const verbs: readonly Verb[] = [flexnode, other, playground];
  await completionVerb(() => verbs).run({
    options: {},
    positionals: [shell],
    terminal,
    env: {},
    interrupted: new AbortController().signal,
    world: () => Promise.reject(new Error('it needs none')),
  });
  return out;
}
