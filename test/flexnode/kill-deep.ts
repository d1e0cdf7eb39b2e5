/**
 * Ends a run at every write, every command and every call, once each, and looks at what the next run makes of it.
 * `node test/flexnode/kill-deep.ts [--every 10] [--scenario 2]`; exits 1 when anything is not as it should be.
 */
import { parseArgs } from 'node:util';
import { countPoints, SCENARIOS, tryPoint, wantedView } from './kill-scenarios.ts';

const { values } = parseArgs({ options: { every: { type: 'string' }, scenario: { type: 'string' } } });
const every = Number(values.every ?? 1);
const scenarios = values.scenario === undefined ? SCENARIOS : [SCENARIOS[Number(values.scenario) - 1]!];

let failed = 0;
for (const scenario of scenarios) {
  const startedMs = Date.now();
  const wanted = await wantedView(scenario.wanted);
  const count = await countPoints(scenario);
  const points = Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
  let wrong = 0;
  for (const at of points) {
    const problems = await tryPoint(scenario, at, wanted);
    if (problems.length === 0) continue;
    wrong += 1;
    console.error(problems.slice(0, 12).join('\n'));
  }
  failed += wrong;
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
  console.log(`${scenario.name}: ${points.length} of ${count} points, ${wrong} wrong, ${seconds} s`);
}
process.exitCode = failed === 0 ? 0 : 1;
