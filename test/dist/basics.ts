/** What the program says of itself: its version and commit, its help, its options; and that it names a Node.js that is too old. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GOOD_ENV } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { buildFacts } from '../../scripts/build/build-facts.ts';
import { ROOT } from '../../scripts/build/paths.ts';
import type { Stage } from './suite.ts';

export async function checkBasics({ suite, chandler, folder }: Stage): Promise<void> {
  const { version, commit } = buildFacts(ROOT);

  await suite.check('version names the version and the commit', async () => {
    const { out } = await chandler.run(['version']);
    assert.match(out, new RegExp(`^chandler ${version} \\(commit ${commit}, Node\\.js 2`));
    const facts = JSON.parse((await chandler.run(['version', '-o', 'json'])).out) as object;
    assert.partialDeepStrictEqual(facts, { version, commit });
  });

  await suite.check('every verb has help', async () => {
    const { out } = await chandler.run(['--help']);
    const verbs = [...out.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map((match) => match[1]!);
    assert.ok(verbs.length >= 10, out);
    for (const verb of verbs) assert.match((await chandler.run([verb, '--help'])).out, /^Usage: chandler/m);
  });

  await suite.check('crds prints every chart template', async () => {
    const { out } = await chandler.run(['crds']);
    const kinds = [...out.matchAll(/^kind: CustomResourceDefinition$/gm)].length;
    assert.equal(kinds, readdirSync(join(ROOT, 'charts/chandler-crd/templates')).length);
  });

  await suite.check('controller --print-options reads a settings file', async () => {
    const file = join(folder, 'settings.yaml');
    writeFileSync(file, 'kind: ConfigMap\ndata: { logLevel: debug }\n');
    const { out } = await chandler.run(['controller', '--print-options', '--settings-file', file], {
      env: GOOD_ENV,
    });
    assert.match(out, /^ {2}logLevel +debug {2}\(settings /m);
    assert.match(out, /^ {2}clusterName +my-cluster {2}\(env CLUSTER_NAME\)$/m);
  });

  await suite.check('a Node.js that is too old is named in one sentence', () => {
    const [program] = chandler.files.command;
    const old = join(folder, 'old-node.cjs');
    writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });\n");
    const { status, stderr } = spawnSync(process.execPath, ['--require', old, program, 'version'], {
      encoding: 'utf8',
    });
    assert.equal(stderr, 'chandler needs Node.js 22.18 or newer; this is Node.js 20.20.2.\n');
    assert.equal(status, 1);
    assert.match(readFileSync(program, 'utf8'), /^#!\/usr\/bin\/env node\n/);
  });
}
