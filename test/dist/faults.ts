/** The first seeds of the fault suite, played on the bundled operator; a few of them on the sources too, which must give the same record. */
import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildFacts } from '../../scripts/build/build-facts.ts';
import { DIST_TEST, ROOT } from '../../scripts/build/paths.ts';
import { Program } from './program.ts';
import type { Stage } from './suite.ts';

const SEEDS = 20;
/** Of those, played on the sources. */
const COMPARED = 3;
const TIMEOUT_MS = 20 * 60_000;

const BUNDLE = join(DIST_TEST, 'operator.js');

export async function checkFaults({ suite }: Stage): Promise<void> {
  let bundled: ReadonlyMap<number, string> = new Map();
  await suite.check(
    `seeds 1 to ${SEEDS} hold on the bundle, and no source of the operator is loaded`,
    async () => {
      const hooks = pathToFileURL(join(import.meta.dirname, 'no-operator-sources.ts')).href;
      const player = playerWith(['--import', hooks], { CHANDLER_OPERATOR_BUNDLE: BUNDLE });
      const { out } = await player.run(['--seeds', `1-${SEEDS}`], { timeoutMs: TIMEOUT_MS });
      const { commit } = buildFacts(ROOT);
      assert.equal(out.split('\n')[0], `the operator is the bundle ${BUNDLE}, commit ${commit}`);
      assert.match(out, new RegExp(`^${SEEDS} of ${SEEDS} seeds passed$`, 'm'));
      bundled = digestsOf(out);
      assert.equal(bundled.size, SEEDS);
    },
  );

  await suite.check(`seeds 1 to ${COMPARED} give the same record on the sources`, async () => {
    const { out } = await playerWith([], {}).run(['--seeds', `1-${COMPARED}`], { timeoutMs: TIMEOUT_MS });
    for (const [seed, digest] of digestsOf(out)) assert.equal(bundled.get(seed), digest, `seed ${seed}`);
  });
}

// ---------------------------------------------------------------------------------------------------

function playerWith(flags: readonly string[], env: Readonly<Record<string, string>>): Program {
  const script = relative(ROOT, join(ROOT, 'test', 'faults', 'run.ts'));
  return new Program({
    command: [process.execPath, ...flags, script],
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
}

function digestsOf(out: string): ReadonlyMap<number, string> {
  return new Map(
    [...out.matchAll(/^seed (\d+) passed ([0-9a-f]{16}) /gm)].map(([, seed, digest]) => [
      Number(seed),
      digest!,
    ]),
  );
}
