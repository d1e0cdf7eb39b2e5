/**
 * Replays seeds: `node test/faults/run.ts --seed 7` prints one line per event and, at the end, what was wrong and the digest
 * of the record. `--seeds 1-50` runs many and prints one line for each. `--quiet` leaves the events out.
 * With CHANDLER_OPERATOR_BUNDLE=dist-test/operator.js it plays the bundled operator.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { code } from './operator-code.ts';
import { runTrial, type TrialResult } from './trial.ts';
import { real } from './virtual-globals.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (code.BUILD.commit !== 'sources')
  console.log(`the operator is the bundle ${fileURLToPath(code.ORIGIN)}, commit ${code.BUILD.commit}`);
if (values.help) console.log('node test/faults/run.ts --seed 7 [--quiet] | --seeds 1-50');
else if (values.seeds !== undefined) await runMany(values.seeds);
else await runOne(Number(values.seed ?? 1));

// ---------------------------------------------------------------------------------------------------

async function runOne(seed: number): Promise<void> {
  const result = await runTrial({ seed, ...(values.quiet ? {} : { onLine: (line) => console.log(line) }) });
  print(result);
  process.exitCode = result.violations.length > 0 ? 1 : 0;
}

async function runMany(range: string): Promise<void> {
  const [from = 1, to = from] = range.split('-').map(Number);
  let failed = 0;
  for (let seed = from; seed <= to; seed++) {
    const startMs = real.now();
    const result = await runTrial({ seed }).catch((error: unknown) => {
      console.log(`seed ${seed} broke: ${error instanceof Error ? error.stack : String(error)}`);
      return undefined;
    });
    if (result === undefined || result.violations.length > 0) failed += 1;
    if (result !== undefined) print(result, real.now() - startMs);
  }
  console.log(`${to - from + 1 - failed} of ${to - from + 1} seeds hold`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function print(result: TrialResult, tookMs?: number): void {
  const { seed, digest, violations, events, processes, virtualMs } = result;
  const verdict = violations.length === 0 ? 'holds' : `${violations.length} WRONG`;
  console.log(
    `seed ${seed} ${verdict} ${digest} ${events} events, ${processes} processes, ${Math.round(virtualMs / 60_000)} min${tookMs === undefined ? '' : `, ${tookMs} ms`}`,
  );
  const seen = new Set<string>();
  for (const { check, what, atMs } of violations) {
    const line = `${check}: ${what}`;
    if (seen.has(line)) continue;
    seen.add(line);
    console.log(`  at ${(atMs / 1000).toFixed(1)} s ${line}`);
  }
}
