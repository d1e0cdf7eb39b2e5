/** `node test/faults/sweep.ts`: a death at every effect of the small story, or at every so many (`--every 7`). */
import { parseArgs } from 'node:util';
import { crashAt } from './crash-sweep.ts';
import { real } from './virtual-globals.ts';

const { values } = parseArgs({ options: { every: { type: 'string', default: '1' } } });
const startMs = real.now();
const calm = await crashAt(0);
console.log(`${calm.effects} effects, ${calm.violations.length} violations without a death`);
for (const { check, what } of calm.violations) console.log(`  ${check}: ${what}`);
let wrong = 0;
for (let effect = 1; effect <= calm.effects; effect += Number(values.every)) {
  const { violations } = await crashAt(effect);
  if (violations.length === 0) continue;
  wrong += 1;
  console.log(`death at effect ${effect}:`);
  for (const { check, what, atMs } of violations) console.log(`  at ${atMs / 1000} s ${check}: ${what}`);
}
console.log(`${wrong} of them went wrong, ${Math.round((real.now() - startMs) / 1000)} s`);
process.exitCode = wrong > 0 ? 1 : 0;
