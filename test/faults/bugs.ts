/**
 * `node test/faults/bugs.ts [part of a name]`: runs the deliberate bugs and prints which checkers find them.
 */
import { runBugWorkload } from './bug-workload.ts';
import { CLOUD_NAMES } from './clouds.ts';
import { deliberateBugs } from './deliberate-bugs.ts';
import { SITUATION_NAMES } from './disruption-workload.ts';

const [wanted = ''] = process.argv.slice(2);
for (const cloud of wanted === '' ? CLOUD_NAMES : []) {
  print(`no bug, ${cloud}`, '', await runBugWorkload({ cloud, scenario: { quiet: true } }));
  const scenario = { quiet: true, disruption: SITUATION_NAMES };
  print(`no bug of disruption, ${cloud}`, '', await runBugWorkload({ cloud, scenario }));
}
for (const bug of (await deliberateBugs()).filter(({ name }) => name.includes(wanted)))
  print(bug.name, bug.foundBy, await runBugWorkload(bug));

// ---------------------------------------------------------------------------------------------------

function print(
  name: string,
  foundBy: string,
  { violations }: Awaited<ReturnType<typeof runBugWorkload>>,
): void {
  const found = violations.some(({ check }) => check === foundBy);
  console.log(`${foundBy === '' ? '     ' : found ? 'found' : 'LOST '} ${name}`);
  const seen = new Set<string>();
  for (const { check, what, atMs } of violations) {
    if (seen.has(check)) continue;
    seen.add(check);
    console.log(`        at ${Math.round(atMs / 1000)} s ${check}: ${what.slice(0, 160)}`);
  }
}
