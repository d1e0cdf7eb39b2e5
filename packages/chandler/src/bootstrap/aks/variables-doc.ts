/** The page `docs/bootstrap-variables.md`, made from the table. */
import type { SourceKind, VariableRow } from './variable-row.ts';
import { TAIL, VARIABLES } from './variables.table.ts';

export function renderVariablesDoc(): string {
  return [
    '# Bootstrap variables of a new node',
    '',
    'Generated from `packages/chandler/src/bootstrap/aks/variables.table.ts` by `npm run generate`; do not edit.',
    '',
    'In provision mode `aksscriptless` a node image of AKS reads these variables from its custom data. `chandler bootstrap',
    'explain` prints them for a node, each with its value, its source and the field or option that sets it; `chandler',
    'bootstrap render` prints the whole script. The same input always results in the same bytes, and every value is quoted',
    'for the shell.',
    '',
    'Sources: ' +
      Object.entries(KINDS)
        .map(([kind, text]) => `**${kind}**, ${text}`)
        .join('; ') +
      '.',
    '',
    `${VARIABLES.length} variables in the order of the script, then ${TAIL.length} with constant values.`,
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
  hardcoded: 'a constant',
  option: 'a flag, environment variable or setting of the controller',
  NodeClass: 'a field of the AKSNodeClass',
  NodePool: 'a field of the NodePool, through the claim',
  cluster: 'read from the cluster, or set by an option instead',
  computed: 'computed from the named values',
};

const DIFFERENCES: readonly string[] = [
  'Kubelet flags and node labels are sorted; Karpenter writes them in random order, so two renders of one node differ.',
  'Values are escaped for the shell; in Karpenter a quote, a dollar sign or a backtick in a label breaks the script or is executed.',
  '`ADMINUSER` follows `LINUX_ADMIN_USERNAME`, and `TARGET_CLOUD`, `TARGET_ENVIRONMENT`, `OUTBOUND_COMMAND` and the mirror follow `ARM_CLOUD`.',
  '`--eviction-hard` contains the disk signals (`nodefs.available<10%`, `nodefs.inodesFree<5%`) in addition to the memory signal.',
  '`spec.kubelet.cpuCFSQuotaPeriod` and `failSwapOn` become kubelet flags; `spec.linuxOSConfig` becomes the swap, huge page and sysctl variables. Karpenter accepts and ignores them.',
  '`spec.localDNS.mode: Required` and `spec.artifactStreaming.enabled: true` are not supported in this mode and are rejected (`unsupportedInMode`); localDNS `Preferred` resolves to off.',
  '`GPU_NEEDS_FABRIC_MANAGER` is true on sizes with NVSwitch, whose GPUs require it.',
  'A spot node registers with the priority labels of a spot node.',
  'An invalid Kubernetes version, subnet ID or cloud results in an error, and so does custom data above the Azure limit of 65,535 bytes.',
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
