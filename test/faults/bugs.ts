/**
 * `node test/faults/bugs.ts [part of a name]`: runs the deliberate bugs and prints which checkers find them.
 */
import { runBugWorkload } from './bug-workload.ts';
import { DELIBERATE_BUGS } from './deliberate-bugs.ts';
import { SITUATION_NAMES } from './disruption-workload.ts';

const [wanted = ''] = process.argv.slice(2);
if (wanted === '') {
  print('no bug', '', await runBugWorkload({}, { quiet: true }));
  print('no bug of disruption', '', await runBugWorkload({}, { quiet: true, disruption: SITUATION_NAMES }));
}
for (const { name, foundBy, seams, scenario } of DELIBERATE_BUGS.filter((bug) => bug.name.includes(wanted)))
  print(name, foundBy, await runBugWorkload(seams, scenario));

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
