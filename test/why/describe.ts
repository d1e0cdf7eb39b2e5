/**
 * Makes docs/cse-on-nodeclaims.md: what `kubectl describe nodeclaim` shows in the playground after three failures. It runs
 * `chandler playground` and kubectl as people do, in real time (about two minutes), so it is run by hand:
 *
 *     CHANDLER_TEST_BINARIES=folder-of-kubectl node test/why/describe.ts
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/cse-on-nodeclaims.md');

const STORIES: readonly { readonly fault: string; readonly words: string }[] = [
  { fault: 'cse=211', words: 'The registry gives no token, and the code says so.' },
  { fault: 'cse=50', words: 'The subnet has no way out.' },
  {
    fault: 'cse-oras',
    words:
      'The same code 211, but what was found is another thing: the image came without `oras` (as AzureLinux V3 202601.27.0 did). The message says so, and that neither network nor identity has to be looked at.',
  },
];

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '1' } } }] },
};

const HEAD = `# A node that failed to bootstrap, as kubectl shows it

Made by \`node test/why/describe.ts\` from runs of the playground; only what bears on the failure is shown. What the codes
mean is in [cse-codes.md](cse-codes.md); rules to be alerted by are in [alerts.md](alerts.md).

The claim stays readable for \`FAILED_CLAIM_RETENTION\` (10 minutes), its machine is deleted at once (\`KEEP_FAILED_VM=true\`
keeps it), and the pool carries the same event, so that it outlives the claim. The replacement is not held back by it.
`;

const parts = [HEAD];
for (const { fault, words } of STORIES) parts.push(await story(fault, words));
writeFileSync(PAGE, parts.join('\n'));

async function story(fault: string, words: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-describe-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const args = ['playground', '--no-view', '--write-kubeconfig', kubeconfig, '--fault', fault];
  const playground = spawn(process.execPath, [join(ROOT, 'packages/chandler/src/cli/main.ts'), ...args], {
    stdio: 'ignore',
  });
  try {
    for (let tries = 0; !existsSync(kubeconfig); tries++) {
      if (tries > 100) throw new Error('the playground does not start');
      await sleep(300);
    }
    const kubectl = (words_: readonly string[], input?: string) =>
      execFileSync(join(process.env['CHANDLER_TEST_BINARIES'] ?? '', 'kubectl'), [...words_], {
        encoding: 'utf8',
        env: { ...process.env, KUBECONFIG: kubeconfig },
        ...(input === undefined ? {} : { input }),
      });
    kubectl(['apply', '-f', '-'], JSON.stringify(POD));
    const name = await failedClaim(kubectl);
    await sleep(2000);
    const claim = kubectl(['describe', 'nodeclaim', name]);
    const pool = kubectl(['describe', 'nodepool', 'default']);
    return [
      `## \`--fault ${fault}\`\n`,
      `${words}\n`,
      '```console',
      `$ kubectl describe nodeclaim ${name}`,
      `Name:         ${name}`,
      '…',
      ...condition(claim),
      '…',
      ...events(claim),
      '',
      '$ kubectl describe nodepool default',
      '…',
      ...events(pool),
      '```\n',
    ].join('\n');
  } finally {
    playground.kill('SIGINT');
    await new Promise((ended) => playground.once('exit', ended));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function failedClaim(kubectl: (words: readonly string[]) => string): Promise<string> {
  const path =
    '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="CSEProvisioned")].status}{"\\n"}{end}';
  for (let tries = 0; tries < 200; tries++) {
    const lines = kubectl(['get', 'nodeclaims', '-o', `jsonpath=${path}`]).split('\n');
    const failed = lines.find((line) => line.endsWith(' False'));
    if (failed !== undefined) return failed.split(' ')[0]!;
    await sleep(500);
  }
  throw new Error('no claim failed');
}

/** The lines of the condition, from its first to its type. */
function condition(text: string): readonly string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => /^ +Type: +CSEProvisioned$/.test(line));
  return ['Status:', '  Conditions:', ...lines.slice(end - 5, end + 1)];
}

function events(text: string): readonly string[] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith('Events:'));
  const [title, names, rule, ...rows] = lines.slice(at);
  return [title!, names!, rule!, ...rows.filter((line) => / CSEFailed /.test(line))];
}
