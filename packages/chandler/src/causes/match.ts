/**
 * Matches evidence against tables of causes and sorts the findings: broken before suspicious, the first broken layer
 * first, the most specific cause first, then the one to repair first (`repair-order.table.ts`), then by ID. Layers that the object has passed (`passed-layers.ts`) are not broken, except for causes that
 * matter nevertheless; nor is what is over, as far as can be seen. The same evidence always gives the same list.
 */
import {
  type Cause,
  type CauseTable,
  type Facts,
  filled,
  type Match,
  type Seen,
  type Specificity,
  type Weight,
} from './cause.ts';
import type { EvidenceSet } from './evidence-set.ts';
import { type Layer, layerIndex } from './layers.ts';
import { passedLayers } from './passed-layers.ts';
import { REPAIR_ORDER } from './repair-order.table.ts';

/** A cause that was recognised, with its texts filled in. */
export interface Finding {
  readonly id: string;
  readonly point: string | undefined;
  readonly layer: Layer;
  readonly specificity: Specificity;
  readonly weight: Weight;
  readonly title: string;
  readonly summary: string;
  readonly fix: string;
  readonly confirm: readonly string[];
  readonly facts: Facts;
  readonly seen: readonly Seen[];
  readonly comesLast?: true;
}

/** Texts of a row or of its match, before facts are filled in. */
export type FindingTexts = Pick<Finding, 'title' | 'summary' | 'fix' | 'confirm' | 'facts'>;

/**
 * In order: the first is the verdict. A row that throws is a bug and is not hidden.
 * @param fill fills in facts, once: facts are text of others, and what looks like the name of a fact there is none.
 */
export function findCauses(
  tables: readonly CauseTable[],
  evidence: EvidenceSet,
  fill: (texts: FindingTexts) => FindingTexts = withOwnFacts,
): readonly Finding[] {
  const passed = passedLayers(evidence);
  const toFound = (cause: Cause, match: Match): Found => {
    const harmless =
      (layerIndex(cause.layer) < passed(cause) && !isToldEvenIfWell(cause, evidence)) || isOver(match.seen);
    const finding = toFinding(cause, harmless ? { ...match, weight: 'suspicious' } : match, fill);
    return { cause, match, finding, harmless, evenIfWell: isToldEvenIfWell(cause, evidence) };
  };
  const found = tables.flatMap(({ causes }) =>
    causes.flatMap((cause) => {
      const first = cause.recognise(evidence);
      return first === undefined
        ? []
        : [first, ...(first.others ?? [])].map((match) => toFound(cause, match));
    }),
  );
  const broken = found.filter(({ finding }) => finding.weight === 'broken');
  // Of what is over or passed, the best explanation is enough, too.
  const harmless = found.filter((each) => each.harmless);
  const unexplained = found.filter(
    (each) => !isExplained(each, each.harmless ? [...broken, ...harmless] : broken),
  );
  return unexplained
    .filter(({ cause }, index) => unexplained.findIndex((each) => each.cause === cause) === index)
    .map(({ finding }) => finding)
    .sort(inOrder);
}

/** Every row once, and every id once: two owners must not give one name to two things. */
export function checkTables(tables: readonly CauseTable[]): readonly string[] {
  const causes = tables.flatMap((table) => table.causes.map((cause) => ({ table: table.name, cause })));
  const ids = new Set(causes.map(({ cause }) => cause.id));
  const repeated = [...Map.groupBy(causes, ({ cause }) => cause.id)]
    .filter(([, rows]) => rows.length > 1)
    .map(([id, rows]) => `${id} is defined in ${rows.map(({ table }) => table).join(' and ')}`);
  const unknown = causes.flatMap(({ cause }) =>
    (cause.explainedBy ?? [])
      .filter((id) => !ids.has(id))
      .map((id) => `${cause.id} gives way to ${id}, which does not exist`),
  );
  const unknownExplained = causes.flatMap(({ cause }) =>
    (cause.explains ?? [])
      .filter((id) => !ids.has(id))
      .map((id) => `${cause.id} explains ${id}, which does not exist`),
  );
  return [...repeated, ...unknown, ...unknownExplained];
}

