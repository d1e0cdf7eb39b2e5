/** `bootstrap --dry-run` as an operator sees it: three configs, through the verb itself, on a plain machine in a folder. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, execPath } from 'node:process';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { flexnode, run } from '../../packages/chandler/src/cli/testing.ts';
import { STEP_IDS } from '../../packages/chandler/src/flexnode/index.ts';
import { type Changes, minimalFile, PRINCIPAL } from '../../packages/chandler/src/flexnode/testing.ts';
import { treeOf } from './tree.ts';
import { layPlainTree } from './ubuntu-files.ts';

const CLIENT_SECRET = 'pl4nted~client-secret';

const AGENT = { 'downloads.sha256|azcmagent/1.66.03466.1193/amd64': 'a'.repeat(64) };

const CONFIGS: Readonly<Record<string, Changes>> = {
  /** The default: secure, with a service principal. */
  'plan-default': { ...AGENT, ...PRINCIPAL, 'azure.servicePrincipal.clientSecret': CLIENT_SECRET },
  /** What the document asks for, insecure choices included, signed in with the Azure CLI. */
  'plan-document-mode': {
    ...AGENT,
    'security.documentMode': true,
    'azure.arc.autoRoleAssignment': true,
    'azure.arc.tags': { site: 'north' },
  },
  /** Everything else at once. */
  'plan-tls-bootstrap': {
    'security.tlsBootstrap': true,
    'downloads.bundle': '/srv/flexnode-bundle',
    'proxy.http': 'http://proxy.test:3128',
    'proxy.https': 'http://proxy.test:3128',
    'proxy.noProxy': ['10.0.0.0/8'],
    'node.labels|example.com/site': 'north',
    'node.taints': ['dedicated=edge:NoSchedule'],
    'node.kubelet.evictionHard|memory.available': '200Mi',
    'node.kubelet.kubeReserved': { cpu: '100m', memory: '512Mi' },
    'node.kubelet.extraConfig': { serializeImagePulls: false },
    'containerd.extraConfig': '[debug]\nlevel = "info"\n',
    'containerd.version': '2.0.4',
  },
};

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flexnode-dry-'));
  root = join(folder, 'machine');
  layPlainTree(root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('flexnode bootstrap --dry-run', () => {
  test.each(Object.keys(CONFIGS))('golden: %s', async (name) => {
    const before = treeOf(root, { without: [] });
    const { code, out, err } = await dryRun(CONFIGS[name]!);
    expect(code, err).toBe(0);
    for (const step of STEP_IDS) expect(out).toContain(` [${step}]`);
    expect(out).not.toContain('It would stop there');
    expect(out + err).not.toContain(CLIENT_SECRET);
    expect(treeOf(root, { without: [] })).toEqual(before);
    await expect(out).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  test('for programs it is the same plan, without the secret too', async () => {
    const { code, out } = await dryRun(CONFIGS['plan-default']!, ['-o', 'json']);
    expect(code).toBe(0);
    expect(out).not.toContain(CLIENT_SECRET);
    const lines = out.trimEnd().split('\n');
    const plan = JSON.parse(lines.at(-1)!) as { steps: { step: string; status: string }[] };
    expect(plan.steps.map(({ step }) => step)).toEqual([...STEP_IDS]);
  });
});

async function dryRun(changes: Changes, more: readonly string[] = []) {
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify(minimalFile(changes), null, 2), { mode: 0o600 });
  const said = { out: '', err: '' };
  const code = await run([flexnode], {
    args: ['flexnode', 'bootstrap', '--dry-run', '--offline', '--root', root, '--config', config, ...more],
    env: {},
    terminal: {
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
      color: false,
    },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  // Where this program lies is not the same everywhere.
  const out = said.out
    .replaceAll(execPath, '/usr/bin/node')
    .replaceAll(argv[1]!, '/opt/chandler/chandler.js');
  return { code, out, err: said.err };
}
