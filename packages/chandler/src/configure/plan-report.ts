/** A plan, and what came of it, as text and as JSON. */
import type { JournalEntry } from './journal.ts';
import { blockedOf, changesOf, type Plan, type Step } from './plan.ts';
import { permissionText } from './resource.ts';

/** Completes a line: `missing: it will be created`. */
export function planText(plan: Plan): string {
  const lines = [...plan.steps.flatMap(stepLines), ...plan.unwanted.map(unwantedLine)];
  return [`${plan.title} (${plan.target})`, '', ...lines, ...noteLines(plan), '', summary(plan), ''].join(
    '\n',
  );
}

/** For programs. */
export function planJson(plan: Plan) {
  return {
    target: plan.target,
    changes: changesOf(plan).length,
    blocked: blockedOf(plan).length + plan.unwanted.length,
    notes: plan.notes,
    unwanted: plan.unwanted.map(({ key, kind, name, id }) => ({ key, kind, name, id })),
    resources: plan.steps.map(({ resource, reading, action, createdByUs, recordedInstead }) => ({
      key: resource.key,
      kind: resource.kind,
      name: resource.name,
      why: resource.why,
      state: reading.state,
      action,
      createdByConfigure: createdByUs,
      ...(recordedInstead === undefined ? {} : { recordedInstead: recordedText(recordedInstead) }),
      ...('found' in reading ? { id: reading.found.id } : {}),
      ...('how' in reading ? { differences: reading.how } : {}),
      ...('permission' in reading ? { missingPermission: reading.permission } : {}),
    })),
  };
}

/** Why it cannot be applied, one sentence for each step; undefined if it can. */
export function blockedText(plan: Plan): string | undefined {
  return refusal('nothing was changed', [
    ...blockedOf(plan).map(blockedReason),
    ...plan.unwanted.map(unwantedReason),
  ]);
}

/** Why no files are written: they would overwrite what is of somebody else. */
export function overwritingText(plan: Plan): string | undefined {
  const isOverwritten = ({ resource, reading }: Step) =>
    resource.isOverwrittenByFiles === true && reading.state === 'different';
  return refusal(
    'nothing was changed, and no files were written, because they would overwrite what exists',
    blockedOf(plan).filter(isOverwritten).map(blockedReason),
  );
}

/** Why it is not written, as a clause. */
export function recordedInsteadText(entry: JournalEntry): string {
  return `the journal says that configure created another one in its place, ${recordedText(entry)}; remove that one first with --undo, or give another file with --journal`;
}

// ---------------------------------------------------------------------------------------------------------------

function refusal(what: string, reasons: readonly string[]): string | undefined {
  return reasons.length === 0 ? undefined : `${what}:\n${reasons.map((reason) => `  ${reason}`).join('\n')}`;
}

const MARKS = { none: ' ', create: '+', update: '~', blocked: '!' } as const;

function stepLines(step: Step): readonly string[] {
  const { resource, reading, action } = step;
  return [
    `${MARKS[action]} ${resource.kind} ${resource.name}: ${stateText(step)}`,
    `    needed ${resource.why}`,
    ...('how' in reading ? reading.how.map((how) => `    ${how}`) : []),
  ];
}

function stateText({ reading, action, recordedInstead }: Step): string {
  if (recordedInstead !== undefined) return `the journal names another one, ${recordedText(recordedInstead)}`;
  switch (reading.state) {
    case 'exists':
      return 'exists';
    case 'missing':
      return 'missing, will be created';
    case 'different':
      return action === 'update' ? 'differs, will be updated' : 'differs, and configure did not create it';
    case 'unknown':
      return `not known: ${permissionText(reading.permission)}`;
  }
}

function blockedReason({ resource, reading, recordedInstead }: Step): string {
  const what = `${resource.kind} ${resource.name}`;
  if (recordedInstead !== undefined) return `${what}: ${recordedInsteadText(recordedInstead)}.`;
  if (reading.state === 'unknown') return `${what} cannot be read: ${permissionText(reading.permission)}.`;
  const how = reading.state === 'different' ? reading.how.join('; ') : '';
  return `${what} exists and differs (${how}), and this journal does not say that configure created it. Correct or delete it, or choose another name.`;
}

function unwantedLine({ kind, name }: JournalEntry): string {
  return `${MARKS.blocked} ${kind} ${name}: configure created it, and it is not wanted with these options`;
}

function unwantedReason({ kind, name }: JournalEntry): string {
  return `${kind} ${name}: the journal says that configure created it, and with these options it is not wanted. Give the options with which it was created, or remove it yourself, or everything with --undo.`;
}

function recordedText({ name, id }: JournalEntry): string {
  return id ?? name;
}

function noteLines({ notes }: Plan): readonly string[] {
  return notes.length === 0 ? [] : ['', ...notes.map((note) => `Note: ${note}`)];
}

function summary(plan: Plan): string {
  const created = plan.steps.filter(({ action }) => action === 'create').length;
  const updated = plan.steps.filter(({ action }) => action === 'update').length;
  const blocked = blockedOf(plan).length + plan.unwanted.length;
  if (created + updated + blocked === 0) return 'Everything is there. Nothing to change.';
  const parts = [
    ...(created === 0 ? [] : [`${created} to create`]),
    ...(updated === 0 ? [] : [`${updated} to update`]),
    ...(blocked === 0 ? [] : [`${blocked} in the way`]),
  ];
  return `Plan: ${parts.join(', ')}.`;
}
