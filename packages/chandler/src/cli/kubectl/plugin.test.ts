import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { run } from '../run.ts';
import { withoutNamespace, withVerbFirst } from './kubectl-flags.ts';
import { PLUGIN_VERBS, pluginVerbs, readInvocation, roleOf } from './plugin.ts';

async function call(role: 'plugin' | 'completion', ...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
    color: false,
  };
  const invocation = await readInvocation(role, args, terminal.err);
  const world = async () => virtualWorld();
  const { signal } = new AbortController();
  const code = await run(invocation.verbs, { ...invocation, env: {}, terminal, interrupted: signal, world });
  return { code, out: out.join(''), err: err.join('') };
}

test.each([
  [['/usr/lib/node_modules/.bin/kubectl-chandler', 'node'], 'plugin'],
  [['C:\\npm\\kubectl-chandler.js', 'node'], 'plugin'],
  [[undefined, '/root/.krew/bin/kubectl-chandler'], 'plugin'],
  [['C:\\krew\\bin\\kubectl-chandler.exe'], 'plugin'],
  [['/usr/local/bin/kubectl_complete-chandler'], 'completion'],
  [['/usr/local/bin/chandler', 'node'], 'chandler'],
  [['/srv/kubectl-chandler/chandler.js'], 'chandler'],
])('%j is %s', (names, role) => {
  expect(roleOf(names)).toBe(role);
});

describe('flags of kubectl', () => {
  test('may be before the command or after it, and what is later counts', () => {
    expect(withVerbFirst(['--context', 'a', '-n', 'shop', 'why', 'pod/x', '--context=b'])).toEqual([
      'why',
      '--context',
      'a',
      '-n',
      'shop',
      'pod/x',
      '--context=b',
    ]);
    expect(withVerbFirst(['--kubeconfig=/k', 'top'])).toEqual(['top', '--kubeconfig=/k']);
    expect(withVerbFirst(['why', 'pod/x', '-n', 'shop'])).toEqual(['why', 'pod/x', '-n', 'shop']);
    expect(withVerbFirst(['--help'])).toEqual(['--help']);
  });

  test('a namespace has no effect on a command about the whole cluster, and a line says so', async () => {
    const [plan] = await pluginVerbs('plan');
    const lines: string[] = [];
    const warn = (line: string) => void lines.push(line);
    expect(withoutNamespace(['plan', '-n', 'shop', '-o', 'json', '--namespace=x'], plan!, warn)).toEqual([
      'plan',
      '-o',
      'json',
    ]);
    expect(lines).toEqual(['--namespace has no effect: "plan" is not about one namespace\n']);
    const [why] = await pluginVerbs('why');
    expect(withoutNamespace(['why', 'pod/x', '-n', 'shop'], why!, warn)).toHaveLength(4);
    expect(lines).toHaveLength(1);
  });

  test('reach a command from either side', async () => {
    const missing = '/no/such/kubeconfig';
    for (const args of [
      ['--kubeconfig', missing, 'top'],
      ['top', '--kubeconfig', missing],
    ]) {
      const { code, err } = await call('plugin', ...args);
      expect(code).toBe(1);
      expect(err).toMatch(/^kubectl chandler top: .*\/no\/such\/kubeconfig/);
    }
  });
});

describe('kubectl chandler', () => {
  test('--help lists its commands, and help names it as kubectl does', async () => {
    const { out, code } = await call('plugin', '--help');
    expect(code).toBe(0);
    expect(out).toContain('Usage: kubectl chandler COMMAND [flags]');
    for (const name of PLUGIN_VERBS) expect(out).toContain(`\n  ${name} `);
    expect(out).not.toContain('playground');
    expect(out).toContain('\n  kubectl chandler why pod/web-0\n');
    const help = (await call('plugin', 'plan', '--help')).out;
    expect(help).toContain('Usage: kubectl chandler plan [flags]');
    expect(help).toContain('\n  kubectl chandler plan --history\n');
    expect(help).not.toMatch(/^ {2}chandler /m);
  });

  test('a command that it does not have is refused, with a suggestion', async () => {
    expect(await call('plugin', 'controller')).toMatchObject({ code: 2 });
    const { err } = await call('plugin', 'pln');
    expect(err).toBe('kubectl chandler: unknown command "pln"; did you mean "kubectl chandler plan"?\n');
  });
});

describe('completion for kubectl', () => {
  test.each([
    [['wh'], ['why\tExplain why a pod, workload, NodeClaim, node or NodePool is not healthy', ':4']],
    [
      ['--context', 'x', 'ver'],
      ['version\tPrint the version', ':4'],
    ],
    [
      ['why', 'node'],
      ['nodeclaim/', 'node/', 'nodepool/', ':6'],
    ],
    [
      ['top', '--so'],
      [expect.stringMatching(/^--sort\t/), ':4'],
    ],
    [
      ['top', '--sort', 'p'],
      ['phase', 'pods', 'price', ':4'],
    ],
    [
      ['top', '-o', 'w'],
      ['wide', ':4'],
    ],
    [['plan', '-f', ''], [':0']],
    [['--kubeconfig', ''], [':0']],
    [['none', ''], [':4']],
  ])('of %j', async (args, expected) => {
    const { out, code } = await call('completion', ...args);
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual(expected);
  });
});
