/**
 * `node test/faults/find-bugs.ts`: for every deliberate bug the first seeds that find it, for the table. Needed when stories
 * are drawn differently than before. `--bug limits` for one of them, `--up-to 60` for how far.
 */
import { parseArgs } from 'node:util';
import { DELIBERATE_BUGS } from './deliberate-bugs.ts';
import { runTrial } from './trial.ts';

const { values } = parseArgs({
  options: { bug: { type: 'string', default: '' }, 'up-to': { type: 'string', default: '80' } },
});
for (const bug of DELIBERATE_BUGS.filter(({ name }) => name.includes(values.bug))) {
  const found: string[] = [];
  for (let seed = 1; seed <= Number(values['up-to']) && found.length < 2; seed++) {
    const { violations, virtualMs } = await runTrial({ seed, seams: bug.seams });
    if (violations.some(({ check }) => check === bug.foundBy))
      found.push(`${seed} (${Math.round(virtualMs / 60_000)} min)`);
  }
  console.log(`${bug.name}: ${found.length === 0 ? 'NOT FOUND' : found.join(', ')}`);
}
