/** Findings about the options of both: what Karpenter was told and Chandler was not. Secrets are neither compared nor printed. */
import { sameJson } from '../../api/index.ts';
import { type OptionRow, printable } from '../../settings/index.ts';
import { keyOfDeployment, nameOf } from './deployments.ts';
import type { Finding } from './findings.table.ts';
import { listed } from './listed.ts';
import type { Picture } from './picture.ts';
import type { Side } from './side.ts';

export function judgeSettings({ karpenterSide, chandlerSide, cloud }: Picture): readonly Finding[] {
  if (chandlerSide === undefined) return [];
  const own = judgeOwn(chandlerSide);
  if (karpenterSide === undefined) return own;
  const ownGroups = new Set([...PROCESS_GROUPS, ...cloud.options.ownGroups]);
  return [
    ...own,
    ...differences(karpenterSide, chandlerSide, ownGroups),
    ...withoutEffect(karpenterSide),
    ...hidden(karpenterSide, chandlerSide),
    ...judgeIdentity(karpenterSide, chandlerSide),
  ];
}

// ---------------------------------------------------------------------------------------------------

/** Options about the process, not about nodes. Those of the lease are judged with it. */
const PROCESS_GROUPS: readonly string[] = ['Process', 'Leader election and state'];
const CLUSTER_NAME = 'clusterName';

function judgeOwn({ settings: { resolved, hidden }, deployment }: Side): readonly Finding[] {
  const problems = resolved.problems.filter(
    // Flags of the command itself are none of the table.
    ({ options }) => options.length > 0 && !options.some((name) => hidden.has(name)),
  );
  return problems.map(({ where, message }) => ({
    code: 'ChandlerSettingsInvalid',
    message: `${where} of Deployment ${nameOf(keyOfDeployment(deployment))}: ${message}.`,
    fix: 'fix its arguments, variables or the ConfigMap karpenter-global-settings',
  }));
}

function differences(
  karpenter: Side,
  chandler: Side,
  processGroups: ReadonlySet<string>,
): readonly Finding[] {
  const { table, values } = karpenter.settings.resolved;
  return Object.entries(table).flatMap(([name, row]): Finding[] => {
    if (karpenter.settings.hidden.has(name) || chandler.settings.hidden.has(name)) return [];
    if (row.unused !== undefined || name.startsWith('leaderElection') || name === 'disableLeaderElection')
      return [];
    const theirs = values[name]?.value;
    const ours = chandler.settings.resolved.values[name]?.value;
    if (sameJson(theirs, ours)) return [];
    const code = codeOf(name, row, processGroups);
    const shown = shownValues(row, theirs, ours);
    return [
      {
        code,
        message: `--${row.flag}${envText(row)} is ${shown.theirs} for Karpenter and ${shown.ours} for Chandler.`,
        fix: code === 'ProcessSettingDiffers' ? '' : 'give Chandler the same value, or accept the difference',
      },
    ];
  });
}

function codeOf(
  name: string,
  { group = '' }: OptionRow,
  processGroups: ReadonlySet<string>,
): Finding['code'] {
  if (name === CLUSTER_NAME) return 'ClusterNameDiffers';
  return processGroups.has(group) ? 'ProcessSettingDiffers' : 'SettingDiffers';
}

function envText({ env }: OptionRow): string {
  const first = typeof env === 'string' ? env : env?.[0];
  return first === undefined ? '' : ` (${first})`;
}

interface Shown {
  readonly theirs: string;
  readonly ours: string;
}

/** Of gates and maps, the entries that differ. */
function shownValues(row: OptionRow, theirs: unknown, ours: unknown): Shown {
  if (!isRecord(theirs) || !isRecord(ours)) return { theirs: text(row, theirs), ours: text(row, ours) };
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].filter(
    (key) => !sameJson(theirs[key], ours[key]),
  );
  const entries = (from: Readonly<Record<string, unknown>>) =>
    keys.map((key) => `${key}=${from[key] ?? ''}`).join(',');
  return { theirs: entries(theirs), ours: entries(ours) };
}

const MAX_TEXT = 80;

function text(row: OptionRow, value: unknown): string {
  const [shown] = printable({ row }, { row: { value, source: 'hardcoded', path: '' } } as never);
  const whole = shown?.value ?? '';
  if (whole === '') return 'not set';
  return whole.length > MAX_TEXT ? `${whole.slice(0, MAX_TEXT)}…` : whole;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What Karpenter was told and Chandler accepts without doing it. */
function withoutEffect({ settings: { resolved } }: Side): readonly Finding[] {
  return resolved.warnings
    .filter(({ code, where }) => code === 'NoEffect' && where !== 'KARPENTER_SERVICE')
    .map(({ where, message }) => ({
      code: 'SettingWithoutEffect',
      message: `Karpenter sets ${where}, which ${message.replace(/^has no effect/, 'has no effect in Chandler')}.`,
      fix: 'accept this if you do not need it',
    }));
}

function hidden(karpenter: Side, chandler: Side): readonly Finding[] {
  const isSet = ({ settings }: Side, name: string) => settings.resolved.values[name]?.source !== 'hardcoded';
  const names = [...karpenter.settings.hidden].filter(
    (name) => isSet(karpenter, name) || isSet(chandler, name) || !chandler.settings.hidden.has(name),
  );
  if (names.length === 0) return [];
  const { table } = karpenter.settings.resolved;
  return [
    {
      code: 'SettingsNotCompared',
      message: `Options that come from Secrets or from the pod were not compared: ${listed(names.map((name) => `--${table[name]?.flag}`))}.`,
      fix: '',
    },
  ];
}

/** Annotations of programs that install, not of identities. */
const NOT_OF_IDENTITY =
  /^(?:meta\.helm\.sh|kubectl\.kubernetes\.io|argocd\.argoproj\.io|[a-z]+\.toolkit\.fluxcd\.io)\//;

function judgeIdentity(karpenter: Side, chandler: Side): readonly Finding[] {
  const theirs = karpenter.account?.metadata.annotations ?? {};
  const ours = chandler.account?.metadata.annotations ?? {};
  const missing = Object.keys(theirs).filter((key) => !NOT_OF_IDENTITY.test(key) && ours[key] === undefined);
  if (missing.length === 0) return [];
  return [
    {
      code: 'IdentityDiffers',
      message: `The ServiceAccount of Karpenter has the annotations ${listed(missing)}, that of Chandler has not; it may have no access to the cloud.`,
      fix: 'set them with serviceAccount.annotations, or accept this if Chandler has another identity',
    },
  ];
}
