import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { run } from './run.ts';
import { defineVerb, Failure, type Verb } from './verb.ts';
import { VERBS } from './verbs/index.ts';
import { loadVerbs, VERB_LOADERS } from './verbs/load-verbs.ts';

const FAILING = defineVerb({
  name: 'fail',
  summary: 'Fails',
  description: 'Fails.',
  positionals: '',
  examples: [{ command: 'chandler fail', does: 'fail' }],
  options: { broken: { flag: 'broken', type: 'boolean', default: false, doc: 'By a bug' } },
  async run({ options }) {
    if (options.broken.value) throw new TypeError('a bug');
    throw new Failure('the file x.yaml is not there; create it with `touch x.yaml`');
  },
});

describe('the command line', () => {
  test('without a command it prints the overview and exits 2', async () => {
    const result = await call([]);
    expect(result.code).toBe(2);
    expect(result.out).toContain('Usage: chandler COMMAND');
    for (const verb of VERBS) expect(result.out).toContain(`  ${verb.name} `);
  });

  test('--help and help COMMAND exit 0', async () => {
    expect((await call(['--help'])).code).toBe(0);
    const help = await call(['help', 'version']);
    expect(help.out).toBe((await call(['version', '--help'])).out);
    expect(help.code).toBe(0);
  });

  test('every command has help with an example and its flags', async () => {
    for (const verb of VERBS) {
      const { out, code } = await call([verb.name, '--help']);
      expect(code).toBe(0);
      expect(out).toContain(`Usage: chandler ${verb.name}`);
      expect(out).toMatch(/Examples:\n {2}# .+\n {2}\S+/);
      for (const row of Object.values(verb.options)) expect(out).toContain(`--${row.flag}`);
    }
  });

  test('a mistyped command gets a suggestion and exits 2', async () => {
    const { code, err } = await call(['verison']);
    expect(code).toBe(2);
    expect(err).toBe('chandler: unknown command "verison"; did you mean "chandler version"?\n');
  });

  test('an invalid flag is named with its command and exits 2', async () => {
    const { code, err, out } = await call(['version', '-o', 'xml']);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toBe(
      'chandler version: -o: expected text or json, got "xml"\nSee "chandler version --help" for usage.\n',
    );
  });

  test('an unexpected argument exits 2', async () => {
    expect(await call(['version', 'now'])).toMatchObject({ code: 2, out: '' });
  });

  test('a failure says what to do, without a stack trace, and exits 1', async () => {
    expect(await call(['fail'], [FAILING])).toEqual({
      code: 1,
      out: '',
      err: 'chandler fail: the file x.yaml is not there; create it with `touch x.yaml`\n',
    });
  });

  test('a bug is not reported as a failure', async () => {
    await expect(call(['fail', '--broken'], [FAILING])).rejects.toThrow('a bug');
  });
});

describe('verbs', () => {
  test('version prints text and JSON', async () => {
    expect((await call(['version'])).out).toMatch(/^chandler \d+\.\d+\.\d+ \(from sources, Node\.js \d+/);
    expect(JSON.parse((await call(['version', '-o', 'json'])).out)).toMatchObject({
      version: expect.any(String),
    });
    expect((await call(['--version'])).out).toMatch(/^chandler /);
  });

  test.each(['bash', 'zsh', 'fish'])('completion for %s knows every verb and flag', async (shell) => {
    const { out, code } = await call(['completion', shell]);
    expect(code).toBe(0);
    for (const verb of VERBS) {
      expect(out).toContain(verb.name);
      for (const row of Object.values(verb.options)) expect(out).toContain(row.flag);
    }
  });

  test('completion requires a known shell', async () => {
    expect(await call(['completion'])).toMatchObject({ code: 2, out: '' });
    expect((await call(['completion', 'cmd'])).err).toContain('requires one shell: bash, zsh or fish');
  });

  test('only the named command is loaded, and all of them when none is named', async () => {
    const others = VERBS.filter(({ name }) => name !== 'completion');
    expect(Object.keys(VERB_LOADERS)).toEqual(others.map(({ name }) => name));
    for (const verb of others) expect(await loadVerbs([verb.name])).toEqual([verb]);
    for (const args of [[], ['--help'], ['completion'], ['constructor']])
      expect(await loadVerbs(args)).toBe(VERBS);
  });

  test('crds prints the files of the chart', async () => {
    const { crdFiles } = await import('../api/kinds/crd-files.ts');
    const { out } = await call(['crds']);
    expect(out.split(/^---\n/m)).toEqual(crdFiles().map((file) => file.text));
    const list = JSON.parse((await call(['crds', '-o', 'json'])).out) as { items: unknown[] };
    expect(list.items).toHaveLength(crdFiles().length);
  });
});

describe('a command that waits when Ctrl-C is pressed', () => {
  const interrupt = new AbortController();
  const waiting = (how: (reason: unknown) => unknown) =>
    defineVerb({
      ...FAILING,
      async run({ interrupted }) {
        interrupt.abort(new Error('stopped by SIGINT'));
        throw how(interrupted.reason);
      },
    });

  test('says so in one line and exits 130', async () => {
    const result = await call(['fail'], [waiting((reason) => reason)], interrupt.signal);
    expect(result).toEqual({ code: 130, out: '', err: 'chandler fail: stopped by SIGINT\n' });
  });

  test('and a bug at that moment stays a bug', async () => {
    const bug = waiting(() => new TypeError('a bug'));
    await expect(call(['fail'], [bug], interrupt.signal)).rejects.toThrow('a bug');
  });
});

async function call(
  args: readonly string[],
  verbs: readonly Verb[] = VERBS,
  interrupted = new AbortController().signal,
) {
  let out = '';
  let err = '';
  const code = await run(verbs, {
    args,
    env: {},
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted,
    world: async () => virtualWorld(),
  });
  return { code, out, err };
}
