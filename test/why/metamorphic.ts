/**
 * What must not change an answer, and in which order several causes are told. Each combination comes from a seed: a case
 * of the corpus with noise that does not concern the object, of which the headline must be the same, or two faults of one
 * pod or node, of which the one to repair first must be the headline and the other must be told as well.
 * `node test/why/metamorphic.ts --seed 7` asks one combination and prints the answer; `--count 100` asks more.
 */
import { parseArgs } from 'node:util';
import { type Explanation, explanationText } from '../../packages/chandler/src/diagnose/index.ts';
import { Chance } from '../scheduling/chance.ts';
import { type AwsCase, awsCorpus, runAwsCase } from './aws-corpus.ts';
import { type CorpusCase, corpus, runObjects } from './corpus.ts';
import { engineEvent } from './engine-event.ts';
import { FAULTS, pairCase } from './fault-pairs.ts';
import { nodePairs } from './node-pairs.ts';
import {
  type Apart,
  AWS_MAKERS,
  AZURE_MAKERS,
  type Concern,
  isNoiseFor,
  type Makers,
  NOISES,
  type Noise,
  selectorFor,
  WAYS_APART,
} from './noise.ts';
import { merged } from './objects.ts';

export interface Combination {
  readonly seed: number;
  readonly title: string;
  readonly ask: () => Promise<Answered>;
}

export interface Answered {
  readonly explanation: Explanation | undefined;
  /** Empty: right. */
  readonly complaint: string;
}

/** One combination of each seed. */
export function combination(seed: number): Combination {
  const chance = new Chance(seed);
  const pairs = (FAULTS.length * (FAULTS.length - 1)) / 2;
  const quiet = quietCases();
  const ofNodes = nodePairs();
  const pick = chance.between(0, quiet.length + 2 * pairs + ofNodes.length - 1);
  const noises = noisesOf(chance);
  const apart = chance.one(WAYS_APART);
  const one = quiet[pick];
  if (one !== undefined) {
    const kept = one.apart(meantFor(one.cause, apart));
    return withNoise(
      seed,
      one,
      noises.filter((each) => isNoiseFor(one, kept, each)),
      kept,
    );
  }
  const ofNode = ofNodes[pick - quiet.length - 2 * pairs];
  if (ofNode !== undefined) return withNodePair(seed, ofNode, noises);
  const pair = (pick - quiet.length) % pairs;
  const isTold = pick - quiet.length >= pairs;
  const { first, second } = pairCase(pair);
  const kept = meantFor(first.cause, meantFor(second.cause, apart));
  const beside = noises.filter((each) =>
    [first, second].every(({ cause }) => isNoiseFor({ cause, isOfZones: false }, kept, each)),
  );
  return withPair(seed, pair, beside, kept, isTold);
}

/** Prints those that are wrong, and returns how many there are. */
export async function askCombinations(from: number, count: number): Promise<number> {
  let wrong = 0;
  for (let seed = from; seed < from + count; seed++) {
    const { title, ask } = combination(seed);
    const { complaint } = await ask();
    if (complaint === '') continue;
    wrong++;
    console.log(`seed ${seed}: ${title}\n  ${complaint}`);
  }
  return wrong;
}

/** Everything that the printed headline says, without names of noise. */
export function headline({ verdict, cause }: Explanation): string {
  if (cause === undefined) return verdict;
  const text = `${cause.id}: ${cause.title}: ${cause.summary}`.replace(
    /\d+ NodePools \(([^)]*?)(?:, …)?\)/g,
    'NodePools $1',
  );
  const at = text.search(/NodePools? [\w-]+(?:, [\w-]+)*:/);
  const [head, tail] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
  const told = tail
    .split(/; (?=NodePool)/)
    .filter((part) => !/NodePools? noise-[^:]*:/.test(part) || /NodePools? (?!noise-)/.test(part))
    .join('; ');
  return (
    `${head}${told}`
      .replace(/,? ?noise-[\w-]+/g, '')
      // Zones of any NodePool are domains of a spread.
      .replace(/, 0 in [\w-]+/g, '')
      .replace(/NodePools ([^,:]+):/g, 'NodePool $1:')
  );
}

// ---------------------------------------------------------------------------------------------------

/** A pod that tolerates no taint, or finds no instance type, may be meant for any NodePool, unless it selects one. */
function meantFor(cause: string | undefined, apart: Apart): Apart {
  return cause === 'L6.2' || cause === 'scheduling.pool-without-types' ? 'label' : apart;
}

interface QuietCase extends Concern {
  readonly title: string;
  /** What can keep its pods from other NodePools. */
  readonly apart: (wanted: Apart) => Apart;
  readonly run: (noises: readonly Noise[], apart: Apart) => Promise<Answered>;
}

let cases: readonly QuietCase[] | undefined;

function quietCases(): readonly QuietCase[] {
  cases ??= [
    ...corpus()
      .filter(({ playground }) => playground === undefined)
      .map((one) => ({
        title: one.file.replace('.yaml', ''),
        ...concernOf(one),
        apart: (wanted: Apart) => apartOf(one, wanted),
        run: (noises: readonly Noise[], apart: Apart) => runObjects(noisy(one, noises, apart, AZURE_MAKERS)),
      })),
    ...awsCorpus().map((one) => ({
      title: `${one.file.replace('.yaml', '')}: ${one.title}`,
      ...concernOf(one),
      apart: (wanted: Apart) => apartOf(one, wanted),
      run: (noises: readonly Noise[], apart: Apart) => runAwsCase(noisy(one, noises, apart, AWS_MAKERS)),
    })),
  ];
  return cases;
}

