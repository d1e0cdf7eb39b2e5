/** Pending pods in groups, each with the answer of `chandler why` about one of its pods. */
import { type Clock, type Stored, turnsOf } from '@chandler/kube';
import type { PagePod, wire } from '../../dashboard/index.ts';
import { QuestionError } from '../../dashboard/index.ts';
import type { Explainer } from './explainer.ts';

export async function pendingAnswer(
  pods: Iterable<Stored<PagePod>>,
  explainer: Pick<Explainer, 'explain'>,
  clock: Clock,
): Promise<wire.PendingAnswer> {
  const nowMs = clock.now();
  const byWorkload = await groupsOf(pods, clock);
  // Those with the most pods first.
  const groups = [...byWorkload.values()].sort(
    (one, other) => other.length - one.length || (nameOf(one[0]!) < nameOf(other[0]!) ? -1 : 1),
  );
  const asked = groups.slice(0, MAX_GROUPS);
  const answered: wire.PendingGroup[] = [];
  const rest = asked[Symbol.iterator]();
  const work = async () => {
    for (const group of rest) answered.push(...(await explained(group, explainer)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const places = new Map(
    asked.map((group, at) => [`${group[0]!.metadata.namespace}\n${group[0]!.workload}`, at]),
  );
  const placeOf = ({ namespace, workload }: wire.PendingGroup) =>
    places.get(`${namespace}\n${workload}`) ?? 0;
  return {
    atMs: nowMs,
    groups: answered.sort((one, other) => placeOf(one) - placeOf(other)),
    further: groups.length - asked.length,
  };
}

// ---------------------------------------------------------------------------------------------------

const MAX_GROUPS = 20;
const AT_ONCE = 4;
/** Names of pods of one group that are listed. */
const MAX_NAMES = 100;

/** In turns: there may be 150,000. */
async function groupsOf(pods: Iterable<Stored<PagePod>>, clock: Clock) {
  const groups = new Map<string, Stored<PagePod>[]>();
  const turns = turnsOf(clock);
  for (const pod of pods) {
    const { phase, metadata, workload } = pod;
    if (phase !== 'p') continue;
    const key = `${metadata.namespace}\n${workload}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [pod]);
    else known.push(pod);
    await turns.pass();
  }
  return groups;
}

function nameOf({ metadata }: PagePod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Nothing if its pods are gone by now. */
async function explained(
  group: readonly Stored<PagePod>[],
  explainer: Pick<Explainer, 'explain'>,
): Promise<readonly wire.PendingGroup[]> {
  // The oldest has waited the longest, and says the most.
  const byAge = group.toSorted((one, other) => one.createdMs - other.createdMs);
  const [oldest] = byAge;
  const { namespace, name } = oldest!.metadata;
  try {
    return [
      {
        workload: oldest!.workload,
        namespace,
        pods: byAge.slice(0, MAX_NAMES).map(({ metadata }) => metadata.name),
        count: group.length,
        sinceMs: oldest!.createdMs === 0 ? null : oldest!.createdMs,
        answer: await explainer.explain({ kind: 'pod', namespace, name }),
      },
    ];
  } catch (error) {
    if (error instanceof QuestionError && error.status === 404) return [];
    throw error;
  }
}
