/**
 * Every scenario that the program itself lists, played to its end. For the one about disk encryption, also what the node
 * class showed meanwhile: it is verified only where the client for role assignments worked.
 */
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeClient, systemClock } from '@chandler/kube';
import { AKS_NODE_CLASSES } from '../../packages/chandler/src/api/index.ts';
import { clientOf, type PlaygroundProcess, startProcess } from '../playground/process.ts';
import { assertNoBug, outputOf } from './program.ts';
import type { Stage } from './suite.ts';

/** Most of the time they wait, so several share the machine. */
const AT_ONCE = 3;
const TIMEOUT_MS = 15 * 60_000;
const BYOK = 'byok-misconfiguration';

export async function checkScenarios(stage: Stage): Promise<void> {
  const { out } = await stage.chandler.run(['playground', '--scenario', 'list']);
  const names = [...out.matchAll(/^([a-z-]+) {2,}\S/gm)].map((match) => match[1]!);
  await stage.suite.check('the list names at least six scenarios, one of them about disk encryption', () => {
    assert.ok(names.length >= 6 && names.includes(BYOK), out);
  });
  const left = [...names];
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await checkOne(stage, name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

// ---------------------------------------------------------------------------------------------------

async function checkOne({ suite, chandler, folder }: Stage, name: string): Promise<void> {
  const place = join(folder, name);
  mkdirSync(place);
  const startMs = performance.now();
  const args = ['--scenario', name, '--once', '--write-kubeconfig', join(place, 'kubeconfig')];
  const playground = startProcess(args, chandler.files);
  const limit = setTimeout(() => void playground.stop(), TIMEOUT_MS);
  const kept = join(place, 'kept.log');
  const seen: string[] = [];
  let code: number | null = null;
  try {
    const ready = await playground.ready;
    await keepLog(ready.controllerLog, kept, playground);
    if (name === BYOK) await watchClass(await clientOf(ready), playground, seen);
    code = await playground.exit;
  } catch (error) {
    await playground.stop();
    await suite.check(`${name} starts`, () => Promise.reject(error));
    return;
  } finally {
    clearTimeout(limit);
  }
  const tookS = Math.round((performance.now() - startMs) / 1000);
  await suite.check(`${name} is played to its end (${tookS} s)`, () => assertPlayed(playground, code));
  await suite.check(`${name}: no bug in its output and in the controller's log`, () => {
    const log = readFileSync(kept, 'utf8');
    assert.match(log, /"message":"/, 'the log is empty');
    assertNoBug(log, 'the log of the controller');
    assertNoBug(outputOf(playground), 'the output');
  });
  if (name === BYOK)
    await suite.check('the disk encryption set was refused and then verified, by its role assignments', () =>
      assert.deepEqual(seen, ['False KeyVaultAccessMissing', 'True DiskEncryptionVerified']),
    );
}

function assertPlayed({ lines, errors }: PlaygroundProcess, code: number | null): void {
  const told = lines.filter(({ topic }) => topic === 'scenario').map(({ text = '' }) => text);
  assert.equal(code, 0, `it ended with ${code}\n${told.join('\n')}\n${errors()}`);
  const steps = Number(/^1\/(\d+) /.exec(told[0] ?? '')?.[1]);
  assert.ok(steps > 1, `it told no steps: ${told.join('; ')}`);
  assert.deepEqual(
    told.map((text) => text.split(' ')[0]),
    [...Array.from({ length: steps }, (_, at) => `${at + 1}/${steps}`), 'the'],
  );
  assert.equal(told.at(-1), 'the scenario is complete');
}

/** The playground removes its log at the end; a second name keeps it. */
async function keepLog(log: string, kept: string, playground: PlaygroundProcess): Promise<void> {
  await playground.printed('controller', 'is the leader', TIMEOUT_MS);
  linkSync(log, kept);
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** Until the process ends: what the condition DiskEncryptionVerified of the node class said, each time it changed. */
async function watchClass(
  { client, close }: { client: KubeClient; close(): Promise<void> },
  playground: PlaygroundProcess,
  seen: string[],
): Promise<void> {
  let ended = false;
  void playground.exit.then(() => {
    ended = true;
  });
  while (!ended) {
    const found = await client.get(AKS_NODE_CLASSES, { name: 'default' }).catch(() => undefined);
    const { conditions = [] } = (found?.['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
    const verified = conditions.find(({ type }) => type === 'DiskEncryptionVerified');
    const said = verified === undefined ? undefined : `${verified.status} ${verified.reason}`;
    if (said !== undefined && said !== seen.at(-1)) seen.push(said);
    await systemClock.sleep(50);
  }
  await close();
}