function concernOf({ expect, pool, pools = [] }: CorpusCase | AwsCase): Concern {
  const isOfZones = JSON.stringify([pool, pools]).includes('topology.kubernetes.io/zone');
  return { cause: expect.cause, isOfZones };
}

/** Where several NodePools are meant, or the one has a family of its own, only taints keep its pods from others. */
function apartOf(one: CorpusCase | AwsCase, wanted: Apart): Apart {
  const isOnlyDefault =
    one.pools === undefined && one.pool !== null && (one.pool?.name ?? 'default') === 'default';
  const isOfFamily = [AZURE_MAKERS, AWS_MAKERS].some(({ family }) =>
    JSON.stringify(one.pool ?? {}).includes(family.key),
  );
  return isOnlyDefault && !(wanted === 'size' && isOfFamily) ? wanted : 'taint';
}

function noisy<C extends CorpusCase | AwsCase>(
  one: C,
  noises: readonly Noise[],
  apart: Apart,
  makers: Makers,
): C {
  const more = noises.flatMap(({ make }) => make(makers, apart));
  const nodeSelector = selectorFor(apart, makers);
  const pods = one.pods?.map((pod) => merged(pod, { spec: { nodeSelector } }));
  return {
    ...one,
    ...(pods === undefined || apart === 'taint' ? {} : { pods }),
    objects: [...(one.objects ?? []), ...more],
  };
}

function noisesOf(chance: Chance): readonly Noise[] {
  const count = chance.between(1, 4);
  const chosen = Array.from({ length: count }, () => chance.one(NOISES));
  return [...new Set(chosen)];
}

const plain = new Map<string, Promise<Answered>>();

function withNoise(seed: number, one: QuietCase, noises: readonly Noise[], apart: Apart): Combination {
  return {
    seed,
    title: `${one.title}, apart by ${apart}, while ${noises.map(({ name }) => name).join(', and ')}`,
    ask: async () => {
      const key = `${apart} ${one.title}`;
      const before = plain.get(key) ?? one.run([], apart);
      plain.set(key, before);
      const quiet = (await before).explanation;
      const { explanation } = await one.run(noises, apart);
      if (quiet === undefined || explanation === undefined)
        return { explanation, complaint: 'there is no answer' };
      const [wanted, found] = [headline(quiet), headline(explanation)];
      return {
        explanation,
        complaint: wanted === found ? '' : `the headline was\n    ${wanted}\n  and is\n    ${found}`,
      };
    },
  };
}

/** @param isTold the controller has written its event about the pod. */
function withPair(
  seed: number,
  index: number,
  noises: readonly Noise[],
  apart: Apart,
  isTold: boolean,
): Combination {
  const { first, second, one } = pairCase(index);
  const beside = noises.map(({ name }) => `, while ${name}`).join('');
  return {
    seed,
    title: `${first.cause} and ${second.cause}${isTold ? ' with the event of the controller' : ''}, apart by ${apart}${beside}`,
    ask: async () => {
      const whole = noisy(one, noises, apart, AZURE_MAKERS);
      const event = isTold ? await engineEvent(whole) : undefined;
      const { explanation } = await runObjects(event === undefined ? whole : { ...whole, events: [event] });
      const found = explanation?.cause?.id;
      const also = (explanation?.also ?? []).map(({ id }) => id);
      const complaint =
        found !== first.cause
          ? `expected ${first.cause} first, found ${found ?? 'nothing'}`
          : also.includes(second.cause)
            ? ''
            : `expected ${second.cause} as well, found ${also.join(', ') || 'nothing'}`;
      return { explanation, complaint };
    },
  };
}

/** A fault of a node, or none, beside one that is not its own: the noise changes neither. */
function withNodePair(
  seed: number,
  { first, second, one }: ReturnType<typeof nodePairs>[number],
  noises: readonly Noise[],
): Combination {
  const beside = noises.map(({ name }) => `, while ${name}`).join('');
  return {
    seed,
    title: `${one.ask}: ${first ?? 'healthy'} and ${second}${beside}`,
    ask: async () => {
      const { explanation } = await runObjects(noisy(one, noises, 'taint', AZURE_MAKERS));
      const found = explanation?.cause?.id;
      const also = (explanation?.also ?? []).map(({ id }) => id);
      const complaint =
        found !== first
          ? `expected ${first ?? 'nothing'} first, found ${found ?? 'nothing'}`
          : also.includes(second)
            ? ''
            : `expected ${second} as well, found ${also.join(', ') || 'nothing'}`;
      return { explanation, complaint };
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '1' } },
  });
  const [from, count] = [Number(values.seed), Number(values.count)];
  if (count === 1) {
    const { explanation } = await combination(from).ask();
    console.log(`${combination(from).title}\n`);
    if (explanation !== undefined) console.log(explanationText(explanation));
  }
  const wrong = await askCombinations(from, count);
  console.log(
    `seeds ${from} to ${from + count - 1}: ${count} combinations, ${count - wrong} right, ${wrong} wrong`,
  );
  process.exitCode = wrong === 0 ? 0 : 1;
}
