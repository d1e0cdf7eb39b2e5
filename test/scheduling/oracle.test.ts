/**
 * Two thousand random clusters, a tenth of them in `npm test`; every plan is checked by an independent checker and by the playground's
 * scheduler. A failure prints its seed: `node test/scheduling/deep.ts --seed <n>` minimises it.
 * `CHANDLER_SEED` selects other clusters.
 */
import { expect, test } from 'vitest';
import { everyNth } from '../part.ts';
import { tryClusters } from './trial.ts';

const CLUSTERS = 2_000;
const PARTS = 10;
const first = Number(process.env['CHANDLER_SEED'] ?? 0);

const parts = Array.from({ length: PARTS }, (_, part) => first + (part * CLUSTERS) / PARTS);
for (const from of everyNth('parts of the random clusters', parts, 10)) {
  const to = from + CLUSTERS / PARTS;
  test(`plans for the random clusters ${from} to ${to - 1} are valid`, () => {
    expect(tryClusters(from, to)).toEqual([]);
  });
}

/** Seeds found by the long run, by failure. */
const ONCE_WRONG: Readonly<Record<string, readonly number[]>> = {
  'started a second group of its kind': [
    4350, 4925, 5563, 5637, 8623, 9177, 9513, 9972, 10151, 12714, 12945, 13135, 15545, 16847, 17141, 17293,
    17864, 18015, 19151,
  ],
  'forgot pods that were on a claim already': [4678, 16785, 17312, 18117],
  'counted a claim whose architecture was open': [3647],
  'forgot that a label must exist': [18161],
  'did not know where a pod was that must come before others': [22948],
  'did not see that alternatives cover everything': [22916],
  'moved away what a pod on a node was even with': [4831],
  'left open what spreads had to know, because that was cheaper': [316126, 319875],
  'opened a domain that the spread of others had not counted': [319812],
  'did not count a new node whose rack could only be a new one': [1429401],
  'refused a pod because others wanted to know a label that its node cannot have': [1722351],
  'left open what spreads had to know, in another order of the pods': [1713635],
  'could not be bound in every zone that the cloud may choose': [1733747],
  'gave a node a preferred rack that the spread of others had not counted': [4015956],
  'took a label that does not exist for one with every value': [1006863, 1009521],
  'gave up alternatives of a required affinity with the preferences': [1132707],
  'added a node beside pods that share hosts only because there was none': [1250457],
  'did not count a pod whose node may take part': [1048560],
  'looked wrong until more orders of arrival were tried': [5195],
};

for (const [why, seeds] of Object.entries(ONCE_WRONG)) {
  test(`regression: a plan once ${why}`, () => {
    expect(seeds.flatMap((seed) => tryClusters(seed, seed + 1))).toEqual([]);
  });
}
