/** The install script and the unit for the first boot, on a machine with systemd. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from '../../machines/machine.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', '..', 'deploy', 'flexnode');
const UNIT = 'chandler-flexnode-bootstrap.service';
const FOLDER = '/root/deploy';

/** What the script installs from, as `npm run build -- --all-architectures` makes it for one architecture. */
export function layDeployFolder(root: string, executable: string, architecture: string): void {
  const folder = join(root, FOLDER);
  mkdirSync(folder);
  const name = `chandler-flexnode-linux-${architecture}`;
  copyFileSync(executable, join(folder, name));
  for (const file of ['install.sh', UNIT]) copyFileSync(join(DEPLOY, file), join(folder, file));
  const hash = createHash('sha256').update(readFileSync(executable)).digest('hex');
  writeFileSync(join(folder, 'SHA256SUMS'), `${hash}  ${name}\n`);
}

/** On a machine that is a node already: the unit succeeds, and does not start again. */
export async function runFirstBootUnit(
  machine: Machine,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const run = async (...argv: string[]) => {
    const result = await machine.run(argv, { timeoutMs: 120_000 });
    return { ...result, text: `${argv.join(' ')}: ${result.stdout}${result.stderr}` };
  };
  const installed = await run('sh', `${FOLDER}/install.sh`, '--from', FOLDER, '--unit');
  assert.equal(installed.exitCode, 0, installed.text);
  const dropIn = join(machine.root, 'etc/systemd/system', `${UNIT}.d`);
  mkdirSync(dropIn);
  const lines = Object.entries(environment).map(([name, value]) => `Environment=${name}=${value}\n`);
  writeFileSync(join(dropIn, 'test.conf'), `[Service]\n${lines.join('')}`);
  await run('systemctl', 'daemon-reload');
  assert.equal((await run('systemctl', 'is-enabled', UNIT)).stdout.trim(), 'enabled');
  const started = await run('systemctl', 'start', UNIT);
  const log = await run('journalctl', '-u', UNIT, '--no-pager', '-n', '30');
  assert.equal(started.exitCode, 0, `${started.text}\n${log.stdout}`);
  assert.match(log.stdout, /bootstrap: nothing to do/);
  assert.equal((await run('systemctl', 'is-enabled', UNIT)).stdout.trim(), 'disabled');
  rmSync(dropIn, { recursive: true });
  rmSync(join(machine.root, 'etc/systemd/system', UNIT));
  await run('systemctl', 'daemon-reload');
}
