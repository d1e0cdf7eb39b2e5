/** The plugin as people use it: a real kubectl finds it on the PATH, completes its arguments and runs it on a playground. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildFacts } from '../../scripts/build/build-facts.ts';
import { ROOT } from '../../scripts/build/paths.ts';
import { startProcess } from '../playground/process.ts';
import { Program } from './program.ts';
import type { Stage } from './suite.ts';

export async function checkKubectl({ suite, chandler, folder }: Stage): Promise<void> {
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) {
    console.log('skip the kubectl plugin: there is no kubectl on the PATH');
    return;
  }
  const { command, cwd, env } = chandler.files;
  const PATH = `${dirname(command[0])}:${env['PATH']}`;
  const kubectl = new Program({ command: ['kubectl'], cwd, env: { ...env, PATH } });

  await suite.check('kubectl lists the plugin', async () => {
    const { out } = await kubectl.run(['plugin', 'list', '--name-only']);
    assert.match(out, /^kubectl-chandler$/m);
  });

  await suite.check('kubectl chandler --help and version', async () => {
    const { out } = await kubectl.run(['chandler', '--help']);
    assert.match(out, /^Usage: kubectl chandler COMMAND \[flags\]$/m);
    assert.match(
      (await kubectl.run(['chandler', 'top', '--help'])).out,
      /^Usage: kubectl chandler top \[flags\]$/m,
    );
    const { version } = buildFacts(ROOT);
    assert.ok((await kubectl.run(['chandler', 'version'])).out.startsWith(`chandler ${version} `));
  });

  await suite.check('kubectl completes commands, flags and values', async () => {
    const complete = async (...args: string[]) =>
      (await kubectl.run(['__complete', 'chandler', ...args])).out;
    assert.match(await complete('wh'), /^why\t/m);
    assert.match(await complete('top', '--so'), /^--sort\t/m);
    assert.match(await complete('top', '--sort', 'pr'), /^price$/m);
  });

  const place = join(folder, 'kubectl');
  mkdirSync(place);
  const playground = startProcess(['--write-kubeconfig', join(place, 'kubeconfig')], chandler.files);
  try {
    const { kubeconfig } = await playground.ready;
    const [, context = ''] = /^current-context: "?([^"\n]+)"?$/m.exec(readFileSync(kubeconfig, 'utf8')) ?? [];
    const flags = ['--kubeconfig', kubeconfig, '--context', context];
    for (const [where, args] of [
      ['after', ['chandler', 'top', '-o', 'name', ...flags]],
      ['before', ['chandler', ...flags, 'top', '-o', 'name']],
    ] as const)
      await suite.check(`kubectl chandler top, with flags of kubectl ${where} the command`, async () => {
        const { out } = await kubectl.run(args);
        assert.match(out, /^node\/system-1\nnode\/system-2\nnode\/system-3\n/);
      });
    await suite.check('a namespace is ignored where it means nothing, and a line says so', async () => {
      const { err } = await kubectl.run(['chandler', ...flags, '-n', 'shop', 'top', '-o', 'json']);
      assert.match(err, /^--namespace has no effect: "top" is not about one namespace$/m);
    });
    await suite.check('kubectl chandler why node/system-1', async () => {
      const { out } = await kubectl.run(['chandler', 'why', 'node/system-1', ...flags, '-o', 'json']);
      assert.equal((JSON.parse(out) as { verdict: string }).verdict, 'healthy');
    });
  } finally {
    await suite.check('the playground stops, and nothing of it is left', async () => {
      assert.equal(await playground.stop(), 0);
      assert.deepEqual(readdirSync(place), []);
    });
  }
}
