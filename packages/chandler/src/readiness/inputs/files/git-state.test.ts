import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readInputs } from '../read-inputs.ts';
import { withGitState } from './git-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'git-state-'));
afterAll(() => rmSync(folder, { recursive: true }));

const VALUES = 'settings: {clusterName: shop}\n';

function git(path: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  execFileSync('git', ['-C', path, ...identity, ...args], { stdio: 'ignore' });
}

async function stateOf(path: string) {
  const { git: state } = await withGitState(await readInputs({ paths: [path] }), [path]);
  return state;
}

describe('git', () => {
  test('says which files with Helm values are committed, and how many commits are not pushed', async () => {
    const remote = join(folder, 'remote.git');
    const own = join(folder, 'own');
    mkdirSync(join(own, 'gitops'), { recursive: true });
    mkdirSync(remote);
    git(remote, 'init', '--bare', '--initial-branch=main');
    git(own, 'init', '--initial-branch=main');
    writeFileSync(join(own, 'gitops', 'values.yaml'), VALUES);
    const values = join(own, 'gitops/values.yaml');
    expect(await stateOf(own)).toEqual({ uncommitted: new Set([values]), committed: new Set() });
    git(own, 'add', '.');
    git(own, 'commit', '-m', 'one');
    expect(await stateOf(own)).toEqual({ uncommitted: new Set(), committed: new Set([values]) });
    git(own, 'remote', 'add', 'origin', remote);
    git(own, 'push', '-u', 'origin', 'main');
    expect(await stateOf(join(own, 'gitops'))).toMatchObject({ unpushed: 0 });
    writeFileSync(values, `${VALUES}replicas: 2\n`);
    expect(await stateOf(join(own, 'gitops'))).toMatchObject({ uncommitted: new Set([values]), unpushed: 0 });
    git(own, 'commit', '-a', '-m', 'two');
    expect(await stateOf(values)).toMatchObject({ uncommitted: new Set(), unpushed: 1 });
  });

  test('says nothing about a folder that is in no repository', async () => {
    const plain = join(folder, 'plain');
    mkdirSync(plain);
    writeFileSync(join(plain, 'values.yaml'), VALUES);
    expect(await stateOf(plain)).toBeUndefined();
  });
});
