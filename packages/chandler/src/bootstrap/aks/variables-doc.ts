/** The page `docs/bootstrap-variables.md`, made from the table. */
import type { SourceKind, VariableRow } from './variable-row.ts';
import { TAIL, VARIABLES } from './variables.table.ts';

export function renderVariablesDoc(): string {
  return [
    '# What a new node is told',
    '',
    'Generated from `packages/chandler/src/bootstrap/aks/variables.table.ts` by `npm run generate`; do not edit.',
    '',
    'In provision mode `aksscriptless` a node image of AKS reads these variables from its custom data. `chandler bootstrap',
    'explain` prints them for a node of yours, each with its value, its source and the field or option that held it;',
    '`chandler bootstrap render` prints the whole script. The same input always gives the same bytes, and every value is',
    'quoted such that the shell gives back exactly what was put in.',
    '',
    'Sources: ' +
      Object.entries(KINDS)
        .map(([kind, text]) => `**${kind}**, ${text}`)
        .join('; ') +
      '.',
    '',
    `${VARIABLES.length} variables in the order of the script, then ${TAIL.length} that are always the same.`,
    '',
    '| Variable | Group | Source | Default | Meaning |',
    '| --- | --- | --- | --- | --- |',
    ...[...VARIABLES, ...TAIL].map(line),
    '',
    '## Where this differs from Karpenter',
    '',
    ...DIFFERENCES.map((difference) => `- ${difference}`),
    '',
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------

const KINDS: Readonly<Record<SourceKind, string>> = {
  hardcoded: 'the same everywhere',
  option: 'a flag, environment variable or setting of the controller',
  NodeClass: 'a field of the AKSNodeClass',
  NodePool: 'a field of the NodePool, through the claim',
  cluster: 'found out from the cluster, or set by an option in its place',
  computed: 'worked out from the values named',
};

const DIFFERENCES: readonly string[] = [
  'Kubelet flags and node labels are sorted; there they come in random order, so two renders of one node differ.',
  'Values are escaped for the shell; there a quote, a dollar sign or a backtick in a label breaks the script or runs in it.',
  '`ADMINUSER` follows `LINUX_ADMIN_USERNAME`, and `TARGET_CLOUD`, `TARGET_ENVIRONMENT`, `OUTBOUND_COMMAND` and the mirror follow `ARM_CLOUD`.',
  '`--eviction-hard` keeps the disk signals (`nodefs.available<10%`, `nodefs.inodesFree<5%`) beside the memory one.',
  '`spec.kubelet.cpuCFSQuotaPeriod` and `failSwapOn` become kubelet flags; `spec.linuxOSConfig` becomes the swap, huge page and sysctl variables. There they are accepted and ignored.',
  '`spec.localDNS.mode: Required` and `spec.artifactStreaming.enabled: true` cannot be had in this mode and are refused (`unsupportedInMode`); localDNS `Preferred` resolves to off.',
  '`GPU_NEEDS_FABRIC_MANAGER` is true on sizes with NVSwitch, whose GPUs do not start without it.',
  'A spot node registers with the priority labels of a spot node.',
  'A malformed Kubernetes version, subnet id or cloud is a named error, and so is custom data beyond the 65,535 bytes that Azure takes.',
];

const MAX_DEFAULT_LENGTH = 40;

function line(row: VariableRow): string {
  const cells = [`\`${row.name}\``, row.group, row.kind, defaultCell(row.default), row.doc];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function defaultCell(value: string): string {
  if (value === '') return '';
  return `\`${value.length <= MAX_DEFAULT_LENGTH ? value : `${value.slice(0, MAX_DEFAULT_LENGTH)}…`}\``;
}
