/** Renders a plan as text. The content of files that only root can read is not shown. */
import { PLACEHOLDER_CA } from '../azure/placeholder-ca.ts';
import type { PlannedEffect } from '../host/planning-host.ts';
import { sha256 } from './fingerprint.ts';
import { STATE_FOLDER } from './parts.ts';
import type { Plan, PlannedStep } from './plan.ts';
import { redact } from './redact.ts';
import { quote } from './restore.ts';
import { unifiedDiff } from './unified-diff.ts';

export function renderPlan(plan: Plan): string {
  const toDo = plan.steps.filter((step) => step.status === 'to-do').length;
  const head =
    toDo === 0
      ? `No changes for ${plan.nodeName}.`
      : `Plan for ${plan.nodeName}: ${toDo} of ${plan.steps.length} steps would run. Nothing was changed.`;
  const steps = plan.steps.map((step, index) => renderStep(step, index + 1));
  return `${[head, ...steps, ...(plan.problem ? [renderProblem(plan)] : [])].join('\n\n')}\n`;
}

/** The same for `--output json`: contents as diffs, never as they are. */
export function planToJson(plan: Plan): unknown {
  const problem = plan.problem === undefined ? {} : { problem: { ...plan.problem, cause: undefined } };
  return {
    nodeName: plan.nodeName,
    ...problem,
    steps: plan.steps.map(({ problem: _problem, effects, gaps, ...step }) => ({
      ...step,
      gaps: gaps.map(({ cause: _cause, ...gap }) => gap),
      effects: effects.map((effect) => {
        if (effect.kind !== 'write') return effect;
        const { path, mode, beforeMode } = effect;
        return { kind: 'write', path, mode, beforeMode, diff: changeOf(effect) };
      }),
    })),
  };
}

// ---------------------------------------------------------------------------------------------------

const WHY: Readonly<Record<NonNullable<PlannedStep['why']>, string>> = {
  'never-done': '',
  interrupted: 'was interrupted',
  'inputs-changed': 'its configuration changed',
  'follows-another': 'an earlier step runs again',
  'machine-differs': 'the machine was modified',
};

function renderStep(step: PlannedStep, number: number): string {
  const title = `${String(number).padStart(2)}. ${step.title} [${step.step}]`;
  if (step.status === 'done') return `${title}: done`;
  if (step.status === 'not-selected') return `${title}: not selected`;
  const why = step.why === undefined ? '' : WHY[step.why];
  const lines = [
    ...step.azure.map((line) => `azure: ${redact(line)}`),
    ...step.downloads.map(
      ({ what, from, sha256: hash }) =>
        `download: ${what} from ${redact(from)}${hash ? ` (sha256 ${hash})` : ''}`,
    ),
    ...step.gaps.map((gap) => `missing: ${gap.message}`),
    ...step.effects.map(renderEffect),
  ].filter((line) => line !== '');
  const shown = lines.length === 0 && step.problem === undefined ? ['no changes'] : lines;
  return [why === '' ? title : `${title}: ${why}`, ...shown.map(indent)].join('\n');
}

function renderEffect(effect: PlannedEffect): string {
  switch (effect.kind) {
    case 'write':
      return `write: ${effect.path} (${modes(effect.mode, effect.beforeMode)})\n${deeper(changeOf(effect))}`.trimEnd();
    case 'make-directory':
      return `directory: ${effect.path} (${modes(effect.mode, effect.beforeMode)})`;
    case 'symlink':
      return `link: ${effect.path} -> ${effect.target}${effect.beforeTarget ? ` (was ${effect.beforeTarget})` : ''}`;
    case 'chmod':
      return `mode: ${effect.path} (${modes(effect.mode, effect.beforeMode)})`;
    case 'rename':
      return `rename: ${effect.path} -> ${effect.to}`;
    case 'remove':
      return `remove: ${effect.path}`;
    case 'command':
      return `run: ${redact(effect.argv.map(quote).join(' '))}`;
    case 'claim':
      // Nothing happens now; it matters for unbootstrap.
      return '';
  }
}

function changeOf(effect: PlannedEffect & { readonly kind: 'write' }): string {
  const { path, before, beforeMode, after, mode } = effect;
  if (
    path.startsWith(`${STATE_FOLDER}/`) ||
    isPrivate(mode) ||
    (beforeMode !== undefined && isPrivate(beforeMode))
  ) {
    return `(content not shown: only root can read it)`;
  }
  const member = NOT_FETCHED.exec(toText(after.subarray(0, 2_000)))?.[1];
  if (member !== undefined) return `(${member}, from the download)`;
  if (toText(after).trim() === PLACEHOLDER_PEM) return '(a certificate that is read from the cluster)';
  // Shown as a change it would show the credential that is there now.
  if (toText(after).includes(PLACEHOLDER_CA))
    return '(content not shown: it contains a credential from Azure)';
  if (isBinary(after) || (before !== undefined && isBinary(before))) {
    return `(binary, ${after.length} bytes, sha256 ${sha256(after)})`;
  }
  const from = before === undefined ? '/dev/null' : path;
  return redact(unifiedDiff(toText(before), toText(after), { from, to: path }));
}

/** What a dry run puts in the place of a program: one line that says where it would come from. */
const NOT_FETCHED = /^program (\S+) of \S+, sha256 .*\n$/;

const PLACEHOLDER_PEM = Buffer.from(PLACEHOLDER_CA, 'base64').toString('utf8').trim();

function isPrivate(mode: number): boolean {
  return (mode & 0o077) === 0;
}

function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, 8_000).includes(0);
}

function toText(content: Uint8Array | undefined): string {
  return content === undefined ? '' : Buffer.from(content).toString('utf8');
}

function modes(mode: number, before: number | undefined): string {
  const now = mode.toString(8).padStart(4, '0');
  return before === undefined || before === mode ? now : `${before.toString(8).padStart(4, '0')} -> ${now}`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}

/** The content of a file is indented, so that it differs from the actions. */
function deeper(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function renderProblem({ problem, steps }: Plan): string {
  const remedy = problem?.remedy === undefined ? '' : `\n${problem.remedy}`;
  const isGap = steps.at(-1)?.problem === undefined;
  return `${isGap ? 'The config is incomplete' : 'The run would stop here'}: ${problem?.message}${remedy}`;
}