// ---------------------------------------------------------------------------------------------------

const SPECIFICITY_ORDER: readonly Specificity[] = ['exact', 'particular', 'general'];
const WEIGHT_ORDER: readonly Weight[] = ['broken', 'suspicious'];

interface Found {
  readonly cause: Cause;
  readonly match: Match;
  readonly finding: Finding;
  /** Over, or of a layer that the object has passed. */
  readonly harmless: boolean;
  readonly evenIfWell: boolean;
}

function isToldEvenIfWell({ evenIfWell = () => false }: Cause, evidence: EvidenceSet): boolean {
  return evenIfWell === true || evenIfWell(evidence);
}

function isOver(all: readonly Seen[]): boolean {
  return all.length > 0 && all.every((each) => each.isOver === true);
}

/**
 * A row is superseded by rows that it names, or that name it; a general row also by any more exact row of its layer or an
 * earlier one. None of them explains what is said of another container.
 */
function isExplained({ cause, match }: Found, broken: readonly Found[]): boolean {
  return broken.some(
    ({ cause: other, match: said, evenIfWell }) =>
      !isOfOthers(said, match) &&
      ((cause.explainedBy?.includes(other.id) ?? false) ||
        (other.explains?.includes(cause.id) ?? false) ||
        (cause.specificity === 'general' &&
          other.specificity !== 'general' &&
          !evenIfWell &&
          layerIndex(other.layer) <= layerIndex(cause.layer))),
  );
}

function isOfOthers({ facts, containers = [] }: Match, { facts: explained }: Match): boolean {
  const [said, container] = [facts['container'], explained['container']];
  if (said === undefined || container === undefined) return false;
  return said !== container && !containers.includes(container);
}

function toFinding(cause: Cause, match: Match, fill: (texts: FindingTexts) => FindingTexts): Finding {
  return {
    id: cause.id,
    point: cause.point ?? (/^L\d/.test(cause.id) ? cause.id : undefined),
    layer: cause.layer,
    specificity: cause.specificity,
    weight: match.weight ?? 'broken',
    ...fill({
      title: match.title ?? cause.title,
      summary: match.summary ?? cause.summary,
      fix: match.fix ?? cause.fix,
      confirm: match.confirm ?? cause.confirm,
      facts: match.facts,
    }),
    seen: match.seen,
    ...(match.comesLast === true ? { comesLast: true } : {}),
  };
}

function withOwnFacts({ title, summary, fix, confirm, facts }: FindingTexts): FindingTexts {
  return {
    title: filled(title, facts),
    summary: filled(summary, facts),
    fix: filled(fix, facts),
    confirm: confirm.map((command) => filled(command, facts)),
    facts,
  };
}

function inOrder(one: Finding, other: Finding): number {
  return (
    WEIGHT_ORDER.indexOf(one.weight) - WEIGHT_ORDER.indexOf(other.weight) ||
    Number(isBeforeLayers(other)) - Number(isBeforeLayers(one)) ||
    layerIndex(one.layer) - layerIndex(other.layer) ||
    Number(one.comesLast ?? false) - Number(other.comesLast ?? false) ||
    SPECIFICITY_ORDER.indexOf(one.specificity) - SPECIFICITY_ORDER.indexOf(other.specificity) ||
    repairStep(one) - repairStep(other) ||
    (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
  );
}

function isBeforeLayers({ id }: Finding): boolean {
  return REPAIR_ORDER.some(({ causes, beforeLayers }) => beforeLayers === true && causes.includes(id));
}

function repairStep({ id, facts }: Finding): number {
  const step = REPAIR_ORDER.findIndex(
    ({ causes, facts: wanted = {} }) =>
      causes.includes(id) && Object.entries(wanted).every(([name, value]) => facts[name] === value),
  );
  return step < 0 ? REPAIR_ORDER.length : step;
}
