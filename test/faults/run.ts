/**
 * Replays seeds: `node test/faults/run.ts --seed 7` prints one line per event and, at the end, the violations
 * and the digest of the record. `--seeds 1-50` runs several seeds and prints one line for each. `--quiet`
 * omits the events. `--record FILE` writes a recording of a seed for the page.
 * With CHANDLER_OPERATOR_BUNDLE=dist-test/operator.js it runs the bundled operator.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cloudNamed, DEFAULT_CLOUD } from './clouds.ts';
import { code } from './operator-code.ts';
import { RunRecording } from './recording.ts';
import { runTrial, type TrialResult } from './trial.ts';
import { real } from './virtual-globals.ts';

const { values } = parseArgs({
  options: {
    cloud: { type: 'string', default: DEFAULT_CLOUD },
    seed: { type: 'string' },
    seeds: { type: 'string' },
    record: { type: 'string' },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const cloud = cloudNamed(values.cloud);
if (code.BUILD.commit !== 'sources')
  console.log(`the operator is the bundle ${fileURLToPath(code.ORIGIN)}, commit ${code.BUILD.commit}`);
if (values.help)
  console.log(`Usage:
  node test/faults/run.ts [--cloud <name>] --seed <number> [--record <file>] [--quiet]
  node test/faults/run.ts [--cloud <name>] --seeds <from>-<to>

Replays seeds of the fault simulation in virtual time.

  --cloud   azure (default) or aws
  --seed    run one seed and print every event (default 1)
  --seeds   run a range of seeds and print one line for each
  --record  write what happened to this file; \`chandler page --recording FILE\` shows it
  --quiet   do not print the events
  --help    print this help`);
else if (values.seeds !== undefined) await runMany(values.seeds);
else await runOne(Number(values.seed ?? 1));

// ---------------------------------------------------------------------------------------------------

async function runOne(seed: number): Promise<void> {
  const recording = values.record === undefined ? undefined : new RunRecording();
  const result = await runTrial({
    seed,
    cloud,
    onLine: (line) => {
      recording?.line(line);
      if (!values.quiet) console.log(line);
    },
    ...(recording === undefined ? {} : { onChange: (change, atMs) => recording.change(change, atMs) }),
  });
  print(result);
  if (recording !== undefined) {
    await recording.write(values.record!, `seed ${seed} on ${cloud}`);
    console.log(`recorded; to look at it: npx chandler page --recording ${values.record}`);
  }
  process.exitCode = result.violations.length > 0 ? 1 : 0;
}

async function runMany(range: string): Promise<void> {
  const [from = 1, to = from] = range.split('-').map(Number);
  let failed = 0;
  const commands = new Map<string, number>();
  for (let seed = from; seed <= to; seed++) {
    const startMs = real.now();
    const result = await runTrial({ seed, cloud }).catch((error: unknown) => {
      console.log(`seed ${seed} crashed: ${error instanceof Error ? error.stack : String(error)}`);
      return undefined;
    });
    if (result === undefined || result.violations.length > 0) failed += 1;
    for (const [what, count] of Object.entries(result?.commands ?? {}))
      commands.set(what, (commands.get(what) ?? 0) + count);
    if (result !== undefined) print(result, real.now() - startMs);
  }
  console.log(`disruption commands: ${textOf(commands)}`);
  console.log(`${to - from + 1 - failed} of ${to - from + 1} seeds passed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function textOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort()
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
}

function print(result: TrialResult, tookMs?: number): void {
  const { seed, digest, violations, events, processes, virtualMs } = result;
  const verdict = violations.length === 0 ? 'passed' : `${violations.length} violations`;
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
