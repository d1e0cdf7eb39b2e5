import { describe, expect, test } from 'vitest';
import { countPoints, SCENARIOS, tryPoint, wantedView } from './kill-scenarios.ts';

/** Some points of each kind here; all of them in `node test/flexnode/kill-deep.ts`. */
const POINTS = 3;

describe('a run that is ended with kill -9', () => {
  for (const scenario of SCENARIOS) {
    test(scenario.name, async () => {
      const wanted = await wantedView(scenario.wanted);
      const count = await countPoints(scenario);
      expect(count).toBeGreaterThan(150);
      const stride = Math.floor(count / POINTS);
      const offset = SCENARIOS.indexOf(scenario) * 3;
      for (let at = offset; at < count; at += stride) {
        expect(await tryPoint(scenario, at, wanted)).toEqual([]);
      }
    });
  }
});
